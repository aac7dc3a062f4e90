import Commands
import Foundation
import Synchronization
import Testing

/// Somebody who types on a pipe that stays open: each step comes about when what was typed before is read
/// and a command waits for more.
final class ScriptedTyping: TypingWatch, Sendable {
    enum Step: Sendable {
        case type(String)
        /// Nothing is typed for so long.
        case pass(seconds: Int64)
        case signal(Int32)
        /// The machine sleeps, and somebody types when it wakes up.
        case sleep(seconds: Int64, typed: String)
    }

    struct Record: Sendable {
        var steps: [Step] = []
        /// How long it was to wait, at each step.
        var waits: [Int64] = []
        var isStopped = false
    }

    let input: Int32
    private let output: Int32
    private let record: Mutex<Record>
    private let bench: CommandBench

    init(_ bench: CommandBench, _ steps: [Step]) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        input = ends[0]
        output = ends[1]
        record = Mutex(Record(steps: steps))
        self.bench = bench
    }

    deinit {
        close(input)
        close(output)
    }

    var waits: [Int64] { record.withLock { $0.waits } }
    var isStopped: Bool { record.withLock { $0.isStopped } }

    func wait(for input: Int32, atMost milliseconds: Int64) throws -> Wake {
        while true {
            var watched = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            if poll(&watched, 1, 0) > 0 { return .input }
            let step = record.withLock { record in
                record.waits.append(milliseconds)
                return record.steps.isEmpty ? nil : record.steps.removeFirst()
            }
            switch try #require(step, "waited for more than the story has") {
            case .type(let text): write(text)
            case .signal(let number): return .signal(number)
            case .pass(let seconds):
                bench.wait(seconds: seconds)
                return .time
            case .sleep(let seconds, let typed):
                bench.wait(seconds: seconds)
                write(typed)
                return .time
            }
        }
    }

    func during<Result>(
        _ work: () throws -> Result, interrupt: @escaping @Sendable () -> Void
    ) rethrows -> Result { try work() }

    func stop() { record.withLock { $0.isStopped = true } }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(Glibc.write(output, bytes, bytes.count) == bytes.count)
    }
}
