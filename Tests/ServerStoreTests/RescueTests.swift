import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// What a device enters for a record that is gone by the time it comes: a supervisor may take it, into
/// a new record in the place of the old one.
@Suite("Conformance: values of records that are gone")
struct RescueTests {
    private static let month: Int64 = 31 * 86_400
    private let boss = Supervisor(name: "kim")
    private let asset = ImportedID.asset("A1")

    /// An inspection with a finding; the second device holds both and is silent for two months, while
    /// the first deletes them and they are pruned.
    private func pruned(
        _ backend: Backend, deleting ids: [RecordID], asset: RecordID? = ImportedID.asset("A1")
    ) throws -> (Yard, Handheld, Handheld) {
        let yard = try Yard(backend)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.push(
            first.begin("i1", asset: asset, ["notes": .string("dry"), "place": .string("roof")]),
            first.mutation(
                "f1", table: RecordTable.finding, parent: "i1", .insert, ["text": .string("leak")]))
        try second.pull()
        try second.push(second.change("i1", ["high": .integer(4)]))
        for device in [first, second] { try device.pull() }
        for id in ids { try first.push(first.delete(id)) }
        for _ in 0..<2 {
            yard.clock.advance(seconds: Self.month)
            for _ in 0..<2 { try first.pull() }
            try first.push([])
            _ = try yard.prune()
        }
        for id in ids { #expect(try yard.everything()[id] == nil) }
        return (yard, first, second)
    }

    private func item(_ yard: Yard, _ column: FieldName) throws -> ReviewItem {
        try #require(try yard.store.openReviews().first { $0.column == column })
    }

    private func resolve(
        _ yard: Yard, _ column: FieldName, _ decision: ReviewDecision = .mine
    ) throws {
        try yard.store.resolve(
            review: item(yard, column).id, decision, comment: nil, by: boss)
    }

    @Test(
        "M28 a late value of a pruned inspection is taken into a new one, with what is known of it",
        arguments: Backend.allCases, [true, false])
    func inspection(backend: Backend, hasAsset: Bool) throws {
        let (yard, first, second) = try pruned(
            backend, deleting: ["f1", "i1"], asset: hasAsset ? asset : nil)
        let late = second.change("i1", ["notes": .string("wet"), "low": .integer(2)])
        #expect(try second.push(late)[0].status == .quarantined)
        try resolve(yard, "notes")
        let id = try #require(try yard.store.history(of: "i1").replacedBy)
        #expect(id != "i1")
        #expect(try yard.everything()["i1"] == nil, "no zombie")
        try first.pull()
        let made = try #require(first.confirmed[id])
        #expect(made.parent == (hasAsset ? asset : nil))
        #expect(first.value(id, "notes") == .string("wet"))
        #expect(first.value(id, "high") == .integer(4), "what the deleter had not entered is kept")
        #expect(first.value(id, "place") == .null, "what he had is gone, as he wished")
        #expect(first.value(id, "low") == .null, "nobody has decided about it yet")
        #expect(first.value(id, BuiltInField.form) == .string("cold"))
        #expect(first.value(id, BuiltInField.state) == .string("inProgress"))
        try resolve(yard, "low", .value(.integer(3)))
        try first.pull()
        #expect(first.value(id, "low") == .integer(3), "into the same record")
        second.cursor = nil
        try second.pull()
        #expect(second.results.map(\.mutationId).contains(late.id))
        #expect(second.confirmed[id] != nil)
        // And what comes still later goes the same way.
        try second.push(second.change("i1", ["place": .string("hall")]))
        try resolve(yard, "place")
        try first.pull()
        #expect(first.value(id, "place") == .string("hall"))
    }

    @Test(
        "M28 a late value of a pruned finding is taken where its inspection still stands",
        arguments: Backend.allCases)
    func finding(backend: Backend) throws {
        let (yard, first, second) = try pruned(backend, deleting: ["f1"])
        try second.push(second.change("f1", ["text": .string("two leaks")]))
        try resolve(yard, "text")
        let id = try #require(try yard.store.history(of: "f1").replacedBy)
        try first.pull()
        #expect(first.confirmed[id]?.parent == "i1")
        #expect(first.value(id, "text") == .string("two leaks"))
    }

    @Test(
        "M28 a finding follows its inspection into the record that was made in its place",
        arguments: Backend.allCases)
    func follows(backend: Backend) throws {
        let (yard, first, second) = try pruned(backend, deleting: ["f1", "i1"])
        try second.push(
            second.change("f1", ["text": .string("two leaks")]),
            second.change("i1", ["notes": .string("wet")]))
        let early = refusal { try resolve(yard, "text") }
        #expect(early == .stateRefused, "its inspection is not there")
        try resolve(yard, "notes")
        try resolve(yard, "text")
        let inspection = try #require(try yard.store.history(of: "i1").replacedBy)
        let finding = try #require(try yard.store.history(of: "f1").replacedBy)
        try first.pull()
        #expect(first.confirmed[finding]?.parent == inspection)
    }

    @Test(
        "M28 where nothing can be made of it, the value is refused with a reason and stays readable",
        arguments: Backend.allCases)
    func refused(backend: Backend) throws {
        let (yard, first, second) = try pruned(backend, deleting: ["f1"])
        try second.push(second.change("f1", ["text": .string("two leaks")]))
        try first.push(
            first.change(
                "i1", [BuiltInField.state: .string("complete")]))
        try yard.store.approve(inspection: "i1", by: boss)
        #expect(refusal { try resolve(yard, "text") } == .stateRefused, "it is signed")
        try resolve(yard, "text", .theirs)
        let history = try yard.store.history(of: "f1")
        #expect(history.replacedBy == nil)
        #expect(
            history.entries.filter { $0.rule == "unknownRecord" }.map(\.value)
                == [.string("two leaks")])
        #expect(try yard.store.openReviews().isEmpty)
    }

    @Test(
        "M28 nothing is known of a record that the server never had, but what the device says of it",
        arguments: Backend.allCases)
    func neverHere(backend: Backend) throws {
        let yard = try Yard(backend)
        let device = try yard.enrol("a")
        var edit = device.mutation(
            "elsewhere", table: RecordTable.inspection, parent: asset, .update,
            ["notes": .string("x")])
        edit.changes["notes"]?.baseVersion = 3
        #expect(try device.push(edit)[0].status == .quarantined)
        #expect(refusal { try resolve(yard, "notes") } == .stateRefused)
        #expect(
            try yard.store.history(of: "elsewhere").entries.map(\.value) == [.string("x")])
    }

    @Test(
        "the same rows imported after a pruning change nothing, and say so",
        arguments: Backend.allCases)
    func assignments(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        try device.push(device.delete(id))
        let row = AssignmentRow(asset: "A1", form: "cold", due: "2026-03-31")
        #expect(try yard.store.importAssignments([row]) == ImportReport(unchanged: 1))
        yard.clock.advance(seconds: Self.month)
        for _ in 0..<2 { try device.pull() }
        try device.push([])
        #expect(try yard.prune().pruned == 1)
        for _ in 0..<2 {
            #expect(try yard.store.importAssignments([row]) == ImportReport(unchanged: 1))
        }
        #expect(try yard.store.openReviews().isEmpty)
        #expect(try yard.everything()[id] == nil)
    }

    @Test(
        "equipment that is listed exists, also where it was pruned, and devices hear of it",
        arguments: Backend.allCases)
    func equipment(backend: Backend) throws {
        let yard = try Yard(backend)
        func list(_ name: String) throws -> ImportReport {
            try yard.store.importAssets([AssetRow(id: "A3", site: "S1", tag: "RT-3", name: name)])
        }
        let id = ImportedID.asset("A3")
        for name in ["one", "two", "three"] { _ = try list(name) }
        let device = try yard.enrol("a")
        try device.pull()
        let known = try #require(device.confirmed[id]?.version)
        try yard.deleteBehindTheBack(id)
        yard.clock.advance(seconds: Self.month)
        for _ in 0..<2 { try device.pull() }
        try device.push([])
        #expect(try yard.prune().pruned == 1)
        #expect(try list("three") == ImportReport(created: 1))
        #expect(try list("three") == ImportReport(unchanged: 1))
        try device.pull()
        #expect(device.confirmed[id]?.version ?? 0 > known, "else it would not be applied")
        #expect(device.value(id, BuiltInField.title) == .string("three"))
        let late = device.change(id, [BuiltInField.serial: .string("s")])
        #expect(try device.push(late)[0].status == .applied, "it is a record like any other")
        #expect(try yard.store.openReviews().isEmpty)
    }
}
