import Dispatch
import Sync
import Synchronization
import TestSupport
import Testing

@Suite("Upkeep between cycles")
struct UpkeepTests {
    private let replica = FakeReplica([1])
    private let server = FakeServer()
    private let clock = FixedClock()

    private func sync() -> CycleReport {
        Cycle.runOnDemand(replica: replica, transport: server.connect(), now: clock.reading)
    }

    private var upkeeps: Int { replica.state.withLock { $0.upkeeps } }

    @Test("it comes when all is exchanged, and not after a cycle that was cut short")
    func onlyWhenDone() {
        server.plan([.tooMany])
        _ = sync()
        #expect(upkeeps == 0)
        clock.advance(seconds: 60)
        #expect(sync().outcome == .synced)
        #expect(upkeeps == 1)
    }

    @Test("a purge that fails fails no cycle")
    func failure() {
        replica.throwOnce(in: "upkeep")
        #expect(sync().outcome == .synced)
        #expect(replica.entries.isEmpty)
    }

    @Test("the worker's upkeep gives way as soon as somebody asks for a cycle")
    func givesWay() {
        let seen = Seen()
        let replica = replica
        let made = SyncWorker(
            replica: replica, connect: server.connect, now: clock.reading, random: { _ in 0 },
            report: { _ in
                switch seen.next() {
                // Syncing, at rest: the first upkeep is about to begin.
                case 2: seen.worker.withLock { $0 }?.wake(.demanded)
                // The second cycle begins: the first upkeep is over.
                case 3: seen.end(slices: replica.state.withLock { $0.slices })
                default: break
                }
            })
        seen.worker.withLock { $0 = made }
        made.wake(.started)
        #expect(seen.wait() == 0)
        made.stop()
        #expect(upkeeps >= 1)
    }

    /// What the worker's queue sees, for the test to wait for.
    private final class Seen: Sendable {
        let worker = Mutex<SyncWorker?>(nil)
        private let reports = Mutex(0)
        private let slices = Mutex<Int?>(nil)
        private let isOver = DispatchSemaphore(value: 0)

        func next() -> Int {
            reports.withLock { count in
                count += 1
                return count
            }
        }

        func end(slices count: Int) {
            slices.withLock { $0 = count }
            isOver.signal()
        }

        /// Nil where nothing came in ten seconds.
        func wait() -> Int? {
            _ = isOver.wait(timeout: .now() + 10)
            return slices.withLock { $0 }
        }
    }
}
