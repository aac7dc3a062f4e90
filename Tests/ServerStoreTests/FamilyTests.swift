import Coding
import Inspections
import Replication
import ServerStore
import Testing

@Suite("Conformance: records below records")
struct FamilyTests {
    @Test(
        "T70 F27 below a deleted inspection nothing is taken into the void; restored, it all goes on",
        arguments: Backend.allCases)
    func belowDeleted(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        func child(_ name: RecordID, _ table: String, of parent: RecordID, by device: Handheld)
            -> Mutation
        {
            device.mutation(name, table: table, parent: parent, .insert, ["text": .string("leak")])
        }
        try first.push([
            first.row("r1", under: id),
            first.row("r2", of: "part/piece", under: "r1"),
            child("f1", RecordTable.finding, of: id, by: first),
        ])
        try second.pull()
        #expect(try first.push(first.delete(id))[0].status == .applied)

        let late = [
            child("f2", RecordTable.finding, of: id, by: second),
            second.row("r3", of: "part/piece", under: "r1"),
            second.row("r4", of: "part/piece/chip", under: "r2"),
            second.change("f1", ["text": .string("large leak")]),
            second.change("r2", ["part/piece/text": .string("dry")]),
        ]
        let refused = try second.push(late)
        #expect(refused.map(\.status) == [Verdict.Status](repeating: .rejected, count: 5))
        #expect(Set(refused.compactMap(\.error?.code)) == ["parent_deleted"])
        #expect(refused.allSatisfy { $0.error?.message.contains("was deleted") == true })
        let whole = try yard.everything()
        #expect(whole["f2"] == nil && whole["r3"] == nil && whole["r4"] == nil)
        #expect(whole["f1"]?.version == 1)
        // What lies there may be taken away, and the next inspection is not concerned.
        #expect(try second.push(second.delete("f1"))[0].status == .applied)
        #expect(try second.push(second.begin("i2", asset: nil))[0].status == .applied)

        let restored = first.change(id, [Mutation.deletedField: .integer(0)])
        #expect(try first.push(restored)[0].status == .applied)
        let retried = late.filter { $0.record != "f1" }
        #expect(try second.push(retried).allSatisfy { $0.status == .applied })
        try first.pull()
        try second.pull()
        #expect(first.confirmed == second.confirmed)
        #expect(first.value("r2", "part/piece/text") == .string("dry"))
        let report = try #require(first.lastPage?.digest)
        #expect(report.sites.filter { $0.value != SiteDigest() } == first.digests)
    }

    @Test(
        "T59 F55 create and two changes end the same in whichever order they arrive",
        arguments: Backend.allCases)
    func orders(backend: Backend) throws {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let yard = try Yard(backend)
            let device = try yard.enrol("a")
            try device.pull()
            let run = [
                device.begin("i1", asset: nil, ["notes": .string("first")]),
                device.change("i1", ["notes": .string("second"), "high": .integer(2)]),
                device.change("i1", ["notes": .string("third")]),
            ]
            var waiting = order.map { run[$0] }
            // What is held comes again with the next batch; each alone, so that none helps another.
            for _ in 0..<3 {
                waiting = try waiting.filter { try device.push($0)[0].status == .held }
            }
            #expect(waiting.isEmpty, "\(order)")
            let record = try #require(try yard.everything()["i1"])
            #expect(record.fields["notes"]?.value == .string("third"), "\(order)")
            #expect(record.fields["high"]?.value == .integer(2), "\(order)")
            #expect(try yard.store.openReviews() == [], "\(order)")
        }
    }

    @Test(
        "V19 two devices make the same id offline: what differs is asked about, nothing is dropped",
        arguments: Backend.allCases)
    func sameID(backend: Backend) throws {
        let yard = try Yard(backend)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.push(
            first.begin("twin", asset: nil, ["notes": .string("dry"), "high": .integer(1)]))
        let verdict = try second.push(
            second.begin("twin", asset: nil, ["notes": .string("wet"), "low": .integer(2)]))[0]
        #expect(verdict.status == .conflict)
        #expect(verdict.conflicts.map(\.column) == ["notes"])
        #expect(verdict.conflicts.first?.mine == .string("wet"))
        #expect(verdict.conflicts.first?.theirs == .string("dry"))
        try first.pull()
        try second.pull()
        #expect(first.confirmed == second.confirmed)
        for (field, value) in ["high": 1, "low": 2] as [FieldName: Int64] {
            #expect(first.value("twin", field) == .integer(value))
        }
        try second.push(second.change("twin", ["notes": .string("wet")]))
        try first.pull()
        #expect(first.value("twin", "notes") == .string("wet"))
    }

    @Test(
        "V28 a whole record on a stale base replaces nothing that others have entered since",
        arguments: Backend.allCases)
    func staleRecord(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, old) = (try yard.enrol("a"), try yard.enrol("old"))
        try first.pull()
        try old.pull()
        let entered: [FieldName: FieldValue] = [
            "notes": .string("wet"), "pressure": .integer(150), "place": .string("dock"),
            "high": .integer(9), "health": .string("CRITICAL"), "tags": .string("red cold"),
        ]
        try first.push(first.change(id, entered))
        // A device that lay in a drawer sends every field, as a file of its own would hold them.
        let verdict = try old.push(
            old.change(
                id,
                [
                    "notes": .string("old"), "pressure": .integer(1), "high": .integer(1),
                    "health": .string("OPTIMAL"), "tags": .null, "low": .integer(1),
                ]))[0]
        #expect(verdict.status == .conflict)
        let record = try #require(try yard.everything()[id])
        for (field, value) in entered { #expect(record.fields[field]?.value == value, "\(field)") }
        #expect(record.fields["low"]?.value == .integer(1), "nobody had entered it")
        #expect(Set(verdict.conflicts.map(\.column)) == ["notes", "pressure"])
    }

    @Test("nothing is nested deeper than can be looked through", arguments: Backend.allCases)
    func depth(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        // Only things that this server does not know nest that deep.
        device.schemaVersion += 1
        try device.pull()
        var parent = id
        var codes: [String?] = []
        for number in 0..<110 {
            let thing = device.mutation(
                RecordID("r\(number)"), table: "thing", parent: parent, .insert,
                ["x": .integer(1)])
            codes.append(try device.push(thing)[0].error?.code)
            guard codes.last == .some(nil) else { break }
            parent = thing.record
        }
        #expect(codes.count == 99, "with the inspection, its asset and its site a hundred above")
        #expect(codes.last == "unknown_table")
    }
}
