import Coding
import Replication
import ServerStore
import TestSupport
import Testing

/// What devices say of their queues.
@Suite("Conformance: F18 what devices report")
struct ReportTests {
    private func report(
        _ pending: Int64?, failed: Int64? = 0, conflict: Int64? = 0, inReview: Int64? = 0
    ) -> DeviceReport {
        DeviceReport(
            pending: pending, failed: failed, conflict: conflict, inReview: inReview,
            oldestUnsyncedUtc: pending == 0 ? nil : "2026-03-01T00:00:00.000Z")
    }

    private func pull(_ yard: Yard, _ device: Handheld, _ report: DeviceReport) throws {
        _ = try yard.store.pull(PullRequest(cursor: nil, report: report), by: device.device)
        try device.push([])
    }

    private func row(_ yard: Yard) throws -> Device {
        try #require(try yard.store.devices().first)
    }

    @Test(
        "F18 refused and undecided changes are counted per device, with the time",
        arguments: Backend.allCases)
    func counted(backend: Backend) throws {
        let yard = try Yard(backend)
        let device = try yard.enrol("a")
        #expect(try row(yard).report == DeviceReport() && row(yard).lastReport == nil)
        let told = report(9, failed: 3, conflict: 2, inReview: 1)
        try pull(yard, device, told)
        #expect(try row(yard).report == told)
        #expect(try row(yard).lastReport == yard.clock.now)
        let census = try yard.store.census()
        #expect(census.pending == 9 && census.failed == 3)
        #expect(census.conflict == 2 && census.inReview == 1)
        yard.clock.advance(seconds: 61)
        try pull(yard, device, report(0))
        #expect(try row(yard).report == report(0))
        #expect(try row(yard).lastReport == yard.clock.now)
        #expect(try yard.store.census().failed == 0)
    }

    @Test(
        "F18 what was decided here and is still counted there is told until the device counts anew",
        arguments: Backend.allCases)
    func decidedSince(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.change(id, ["pressure": .integer(1), "notes": .string("a")]))
        for field in ["pressure", "notes"] {
            let value: FieldValue = field == "notes" ? .string("b") : .integer(2)
            try second.push(second.change(id, [field: value]))
        }
        func told() throws -> Int64 {
            try yard.store.decidedSinceReports()[second.device.id] ?? 0
        }
        func pull(_ report: DeviceReport) throws {
            _ = try yard.store.pull(
                PullRequest(cursor: second.cursor, report: report), by: second.device)
            try second.push([])
        }
        try pull(report(2, conflict: 1, inReview: 1))
        #expect(try told() == 0)
        let review = try yard.review(of: "pressure")
        try yard.store.resolve(
            review: review.id, .mine, comment: nil, by: Supervisor(name: "kim"))
        #expect(try told() == 1, "the conflict is the inspector's own")
        // It counts before it reads the answer that brings the decision.
        yard.clock.advance(seconds: 61)
        try pull(report(2, conflict: 1, inReview: 1))
        #expect(try told() == 1)
        try second.pull()
        yard.clock.advance(seconds: 61)
        try pull(report(1, conflict: 1))
        #expect(try told() == 0)
        // From the beginning once more: what was heard long ago is no more than what is counted.
        second.cursor = nil
        try pull(report(0))
        #expect(try told() == 0)
    }

    @Test("F18 a heartbeat says the same as a pull", arguments: Backend.allCases)
    func heartbeat(backend: Backend) throws {
        let yard = try Yard(backend)
        let device = try yard.enrol("a")
        let told = report(4, failed: 4)
        let answer = try yard.store.note(told, of: device.device)
        #expect(try answer.serverEpoch == yard.store.serverEpoch())
        try device.push([])
        #expect(try row(yard).report == told)
        #expect(try row(yard).lastPull == nil, "it has not pulled")
    }

    @Test(
        "a device of an older version says less, and one that says nothing takes nothing back",
        arguments: Backend.allCases)
    func older(backend: Backend) throws {
        let yard = try Yard(backend)
        let device = try yard.enrol("a")
        let told = report(2, failed: 1)
        try pull(yard, device, told)
        try pull(yard, device, DeviceReport())
        #expect(try row(yard).report == told)
        let less = DeviceReport(pending: 2)
        try pull(yard, device, less)
        #expect(try row(yard).report == less, "what it does not count is not known any more")
    }

    @Test(
        "who has nothing new to tell is noted once a minute, whatever the clock does",
        arguments: Backend.allCases)
    func unchanged(backend: Backend) throws {
        let yard = try Yard(backend)
        let device = try yard.enrol("a")
        let told = report(2)
        try pull(yard, device, told)
        let first = yard.clock.now
        yard.clock.advance(seconds: 59)
        try pull(yard, device, told)
        #expect(try row(yard).lastReport == first && row(yard).lastPull == first)
        yard.clock.advance(seconds: 1)
        try pull(yard, device, told)
        #expect(try row(yard).lastReport == yard.clock.now)
        #expect(try row(yard).lastPull == yard.clock.now)
        yard.clock.advance(seconds: -3600)
        try pull(yard, device, told)
        #expect(try row(yard).lastReport == yard.clock.now, "the clock was set back")
    }
}
