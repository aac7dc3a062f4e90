import Coding
import Dispatch
import ServerStore
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("walkdownd prune", .timeLimit(.minutes(10)))
struct PruningTests {
    @Test("says what it did, in words and as a document", arguments: [false, true])
    func command(serving: Bool) throws {
        let office = try Office()
        func check() throws {
            #expect(office.call("prune").output == "0 pruned, 0 waiting\n")
            let report = try office.json("prune")
            #expect(try report.integer("pruned") == 0)
            #expect(try report.integer("waiting") == 0)
            #expect(try report.array("waitsFor") { value throws(CodingError) in value } == [])
            #expect(office.call("prune", "--trust-clock").output == "0 pruned, 0 waiting\n")
        }
        if serving { try office.serve { _ in try check() } } else { try check() }
    }

    @Test("a server prunes after its start and again each day, also after a failure")
    func daily() throws {
        let server = try TestServer()
        let calls = Calls()
        let store = GuardedStore(store: server.store) { _ in try calls.note() }
        let log = Log(now: server.clock.reading) { line in calls.lines.withLock { $0.append(line) }
        }
        let pruning = DailyPruning(
            store, log: log, first: .milliseconds(0), interval: .milliseconds(1))
        for _ in 0..<3 { #expect(calls.made.wait(timeout: .now() + 60) == .success) }
        pruning.stop()
        let lines = calls.lines.withLock { $0 }
        #expect(lines.first?.contains("pruning_failed") == true)
        #expect(lines.dropFirst().allSatisfy { $0.contains("\"pruned\"") })
        #expect(lines.count >= 3)
    }
}

/// Counts the calls; the first one fails.
private final class Calls: Sendable {
    struct Fault: Error {}

    let made = DispatchSemaphore(value: 0)
    let lines = Mutex<[String]>([])
    private let count = Atomic<Int>(0)

    func note() throws {
        defer { made.signal() }
        if count.wrappingAdd(1, ordering: .relaxed).oldValue == 0 { throw Fault() }
    }
}
