import Foundation
import Synchronization

/// Runs the seeds in processes of their own: a run that crashes is a run that failed, and the
/// others go on.
final class Workforce: Sendable {
    private let options: Options
    private let tally = Mutex((passed: 0, failed: 0))

    init(_ options: Options) { self.options = options }

    /// - Returns: how many passed and failed.
    func run() -> (passed: Int, failed: Int) {
        let workers = min(options.jobs, max(1, options.seeds))
        DispatchQueue.concurrentPerform(iterations: workers) { work(UInt64($0), of: workers) }
        return tally.withLock { $0 }
    }

    /// Every so many-th seed, in as many processes as it takes.
    private func work(_ number: UInt64, of workers: Int) {
        var next = options.start + number
        let end = options.start + UInt64(options.seeds)
        let stride = UInt64(workers)
        while next < end {
            let count = Int((end - next + stride - 1) / stride)
            let begun = runProcess(start: next, stride: stride, seeds: count)
            guard let begun else { return }
            fail("  seed \(begun) failed: the process ended in the middle")
            next = begun + stride
        }
    }

    /// - Returns: the seed in which it ended without a word; nil where it came to its end.
    private func runProcess(start: UInt64, stride: UInt64, seeds: Int) -> UInt64? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = options.words(start: start, stride: stride, seeds: seeds)
        // Sets and dictionaries in the same order in each process.
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        do {
            try process.run()
        } catch {
            fail("  cannot start a process: \(error)")
            return nil
        }
        let open = follow(pipe.fileHandleForReading)
        process.waitUntilExit()
        return open ?? (process.terminationStatus == 0 ? nil : start)
    }

    /// - Returns: the seed that was begun and did not end.
    private func follow(_ handle: FileHandle) -> UInt64? {
        var rest: [UInt8] = []
        var open: UInt64?
        while true {
            let bytes = handle.availableData
            guard !bytes.isEmpty else { return open }
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                take(String(decoding: rest[..<end], as: UTF8.self), &open)
                rest.removeSubrange(...end)
            }
        }
    }

    private func take(_ line: String, _ open: inout UInt64?) {
        let words = line.split(separator: " ")
        switch words.first {
        case "begin": open = UInt64(words[1])
        case "passed":
            open = nil
            tally.withLock { $0.passed += 1 }
        case "failed":
            open = nil
            tally.withLock { $0.failed += 1 }
        default: say(line)
        }
    }

    private func fail(_ line: String) {
        tally.withLock { $0.failed += 1 }
        say(line)
    }

    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
