import Coding
import LocalStore
import Replication
import Sync
import Synchronization
import TestSupport
import Testing

/// Does something once, before a push reaches the server or before its answer reaches the device.
private final class MeddledLine: Transport {
    enum Moment { case beforeTheMerge, beforeTheAnswer }

    private let inner: any Transport
    private let moment: Moment
    private let meddle: @Sendable () -> Void
    private let isDone = Atomic(false)

    init(_ inner: any Transport, _ moment: Moment, meddle: @escaping @Sendable () -> Void) {
        self.inner = inner
        self.moment = moment
        self.meddle = meddle
    }

    func send(_ call: WireCall) -> TransportOutcome {
        guard call.method == .post, !isDone.exchange(true, ordering: .relaxed) else {
            return inner.send(call)
        }
        if moment == .beforeTheMerge { meddle() }
        let outcome = inner.send(call)
        if moment == .beforeTheAnswer { meddle() }
        return outcome
    }

    func disconnect() { inner.disconnect() }
    func cancel() { inner.cancel() }
}

@Suite("Stories of what comes in between, and of what is cut short")
struct InterruptedStories {
    private func sync(_ device: StoreDevice, _ line: any Transport) -> CycleReport {
        Cycle(replica: device.store, transport: line).run().report
    }

    /// A colleague's answer on the record, in the feed as its next version.
    private static func colleagueAnswers(_ id: RecordID, on server: FakeServer) {
        server.state.withLock { state in
            guard var record = state.latest[id] else { return }
            record.version += 1
            record.fields["notes"] = WireRecord.Field(
                value: .string("theirs"), stamp: Stamp(lamport: 99, node: NodeID("other")),
                version: record.version)
            state.append(record)
        }
    }

    @Test(
        "T38 a colleague changes the same record while a push is under way: both answers stand",
        arguments: [true, false])
    func changedDuringPush(isBeforeTheMerge: Bool) throws {
        let device = try StoreDevice()
        let id = try device.newInspection()
        let server = FakeServer()
        #expect(sync(device, server.connect()).outcome == .synced)
        try device.store.set([("doors", .integer(4))], on: id)
        let line = MeddledLine(
            server.connect(), isBeforeTheMerge ? .beforeTheMerge : .beforeTheAnswer
        ) { Self.colleagueAnswers(id, on: server) }
        #expect(sync(device, line).outcome == .synced)
        let values = try device.store.values(of: id)
        #expect(values["notes"] == .string("theirs"))
        #expect(values["doors"] == .integer(4))
        try device.expectSettled()
    }

    @Test("T53 no pull that was cut short, and no death in it, begins again from the first page")
    func resumedPull() throws {
        let device = try StoreDevice()
        let server = FakeServer(pageSize: 2)
        for number in 0..<16 { server.publish(number) }
        server.plan([nil, .answerLost])
        #expect(!sync(device, server.connect()).isComplete)
        for calls in 1...8 {
            let left = Atomic(calls)
            let dying = DyingReplica(device.store) {
                left.subtract(1, ordering: .relaxed).newValue < 0
            }
            _ = Cycle(replica: dying, transport: server.connect()).run()
            try device.restart()
        }
        #expect(sync(device, server.connect()).outcome == .synced)
        let pulls = server.state.withLock { state in
            state.calls.map(\.path).filter { $0.hasPrefix("/api/v1/sync/pull") }
        }
        #expect(pulls.count { !$0.contains("cursor=") } == 1)
        #expect(try device.store.inspections().count == 16)
        try device.expectSettled()
    }

    @Test("T61 a pull that the store cannot take ends the cycle: nothing is pushed because of it")
    func failedPull() {
        let server = FakeServer()
        server.publish(1)
        // Held: it would be offered once more after a pull that went well.
        server.state.withLock { $0.verdicts = [Wire.id(1): .held] }
        let replica = FakeReplica([1])
        replica.throwOnce(in: "page")
        let report = Cycle(replica: replica, transport: server.connect()).run().report
        guard case .storeFailed = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(server.pushes == 1)
        #expect(replica.entries.map(\.mutation) == [Wire.mutation(1)])
        #expect(replica.entries.map(\.status) == [.pending])
        #expect(server.effects.isEmpty)
    }

    @Test(
        "F28 V23 the response is lost after the commit, over and over: exactly one record",
        arguments: [3, 10])
    func lostOverAndOver(times: Int) throws {
        let device = try StoreDevice()
        let server = FakeServer()
        let id = try device.newInspection()
        try device.store.set([("notes", .string("once"))], on: id)
        for _ in 0..<times {
            server.plan([.answerLost])
            #expect(!sync(device, server.connect()).isComplete)
            #expect(try device.store.outbox().map(\.retryCount) == [0])
        }
        #expect(sync(device, server.connect()).outcome == .synced)
        #expect(server.state.withLock { $0.latest.keys.map(\.rawValue) } == [id.rawValue])
        #expect(server.state.withLock { $0.latest[id]?.version } == 1)
        #expect(server.effects.values.allSatisfy { $0 == 1 })
        try device.expectSettled()
    }

    @Test(
        "F13 T08 dead at any step of a long drain: nothing twice, and nobody takes it for a copy",
        arguments: 0..<40)
    func deadInLongDrain(steps: Int) throws {
        let device = try StoreDevice()
        let server = FakeServer()
        server.state.withLock { $0.batons = Batons() }
        for number in 0..<9 {
            let id = try device.newInspection()
            try device.store.set([("doors", .integer(Int64(number)))], on: id)
        }
        let left = Atomic(steps)
        let dying = DyingReplica(device.store) {
            left.subtract(1, ordering: .relaxed).newValue < 0
        }
        _ = Cycle(replica: dying, transport: server.connect(), batchesOf: 2).run()
        try device.restart()
        let report = Cycle(replica: device.store, transport: server.connect(), batchesOf: 2).run()
            .report
        #expect(report.outcome == .synced)
        #expect(!report.hasNewNode)
        #expect(server.effects.count == 9)
        #expect(server.effects.values.allSatisfy { $0 == 1 })
        try device.expectSettled()
    }

    @Test("F06 three days off, and a clock that jumps both ways: the queue is as it was left")
    func daysOff() throws {
        let device = try StoreDevice()
        let server = FakeServer()
        for number in 0..<5 {
            let id = try device.newInspection()
            try device.store.set([("doors", .integer(Int64(number)))], on: id)
        }
        server.plan([.requestLost])
        _ = sync(device, server.connect())
        let left = try device.store.outbox()
        let day: Int64 = 86_400_000
        let monday = device.clock.now
        for instant in [monday + 3 * day, 0, 136 * 365 * day, monday - 365 * day, monday] {
            device.clock.set(to: instant)
            try device.restart()
            #expect(try device.store.outbox() == left)
            #expect(try device.store.status().pending == 5)
        }
        device.clock.set(to: monday + 3 * day)
        let report = Cycle.runOnDemand(
            replica: device.store, transport: server.connect(), now: device.clock.reading)
        #expect(report.outcome == .synced && report.pushed == 5)
        try device.expectSettled()
    }

    @Test(
        "T34 T35 F22 whatever the numbers, a full drain leaves nothing counted and *now* as last sync",
        arguments: [0, 1, 49, 50, 51], [0, 7])
    func drained(waiting: Int, published: Int) throws {
        let device = try StoreDevice()
        let server = FakeServer(pageSize: 7)
        for number in 0..<published { server.publish(number) }
        for number in 0..<waiting {
            _ = try device.newInspection()
            // Logged out and in again, as between two places of work.
            if number % 25 == 10 { try device.restart() }
        }
        device.clock.advance(seconds: 3600)
        let report = Cycle.runOnDemand(
            replica: device.store, transport: server.connect(), now: device.clock.reading)
        #expect(report.outcome == .synced && report.waiting.isEmpty)
        let status = try device.store.status()
        #expect(status.unsynced == 0 && status.state == "synced")
        #expect(status.oldestUnsyncedUtc == nil)
        #expect(status.lastSyncUtc == SyncTimestamp.text(device.clock.now))
        #expect(server.effects.count == waiting)
        try device.expectSettled()
    }
}
