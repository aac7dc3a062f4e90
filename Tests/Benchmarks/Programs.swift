import Foundation

/// The built programs, beside this one.
enum Programs {
    static let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
    static let walkdown = folder.appendingPathComponent("walkdown").path
    static let walkdownd = folder.appendingPathComponent("walkdownd").path
    static let simulation = folder.appendingPathComponent("walkdown-sim").path

    static var own: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }

    /// Runs a program to its end.
    ///
    /// - Parameter accepting: the exit statuses of a run that says something.
    /// - Returns: what it wrote to standard output.
    @discardableResult
    static func run(
        _ program: String, _ arguments: [String], accepting: Set<Int32> = [0]
    ) throws -> String {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw BenchFailure.program(
                "\(program) is not built: run `swift build -c release` first")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard accepting.contains(process.terminationStatus) else {
            throw BenchFailure.program(
                "\(program) \(arguments.joined(separator: " ")) ended with "
                    + "\(process.terminationStatus)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
