import Dispatch
import Replication
import Sync
import Synchronization
import TestSupport
import Testing

@Suite("Sync worker")
struct SyncWorkerTests {
    /// What the worker reported, and a way to wait for a report without sleeping.
    private final class Reports: Sendable {
        private let all = Mutex<[SyncState]>([])
        private let arrived = DispatchSemaphore(value: 0)

        func take(_ state: SyncState) {
            all.withLock { $0.append(state) }
            arrived.signal()
        }

        var states: [SyncState] { all.withLock { $0 } }

        /// False when nothing fitting came in ten seconds.
        func wait(until fits: (SyncState) -> Bool) -> Bool {
            while !states.contains(where: fits) {
                guard arrived.wait(timeout: .now() + 10) == .success else { return false }
            }
            return true
        }
    }

    private func worker(
        _ replica: FakeReplica, _ server: FakeServer, _ reports: Reports,
        clock: FixedClock = FixedClock()
    ) -> SyncWorker {
        var timing = Schedule.Timing()
        timing.afterEdit = 1
        return SyncWorker(
            replica: replica, connect: server.connect, timing: timing, now: clock.reading,
            random: { _ in 0 }, report: reports.take)
    }

    private func isSynced(_ state: SyncState) -> Bool {
        if case .resting(let report?) = state { report.outcome == .synced } else { false }
    }

    @Test("a start syncs in the background and says so")
    func start() {
        let replica = FakeReplica([1])
        let reports = Reports()
        let worker = worker(replica, FakeServer(), reports)
        worker.wake(.started)
        #expect(reports.wait(until: isSynced))
        worker.stop()
        #expect(reports.states.first == .syncing)
        #expect(replica.entries.isEmpty)
        #expect(replica.state.withLock { $0.notes.count } >= 1)
    }

    @Test("an edit made while a cycle runs is sent without another reason")
    func editDuringCycle() {
        let replica = FakeReplica([1])
        let holder = Mutex<SyncWorker?>(nil)
        let server = FakeServer { call in
            guard call.path == "/api/v1/forms", replica.entries.isEmpty,
                replica.settled.count == 1
            else { return }
            replica.edit(2)
            holder.withLock { $0 }?.wake(.edited)
        }
        let reports = Reports()
        let clock = FixedClock()
        let worker = worker(replica, server, reports, clock: clock)
        holder.withLock { $0 = worker }
        worker.wake(.started)
        #expect(
            reports.wait { _ in
                clock.advance(milliseconds: 1); return replica.settled.count == 2
            })
        worker.stop()
        #expect(server.effects == [Wire.id(1): 1, Wire.id(2): 1])
    }

    @Test("M17 on a metered connection an edit waits; on the next one it goes by itself")
    func metered() {
        let replica = FakeReplica()
        let server = FakeServer()
        let reports = Reports()
        let clock = FixedClock()
        let worker = worker(replica, server, reports, clock: clock)
        worker.note(DeviceConditions(isMetered: true))
        replica.edit(1)
        worker.wake(.edited)
        clock.advance(seconds: 1)
        #expect(server.pushes == 0)
        worker.note(DeviceConditions())
        #expect(reports.wait(until: isSynced))
        worker.stop()
        #expect(server.pushes == 1)
    }

    @Test("F15 background sync off: not one request, until a person asks; then one cycle")
    func background() {
        let replica = FakeReplica([1])
        let server = FakeServer()
        let reports = Reports()
        let clock = FixedClock()
        let worker = worker(replica, server, reports, clock: clock)
        worker.setBackground(on: false)
        for reason in [Schedule.Wake.started, .edited, .reconnected] {
            replica.edit(replica.entries.count + 1)
            worker.wake(reason)
            clock.advance(seconds: 3600)
        }
        #expect(server.state.withLock { $0.calls } == [])
        worker.wake(.demanded)
        #expect(reports.wait(until: isSynced))
        let calls = server.state.withLock { $0.calls }
        #expect(replica.entries.isEmpty && !calls.isEmpty)
        replica.edit(9)
        worker.wake(.edited)
        clock.advance(seconds: 3600)
        worker.stop()
        #expect(server.state.withLock { $0.calls } == calls)
    }

    @Test("F15 switched off, not one request is made, whatever happens; switched on, all goes")
    func networkSwitch() {
        let replica = FakeReplica([1])
        let server = FakeServer()
        let reports = Reports()
        let worker = worker(replica, server, reports)
        worker.setOnline(false)
        for reason in [Schedule.Wake.started, .edited, .reconnected, .demanded] {
            replica.edit(replica.entries.count + 1)
            worker.wake(reason)
        }
        #expect(reports.wait { $0 == .off })
        #expect(server.state.withLock { $0.calls } == [])
        worker.setOnline(true)
        #expect(reports.wait(until: isSynced))
        worker.stop()
        #expect(replica.entries.isEmpty)
        #expect(server.effects.count == 5)
    }

    @Test("T34 what was written while no worker ran goes with the next one, without being told of")
    func writtenBetweenWorkers() {
        let replica = FakeReplica([1])
        let server = FakeServer()
        for last in [1, 20, 21] {
            let reports = Reports()
            let worker = worker(replica, server, reports)
            worker.wake(.started)
            #expect(reports.wait(until: isSynced))
            worker.stop()
            #expect(server.effects.count == last)
            // Logged out: somebody writes, and nobody wakes anything.
            for number in (last + 1)..<(last == 1 ? 21 : 22) { replica.edit(number) }
        }
        #expect(server.effects.values.allSatisfy { $0 == 1 })
    }

    @Test("T35 a queue that cannot be emptied does not keep the worker busy, and is told by kind")
    func restsOverLeftovers() {
        let replica = FakeReplica([1, 2, 3, 4, 5])
        let server = FakeServer()
        server.state.withLock {
            $0.verdicts = [
                Wire.id(1): .rejected, Wire.id(2): .conflict, Wire.id(3): .quarantined,
                Wire.id(4): .held,
            ]
        }
        let reports = Reports()
        let worker = worker(replica, server, reports)
        worker.wake(.started)
        #expect(reports.wait(until: isSynced))
        worker.stop()
        guard case .resting(let report?) = reports.states.last else {
            Issue.record("the worker does not rest: \(reports.states)")
            return
        }
        #expect(
            report.waiting == OutboxCounts(pending: 1, failed: 1, conflict: 1, inReview: 1))
        #expect(!report.waiting.isEmpty)
    }

    @Test("stop ends a running call and waits for the cycle; nothing begins afterwards")
    func stop() {
        let entered = DispatchSemaphore(value: 0)
        let server = LoopbackServer { connection in
            entered.signal()
            connection.waitForClose()
        }
        let replica = FakeReplica([1])
        let reports = Reports()
        let port = server.port
        let worker = SyncWorker(
            replica: replica,
            connect: {
                guard let address = try? ServerAddress(parsing: "http://127.0.0.1:\(port)") else {
                    return FakeServer().connect()
                }
                return CurlTransport(
                    address: address, trust: .anyone,
                    credentials: CurlTransport.Credentials(token: "t", node: "n"))
            },
            now: FixedClock().reading, random: { _ in 0 }, report: reports.take)
        worker.wake(.started)
        #expect(entered.wait(timeout: .now() + 10) == .success)
        worker.stop()
        #expect(replica.entries.map(\.status) == [.pending])
        worker.wake(.demanded)
        #expect(server.requests.count == 1)
    }

    @Test("sync on demand honours the server's floor, also from the next process")
    func onDemand() {
        let replica = FakeReplica([1])
        let server = FakeServer()
        let clock = FixedClock()
        server.plan([.tooMany])
        let sync = {
            Cycle.runOnDemand(
                replica: replica, transport: server.connect(), now: { clock.now })
        }
        #expect(
            sync().outcome
                == .refused(
                    Refusal(
                        .busy, status: 429, retryAfterSeconds: 2, code: "too_many",
                        message: "too_many")))
        let calls = server.state.withLock { $0.calls.count }
        #expect(sync().outcome == .refused(Refusal(.busy, retryAfterSeconds: 2)))
        #expect(server.state.withLock { $0.calls.count } == calls)
        clock.advance(seconds: 2)
        #expect(sync().outcome == .synced)
        #expect(replica.state.withLock { $0.floor } == nil)
    }
}
