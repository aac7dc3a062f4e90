import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

@Suite("Conformance: pull")
struct PullTests {
    @Test(
        "T44 records of one instant come in pages without a gap, whatever their size",
        arguments: Backend.allCases)
    func pages(backend: Backend) throws {
        let yard = try Yard(backend)
        for day in 10...29 { try yard.assign(due: "2026-03-\(day)") }
        let whole = try yard.everything()
        #expect(whole.count == 22)
        for limit in [1, 3, 22, 500] {
            let device = try yard.enrol("pages\(limit)")
            try device.pull(limit: Int64(limit))
            #expect(device.confirmed == whole, "limit \(limit)")
            let pages = device.cursor
            try device.pull()
            #expect(device.lastPage?.deltaRecords == [])
            #expect(device.cursor == pages, "nothing changed, so the cursor stays")
        }
    }

    @Test("a page ends at a mebibyte", arguments: Backend.allCases)
    func bytes(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let writer = try yard.enrol("a")
        try writer.pull()
        let text = String(repeating: "x", count: 60_000)
        try writer.push(writer.change(id, ["notes": .string(text), "place": .string(text)]))
        for index in 0..<20 {
            try writer.push(
                writer.begin(
                    RecordID("i\(index)"), asset: ImportedID.asset("A1"),
                    ["notes": .string(text), "place": .string(text)]))
        }
        let reader = try yard.enrol("b")
        var pages = 0
        repeat {
            try reader.pullPage()
            pages += 1
            let size = reader.lastPage?.json.serialized().count ?? 0
            #expect(size <= 1 << 20, "page \(pages)")
        } while reader.lastPage?.hasMore == true
        #expect(pages >= 3)
        #expect(reader.confirmed.count == 23)
    }

    @Test(
        "an answer names as many mutations as it has room for, the rest comes again",
        arguments: Backend.allCases)
    func answerBytes(backend: Backend) throws {
        let yard = try Yard(backend)
        let writer = try yard.enrol("a")
        // Counted as six bytes each, as a control character may have in JSON.
        let text = FieldValue.string(String(repeating: "\n", count: 60_000) + "x")
        let ids = (0..<10).map { RecordID("i\($0)") }
        for id in ids {
            try writer.push(writer.begin(id, asset: nil, ["notes": text, "place": text]))
        }
        var waiting = ids.map { writer.change($0, ["high": .integer(1)]) }
        var rounds = 0
        while !waiting.isEmpty, rounds < 10 {
            let request = writer.request(waiting)
            let answer = try yard.store.push(
                request, from: writer.device, idempotencyKey: request.idempotencyKey)
            #expect(answer.json.serialized().count < 8 << 20)
            #expect(answer.results.allSatisfy { $0.status == .applied })
            waiting.removeFirst(answer.results.count)
            rounds += 1
        }
        #expect(rounds == 2)
    }

    @Test(
        "the digest belongs to the last page and equals the device's own",
        arguments: Backend.allCases)
    func digest(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pullPage(limit: 1)
        #expect(device.lastPage?.digest == nil)
        try device.pull()
        try device.push(device.change(id, ["notes": .string("x")]))
        try device.push(device.begin("loose", asset: nil, ["high": .integer(3)]))
        try device.push(device.begin("gone", asset: nil))
        try device.push(device.delete("gone"))
        try device.pull()
        let report = try #require(device.lastPage?.digest)
        #expect(report.position == device.cursor)
        #expect(report.sites.filter { $0.value != SiteDigest() } == device.digests)
        #expect(device.digests.keys.sorted() == ["", ImportedID.site("S1").rawValue])
    }

    @Test(
        "a device sees its team's sites and what its team made without one",
        arguments: Backend.allCases)
    func scope(backend: Backend) throws {
        let yard = try Yard(backend)
        let (north, south) = (try yard.enrol("n"), try yard.enrol("s", team: "south"))
        try north.push(north.begin("loose", asset: nil))
        try north.pull()
        try south.pull()
        #expect(
            Set(north.confirmed.keys)
                == [ImportedID.site("S1"), ImportedID.asset("A1"), "loose"])
        #expect(Set(south.confirmed.keys) == [ImportedID.site("S2"), ImportedID.asset("A2")])
        let verdict = try south.push(
            south.mutation("loose", table: "inspection", parent: nil, .update, ["notes": .null]))[0]
        #expect(verdict.status == .rejected && verdict.record == nil)
    }

    @Test(
        "a site that changes teams leaves one scope and joins the other",
        arguments: Backend.allCases)
    func moved(backend: Backend) throws {
        let yard = try Yard(backend)
        let (north, south) = (try yard.enrol("n"), try yard.enrol("s", team: "south"))
        for day in 10...14 { try yard.assign(due: "2026-03-\(day)") }
        try north.pull()
        try south.pull()
        let before = north.confirmed
        let moved = try yard.store.importSites([SiteRow(id: "S1", name: "Dock", team: "south")])
        #expect(moved.updated == 1)
        let late = try yard.assign(due: "2026-03-20")
        try north.pull(limit: 2)
        try south.pull(limit: 2)
        #expect(north.confirmed.isEmpty)
        #expect(before.keys.allSatisfy { south.confirmed[$0] != nil })
        #expect(south.confirmed[late] != nil)
        let report = try #require(south.lastPage?.digest)
        #expect(report.sites.filter { $0.value != SiteDigest() } == south.digests)
        let back = try yard.store.importSites([SiteRow(id: "S1", name: "Dock", team: "north")])
        #expect(back.updated == 1)
        try north.pull()
        #expect(north.confirmed.count == before.count + 1)
    }

    @Test(
        "what is answered about a record that has left the scope does not bring it back",
        arguments: Backend.allCases)
    func answerOutOfScope(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        try second.pull()
        try first.push(first.change(id, ["pressure": .integer(150)]))
        let quarantined = second.change(id, ["pressure": .integer(160)])
        #expect(try second.push(quarantined).map(\.status) == [.quarantined])
        _ = try yard.store.importSites([SiteRow(id: "S1", name: "Dock", team: "south")])
        let repeated = try second.push(quarantined)[0]
        #expect(repeated.status == .quarantined && repeated.record == nil)
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: Supervisor(name: "kim"))
        try second.pull()
        #expect(second.results.map(\.status) == [.merged])
        #expect(second.results.allSatisfy { $0.record == nil })
        #expect(second.confirmed.isEmpty)
    }

    @Test(
        "a cursor of another server, from the future or made up is refused",
        arguments: Backend.allCases)
    func cursors(backend: Backend) throws {
        let yard = try Yard(backend)
        let device = try yard.enrol("a")
        try device.pull()
        let parts = try #require(device.cursor).split(separator: ".").map(String.init)
        func pull(_ cursor: String) -> ServerStoreError.Code? {
            device.cursor = cursor
            return refusal { try device.pullPage() }
        }
        #expect(
            pull([parts[0] + "0", parts[1], parts[2]].joined(separator: ".")) == .cursorExpired)
        #expect(pull([parts[0], "zzzz", parts[2]].joined(separator: ".")) == .cursorExpired)
        for wrong in [
            "", "x", "1.2", "1.-2.3", "1.2.3.4", "1..2", String(repeating: "1.", count: 80),
        ] {
            #expect(pull(wrong) == .badCursor, "\(wrong)")
        }
    }

    @Test(
        "T89 what a device counted, and when it came, is kept for the list",
        arguments: Backend.allCases)
    func report(backend: Backend) throws {
        let yard = try Yard(backend)
        let device = try yard.enrol("a")
        _ = try yard.store.pull(
            PullRequest(
                cursor: nil,
                report: DeviceReport(
                    pending: 7, oldestUnsyncedUtc: "2026-03-01T00:00:00.000Z")),
            by: device.device)
        try device.push([])
        let row = try #require(try yard.store.devices().first)
        #expect(row.report.pending == 7)
        #expect(row.report.oldestUnsyncedUtc == "2026-03-01T00:00:00.000Z")
        #expect(row.lastPull == yard.clock.now && row.lastPush == yard.clock.now)
    }
}
