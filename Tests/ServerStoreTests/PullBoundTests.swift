import Coding
import Forms
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// A page is bounded in everything that it carries.
@Suite("Conformance: the bounds of a page")
struct PullBoundTests {
    private let text = FieldValue.string(String(repeating: "x", count: 60_000))

    @Test("decisions count too, and none is passed over", arguments: Backend.allCases)
    func decisions(backend: Backend) throws {
        let yard = try Yard(backend)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        let ids = (0..<12).map { RecordID("i\($0)") }
        for id in ids {
            try first.push(
                first.begin(id, asset: ImportedID.asset("A1"), ["notes": text, "place": text]))
        }
        try first.pull()
        try second.pull()
        for id in ids { try first.push(first.change(id, ["pressure": .integer(1)])) }
        for id in ids {
            let verdicts = try second.push(second.change(id, ["pressure": .integer(2)]))
            #expect(verdicts.map(\.status) == [.quarantined])
        }
        for item in try yard.store.openReviews() {
            try yard.store.resolve(
                review: item.id, .mine, comment: nil, by: Supervisor(name: "kim"))
        }
        var pages = 0
        repeat {
            try second.pullPage()
            pages += 1
            #expect((second.lastPage?.json.serialized().count ?? 0) <= 1 << 20, "page \(pages)")
        } while second.lastPage?.hasMore == true
        #expect(pages >= 3, "some three megabytes in all")
        #expect(second.results.count == 12)
        #expect(Set(second.results.map(\.status)) == [.merged])
        #expect(
            second.confirmed.filter { $0.value.fields["pressure"]?.value == .integer(2) }.count
                == 12)
    }

    @Test("decisions alone are paged by the limit", arguments: Backend.allCases, [1, 2, 5])
    func fewDecisions(backend: Backend, limit: Int) throws {
        let yard = try Yard(backend)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        let ids = try (10..<15).map { try yard.assign(due: "2026-03-\($0)") }
        try first.pull()
        try second.pull()
        for id in ids { try first.push(first.change(id, ["pressure": .integer(1)])) }
        for id in ids { try second.push(second.change(id, ["pressure": .integer(2)])) }
        try second.pull()
        // What stands is kept: only the verdict changes, no record.
        for item in try yard.store.openReviews() {
            try yard.store.resolve(
                review: item.id, .theirs, comment: nil, by: Supervisor(name: "kim"))
        }
        repeat {
            try second.pullPage(limit: Int64(limit))
            #expect(try #require(second.lastPage).results.count <= limit)
        } while second.lastPage?.hasMore == true
        #expect(second.results.count == 5)
        #expect(second.lastPage?.digest != nil)
    }

    /// Both decisions on a mutation are one entry of the page, which must not hide what is behind.
    @Test("two decisions on one mutation pass over nothing", arguments: Backend.allCases)
    func twoColumns(backend: Backend) throws {
        let yard = try Yard(backend)
        let questions = ["pressure", "temperature"].map { path in
            Question(path: path, label: path, type: .decimal, merge: "quarantine")
        }
        try yard.store.publish(
            FormDefinition(
                id: "cold", version: "2", title: "Cold",
                sections: [Section(name: "all", title: "All", questions: questions)]))
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        let ids = (0..<3).map { RecordID("i\($0)") }
        for id in ids {
            try first.push(first.begin(id, asset: nil, [BuiltInField.formVersion: .string("2")]))
        }
        try first.pull()
        try second.pull()
        for id in ids {
            func both(_ number: Int64) -> [FieldName: FieldValue] {
                ["pressure": .integer(number), "temperature": .integer(number)]
            }
            try first.push(first.change(id, both(1)))
            try second.push(second.change(id, both(2)))
        }
        try second.pull()
        for item in try yard.store.openReviews().sorted(by: { $0.record < $1.record }) {
            try yard.store.resolve(
                review: item.id, .theirs, comment: nil, by: Supervisor(name: "kim"))
        }
        try second.pull(limit: 1)
        #expect(second.results.map(\.status) == [.merged, .merged, .merged])
    }

    @Test(
        "a small team on a large server gets its few records, wherever they lie",
        arguments: Backend.allCases, [1, 2, 500])
    func sparse(backend: Backend, limit: Int64) throws {
        let yard = try Yard(backend)
        let south = try yard.enrol("s", team: "south")
        func fill(_ month: Int) throws {
            _ = try yard.store.importAssignments(
                (2027..<2327).map {
                    AssignmentRow(asset: "A1", form: "cold", due: "\($0)-0\(month)-01")
                })
        }
        for month in 1...3 {
            try fill(month)
            try south.push(south.begin(RecordID("loose\(month)"), asset: nil))
            try south.push(south.begin(RecordID("i\(month)"), asset: ImportedID.asset("A2")))
        }
        try fill(4)
        let late = try yard.enrol("late", team: "south")
        try late.pull(limit: limit)
        #expect(late.confirmed.count == 8)
        #expect(try late.confirmed == yard.everything(team: "south"))
        let report = try #require(late.lastPage?.digest)
        #expect(report.sites.filter { $0.value != SiteDigest() } == late.digests)
        let cursor = late.cursor
        try late.pull()
        #expect(late.cursor == cursor && late.lastPage?.deltaRecords == [])
    }

    @Test(
        "T40 an answer never grows beyond what a device reads, and each mutation gets its verdict",
        arguments: Backend.allCases)
    func fullRecords(backend: Backend) throws {
        let yard = try Yard(backend)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        let names = (0..<60).map { "f\($0)" }
        func values(_ value: FieldValue) -> [FieldName: FieldValue] {
            Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
        }
        try first.push(first.begin("i", asset: nil))
        for id: RecordID in ["f1", "f2"] {
            try first.push(
                first.mutation(
                    id, table: RecordTable.finding, parent: "i", .insert, values(.string("x"))))
        }
        try second.pull()
        try first.pull()
        for id: RecordID in ["f1", "f2"] { try first.push(first.change(id, values(text))) }
        var waiting = ["f1", "f2"].map { second.change(RecordID($0), values(.string("y"))) }
        var rounds = 0
        while !waiting.isEmpty, rounds < 5 {
            let request = second.request(waiting)
            let answer = try yard.store.push(
                request, from: second.device, idempotencyKey: request.idempotencyKey)
            second.baton = answer.baton
            #expect(answer.json.serialized().count < 8 << 20)
            #expect(answer.results.map(\.status) == [.conflict])
            #expect(answer.results[0].conflicts.count == 60)
            #expect(answer.results[0].record == nil, "it comes by pull")
            #expect(try second.push(waiting[0])[0].conflicts.count == 60, "and again the same")
            waiting.removeFirst(answer.results.count)
            rounds += 1
        }
        #expect(rounds == 2)
        try second.pull()
        #expect(
            try second.push(second.change("f1", values(.string("z")))).map(\.status) == [.applied])
        let large = second.change("f2", values(text)).changes.mapValues { change in
            FieldChange(
                value: .string(String(repeating: "w", count: 60_000)), baseVersion: 1,
                lamport: change.lamport)
        }
        var mutation = second.change("f2", [:])
        mutation.changes = large
        #expect(try second.push(mutation)[0].error?.code == "record_full")
    }

    @Test(
        "what left the scope is told in parts, before what joined it",
        arguments: Backend.allCases)
    func removed(backend: Backend) throws {
        let yard = try Yard(backend)
        for day in 10...29 { try yard.assign(due: "2026-03-\(day)") }
        let device = try yard.enrol("a")
        try device.pull()
        #expect(device.confirmed.count == 22)
        _ = try yard.store.importSites([
            SiteRow(id: "S1", name: "Dock", team: "south"),
            SiteRow(id: "S2", name: "Hold", team: "north"),
        ])
        var parts: [Int] = []
        var told: Set<RecordID> = []
        repeat {
            try device.pullPage(limit: 1)
            let page = try #require(device.lastPage)
            if !page.removed.isEmpty { parts.append(page.removed.count) }
            told.formUnion(page.removed)
            // Changes of what is yet to be told do not lose it.
            if parts.count == 1, page.deltaRecords.isEmpty {
                _ = try yard.store.importSites([SiteRow(id: "S1", name: "Quay", team: "south")])
            }
        } while device.lastPage?.hasMore == true
        #expect(parts.count >= 3 && parts.allSatisfy { $0 <= 10 }, "\(parts)")
        #expect(told.count == 22)
        #expect(device.confirmed.count == 2)
        let report = try #require(device.lastPage?.digest)
        #expect(report.sites.filter { $0.value != SiteDigest() } == device.digests)
    }

    @Test("counts what there is, also where a device reports nonsense", arguments: Backend.allCases)
    func census(backend: Backend) throws {
        let yard = try Yard(backend)
        try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        for device in [first, second] {
            _ = try yard.store.pull(
                PullRequest(cursor: nil, report: DeviceReport(pending: .max)), by: device.device)
            try device.push([])
        }
        try yard.store.revokeDevice(id: second.device.id)
        try first.push(first.begin("loose", asset: nil))
        try first.push(first.begin("gone", asset: nil))
        try first.pull()
        try first.push(first.delete("gone"))
        let census = try yard.store.census()
        #expect(census.epoch == yard.clock.now)
        #expect(census.teams == 2 && census.forms == 1)
        #expect(census.devices == 1 && census.revokedDevices == 1)
        #expect(census.inspections == 2 && census.openReviews == 0)
        #expect(census.pending == 2_000_000_000)
    }
}
