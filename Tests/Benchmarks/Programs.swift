import Foundation

/// The built programs, beside this one.
enum Programs {
    static let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
    static let walkdown = folder.appendingPathComponent("walkdown").path
    static let walkdownd = folder.appendingPathComponent("walkdownd").path

    static var own: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }

    /// Runs a program to its end.
    /// - Returns: what it wrote to standard output.
    @discardableResult
    static func run(_ program: String, _ arguments: [String]) throws -> String {
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
        guard process.terminationStatus == 0 else {
            throw BenchFailure.program(
                "\(program) \(arguments.joined(separator: " ")) ended with "
                    + "\(process.terminationStatus)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
