import Coding
import Foundation
import TestSupport

/// A built program run to its end, with its output, its input and a deadline.
struct ProgramRun {
    let status: Int32
    let output: String
    let messages: String

    var json: JSON? { try? JSON.parse(Array(output.utf8)) }

    /// Seconds after which a program counts as hung: the slowest step is Argon2id over 256 MiB,
    /// several times beside other tests.
    private static let patience = 120.0

    static func run(
        _ name: String, _ words: [String], input: String = "", environment: [String: String] = [:],
        folder: TemporaryFolder
    ) throws -> ProgramRun {
        let stamp = UUID().uuidString
        let output = folder.file("output-\(stamp)")
        let messages = folder.file("messages-\(stamp)")
        let stdin = try folder.write(input, to: "input-\(stamp)")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Binaries.path(of: name))
        process.arguments = words
        process.environment = [
            "HOME": folder.path, "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no",
        ].merging(environment) { $1 }
        for path in [output, messages] {
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw HarnessError("cannot make \(path)")
            }
        }
        process.standardInput = FileHandle(forReadingAtPath: stdin)
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: messages)
        try process.run()
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: watchdog)
        process.waitUntilExit()
        watchdog.cancel()
        return ProgramRun(
            status: process.terminationReason == .exit
                ? process.terminationStatus : 128 + process.terminationStatus,
            output: String(
                decoding: try Data(contentsOf: URL(fileURLWithPath: output)), as: UTF8.self),
            messages: String(
                decoding: try Data(contentsOf: URL(fileURLWithPath: messages)), as: UTF8.self))
    }
}
