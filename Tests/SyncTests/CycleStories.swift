import Replication
import Sync
import Synchronization
import TestSupport
import Testing

/// Whole cycles between a replica and a server in memory. Every story ends with *nothing pending*.
@Suite("Stories of a cycle")
struct CycleStories {
    private let server = FakeServer()

    private func run(_ replica: FakeReplica) -> CycleReport {
        Cycle(replica: replica, transport: server.connect()).run().report
    }

    /// Each mutation took effect once, and the queue is empty.
    private func expectSettled(
        _ replica: FakeReplica, _ numbers: ClosedRange<Int>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(replica.entries.isEmpty, "something is pending", sourceLocation: sourceLocation)
        let once = Dictionary(uniqueKeysWithValues: Wire.ids(numbers).map { ($0, 1) })
        #expect(server.effects == once, sourceLocation: sourceLocation)
    }

    @Test("an edit goes out, a colleague's comes in, and both sides agree")
    func wholeCycle() {
        let replica = FakeReplica([1, 2])
        server.publish(1)
        let report = run(replica)
        #expect(report.outcome == .synced)
        #expect(report.pushed == 2 && report.pulled == 3)
        expectSettled(replica, 1...2)
    }

    @Test(
        "T13 the number of pushes is exact, and the loop ends",
        arguments: zip([0, 1, 49, 50, 51, 100], [0, 1, 1, 1, 2, 2]))
    func exactPushes(waiting: Int, pushes: Int) {
        let replica = FakeReplica(Array(0..<waiting))
        #expect(run(replica).outcome == .synced)
        #expect(server.pushes == pushes)
        #expect(replica.entries.isEmpty)
    }

    @Test("a long cycle says how much of how much has gone, and a short one says nothing")
    func progress() {
        let replica = FakeReplica(Array(1...120))
        server.publish(500)
        var told: [CycleProgress] = []
        let cycle = Cycle(replica: replica, transport: server.connect()) { count in
            do {
                told.append(try count())
            } catch {
                Issue.record("it could not be counted: \(error)")
            }
        }
        #expect(cycle.run().report.outcome == .synced)
        #expect(told.map(\.pushed) == [50, 100, 120, 120])
        #expect(told.map(\.toPush) == [120, 120, 120, 120])
        let clock = FixedClock()
        let ticking = FakeServer { _ in clock.advance(milliseconds: 300) }
        var lines: [CycleProgress] = []
        let report = Cycle.runOnDemand(
            replica: FakeReplica(Array(1...120)), transport: ticking.connect(), now: clock.reading
        ) { lines.append($0) }
        #expect(report.outcome == .synced)
        #expect(lines.map(\.pushed) == [50, 120])
        lines = []
        _ = Cycle.runOnDemand(
            replica: FakeReplica(Array(1...120)), transport: server.connect(), now: clock.reading
        ) { lines.append($0) }
        #expect(lines.isEmpty)
    }

    @Test("T16 committed and then lost or answered with 500: one effect, and the item leaves")
    func lostAnswer() {
        for fault in [FakeServer.Fault.answerLost, .brokenAfterCommit, .deliveredTwice] {
            let server = FakeServer()
            let replica = FakeReplica([1])
            server.plan([fault])
            var reports = [CycleReport]()
            while reports.last?.outcome != .synced, reports.count < 3 {
                let cycle = Cycle(replica: replica, transport: server.connect())
                reports.append(cycle.run().report)
            }
            #expect(reports.last?.outcome == .synced, "\(fault)")
            #expect(replica.entries.isEmpty, "\(fault)")
            #expect(server.effects == [Wire.id(1): 1], "\(fault)")
        }
    }

    @Test(
        "T20 nothing that is not our server's answer takes anything from the queue",
        arguments: [
            FakeServer.Fault.captivePortal, .htmlError, .strangerAnswer, .requestLost,
            .unauthorised, .tooMany,
        ])
    func takesNothing(fault: FakeServer.Fault) {
        let replica = FakeReplica([1, 2, 3])
        server.plan([fault])
        let report = run(replica)
        #expect(!report.isComplete)
        #expect(report.waiting == OutboxCounts(pending: 3))
        #expect(replica.settled.isEmpty)
        #expect(run(replica).outcome == .synced)
        expectSettled(replica, 1...3)
    }

    @Test("T01 a store that is busy after the answer keeps the row, and no failure is counted")
    func busyAfterAnswer() {
        let replica = FakeReplica([1])
        replica.throwOnce(in: "settle")
        guard case .storeFailed = run(replica).outcome else {
            Issue.record("the failure went unnoticed")
            return
        }
        #expect(replica.entries.map(\.failures) == [0])
        #expect(run(replica).outcome == .synced)
        expectSettled(replica, 1...1)
    }

    @Test("T02 T14 an edit between the snapshot and the answer stays and goes in the same cycle")
    func editWhileInFlight() {
        let replica = FakeReplica([1])
        let server = FakeServer { call in
            if call.path.hasSuffix("/push"), replica.entries.count == 1, replica.settled.isEmpty {
                replica.edit(2)
            }
        }
        let report = Cycle(replica: replica, transport: server.connect()).run().report
        #expect(report.outcome == .synced)
        #expect(server.effects == [Wire.id(1): 1, Wire.id(2): 1])
        #expect(replica.entries.isEmpty)
    }

    @Test("T25 a replayed batch carries the same key and is settled as it was the first time")
    func replay() {
        let replica = FakeReplica([1, 2])
        server.plan([.answerLost])
        _ = run(replica)
        #expect(run(replica).outcome == .synced)
        let keys = server.state.withLock { $0.calls.compactMap(\.idempotencyKey) }
        #expect(keys.count == 2 && keys[0] == keys[1])
        expectSettled(replica, 1...2)
    }

    @Test("T37 T52 a page that cannot be stored moves no cursor, and each page writes it once")
    func pages() {
        let server = FakeServer(pageSize: 2)
        for number in 1...5 { server.publish(number) }
        let replica = FakeReplica()
        replica.throwOnce(in: "page")
        _ = Cycle(replica: replica, transport: server.connect()).run()
        #expect(replica.state.withLock { $0.cursor } == nil)
        let report = Cycle(replica: replica, transport: server.connect()).run().report
        #expect(report.outcome == .synced && report.pulled == 5)
        #expect(replica.state.withLock { $0.cursorWrites } == 3)
    }

    @Test("a form is fetched once")
    func forms() {
        server.state.withLock { $0.forms = [Wire.form("cold_chain_equipment")] }
        let replica = FakeReplica()
        #expect(run(replica).outcome == .synced)
        #expect(run(replica).outcome == .synced)
        let fetched = server.state.withLock { state in
            state.calls.count { $0.path == "/api/v1/forms/cold_chain_equipment/1" }
        }
        #expect(fetched == 1)
    }

    @Test("M15 rejected, conflicting and reviewed mutations leave the way free for the others")
    func verdicts() {
        server.state.withLock {
            $0.verdicts = [
                Wire.id(1): .rejected, Wire.id(2): .conflict, Wire.id(3): .quarantined,
                Wire.id(4): .held,
            ]
        }
        let replica = FakeReplica([1, 2, 3, 4, 5])
        let report = run(replica)
        #expect(report.outcome == .synced)
        #expect(
            report.waiting == OutboxCounts(pending: 1, failed: 1, conflict: 1, inReview: 1))
        #expect(replica.settled == [Wire.id(5)])
        #expect(report.pushed == 3)
    }

    @Test(
        "T08 a process that dies anywhere in a cycle stalls nothing",
        arguments: 0..<20 as Range<UInt64>)
    func crashes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let replica = FakeReplica(Array(1...120))
        for number in 1...7 { server.publish(number) }
        for _ in 0..<25 {
            let steps = Atomic(random.below(20))
            // The process is gone: nothing is carried out any more, and nothing is put back.
            let dying = DyingReplica(replica) {
                steps.subtract(1, ordering: .relaxed).newValue < 0
            }
            _ = Cycle(replica: dying, transport: server.connect()).run()
        }
        #expect(run(replica).outcome == .synced, "seed \(seed)")
        #expect(replica.entries.isEmpty, "seed \(seed)")
        #expect(server.effects.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        #expect(server.effects.count == 120, "seed \(seed)")
    }

    @Test(
        "whatever the network does, in the end everything is there once",
        arguments: 0..<60 as Range<UInt64>)
    func storm(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let replica = FakeReplica()
        var edits = 0
        for _ in 0..<20 {
            for _ in 0..<random.below(12) {
                edits += 1
                replica.edit(edits)
            }
            if random.oneIn(3) { server.publish(random.below(10) + 1, version: Int64(edits + 1)) }
            server.plan(
                (0..<random.below(4)).map { _ in
                    random.oneIn(3) ? nil : random.pick(FakeServer.Fault.allCases)
                })
            if random.oneIn(5) {
                replica.throwOnce(in: random.pick(["seal", "settle", "page", "recover"]))
            }
            _ = run(replica)
        }
        server.state.withLock { $0.faults = [] }
        replica.state.withLock { $0.throwing = [] }
        #expect(run(replica).outcome == .synced, "seed \(seed)")
        #expect(replica.entries.isEmpty, "seed \(seed): something is pending")
        #expect(server.effects.count == edits, "seed \(seed)")
        #expect(server.effects.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    }
}
