import Foundation

/// One run of the built program.
struct SimulationRun {
    let status: Int32
    let output: String

    init(_ words: String...) throws { try self.init(words) }

    init(_ words: [String]) throws {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = words
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        status = process.terminationStatus
        output = String(decoding: bytes, as: UTF8.self)
    }

    /// Beside the test bundle.
    private static var program: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("walkdown-sim")
    }

    var lines: [String] {
        output.split(separator: "\n").map(String.init)
    }

    var lastLine: String { lines.last ?? "" }
}
