import Coding
import Inspections
import Replication
import ServerStore
import Testing

@Suite("Conformance: what is refused, one by one")
struct RulesTests {
    @Test("one bad mutation among many spoils nothing else", arguments: Backend.allCases)
    func poison(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        let batch = (0..<50).map { index in
            index == 25
                ? device.change(id, ["pressure": .string("much")])
                : device.change(id, ["high": .integer(Int64(index))])
        }
        let verdicts = try device.push(batch)
        #expect(verdicts.filter { $0.status == .applied }.count == 49)
        #expect(verdicts[25].status == .rejected)
        #expect(verdicts[25].error?.column == "pressure")
        #expect(verdicts[25].error?.message == "is of another type than the question asks")
    }

    @Test("F27 each kind of nonsense has its code", arguments: Backend.allCases)
    func codes(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        let site = ImportedID.site("S1")
        let asset = ImportedID.asset("A1")
        let cases: [(String, Mutation)] = [
            (
                "unknown_table",
                device.mutation("x1", table: "weather", parent: nil, .insert, ["a": .integer(1)])
            ),
            ("unknown_question", device.change(id, ["colour": .string("red")])),
            ("invalid_value", device.change(id, ["pressure": .integer(2001)])),
            ("invalid_value", device.change(id, ["health": .string("FINE")])),
            ("invalid_value", device.change(id, ["@state": .string("lost")])),
            ("invalid_value", device.change(id, ["@state": .integer(3)])),
            ("invalid_value", device.change(id, ["notes": .string("a\u{0}b")])),
            ("not_allowed", device.change(id, ["@state": .string("approved")])),
            ("not_allowed", device.change(id, ["@state": .string("returned")])),
            ("not_allowed", device.change(id, ["@form": .string("other")])),
            ("unknown_form", device.change(id, ["@formVersion": .string("9")])),
            (
                "unknown_form",
                device.begin("x2", asset: asset, ["@form": .string("other")])
            ),
            ("not_allowed", device.change(site, ["@title": .string("mine")])),
            (
                "not_allowed",
                device.mutation("x3", table: "site", parent: nil, .insert, ["@title": .integer(1)])
            ),
            ("wrong_parent", device.begin("x4", asset: id)),
            (
                "parent_changed",
                device.mutation(
                    id, table: "inspection", parent: nil, .insert, ["notes": .string("x")])
            ),
            (
                "table_changed",
                device.mutation(id, table: "finding", parent: id, .update, ["a": .integer(1)])
            ),
            ("invalid_value", device.change(id, ["@deleted": .integer(7)])),
            (
                "out_of_scope",
                device.mutation(
                    ImportedID.asset("A2"), table: "asset", parent: ImportedID.site("S2"),
                    .update, ["@title": .string("x")])
            ),
            ("out_of_scope", device.begin("x5", asset: ImportedID.asset("A2"))),
        ]
        for (code, mutation) in cases {
            let verdict = try device.push(mutation)[0]
            #expect(verdict.status == .rejected, "\(code) \(mutation.columns)")
            #expect(verdict.error?.code == code, "\(mutation.columns)")
            #expect(verdict.record == nil)
            #expect(verdict.error?.message.isEmpty == false)
        }
        #expect(try yard.everything()[id]?.version == 1, "nothing of it was taken")
    }

    @Test("a rejected mutation is judged afresh when it comes again", arguments: Backend.allCases)
    func afresh(backend: Backend) throws {
        let yard = try Yard(backend)
        let device = try yard.enrol("a")
        try device.pull()
        let begun = device.begin("i1", asset: nil, ["@formVersion": .string("2")])
        #expect(try device.push(begun)[0].error?.code == "unknown_form")
        try yard.store.publish(try Yard.form(version: "2"))
        #expect(try device.push(begun)[0].status == .applied)
    }

    @Test("a child waits for its parent, and an edit for its record", arguments: Backend.allCases)
    func waiting(backend: Backend) throws {
        let yard = try Yard(backend)
        let device = try yard.enrol("a")
        try device.pull()
        let begun = device.begin("i1", asset: nil)
        let finding = device.mutation(
            "f1", table: "finding", parent: "i1", .insert, ["text": .string("leak")])
        let edit = device.change("i1", ["notes": .string("x")])
        #expect(try device.push(finding, edit).map(\.status) == [.held, .held])
        #expect(try device.push(begun, finding, edit).allSatisfy { $0.status == .applied })
    }

    @Test(
        "T58 V31 a counter that jumps too far is refused, and can be sent again",
        arguments: Backend.allCases)
    func lamportJump(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        var mutation = device.change(id, ["notes": .string("x")])
        let lamport = mutation.changes["notes"]?.lamport ?? 0
        mutation.changes["notes"]?.lamport = lamport + (1 << 33)
        let verdict = try device.push(mutation)[0]
        #expect(verdict.status == .rejected)
        #expect(verdict.error?.code == "lamport_jump")
        mutation.changes["notes"]?.lamport = lamport
        #expect(try device.push(mutation)[0].status == .applied)
    }

    @Test("a place in a node's sequence is taken once", arguments: Backend.allCases)
    func sequence(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        let first = device.change(id, ["notes": .string("x")])
        var second = device.change(id, ["notes": .string("y")])
        second.sequence = first.sequence
        let verdicts = try device.push(first, second)
        #expect(verdicts.map(\.status) == [.applied, .rejected])
        #expect(verdicts[1].error?.code == "content_mismatch")
    }

    @Test(
        "only a supervisor approves; an approved inspection is locked with all that is in it",
        arguments: Backend.allCases)
    func states(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        let boss = Supervisor(name: "kim")
        try device.pull()
        #expect(refusal { try yard.store.approve(inspection: id, by: boss) } == .stateRefused)
        try device.push(device.change(id, ["@state": .string("complete")]))
        try yard.store.returnInspection(id: id, comment: "read the gauge again", by: boss)
        try device.pull()
        #expect(device.value(id, "@state") == .string("returned"))
        #expect(device.value(id, "@comment") == .string("read the gauge again"))
        try device.push(device.change(id, ["@state": .string("inProgress")]))
        try device.push(device.change(id, ["@state": .string("complete")]))
        try yard.store.approve(inspection: id, by: boss)
        let late = device.change(id, ["notes": .string("late")])
        let finding = device.mutation(
            "f1", table: "finding", parent: id, .insert, ["text": .string("x")])
        let verdicts = try device.push(late, finding, device.delete(id))
        #expect(verdicts.map(\.error?.code) == ["locked", "locked", "locked"])
        #expect(
            refusal { try yard.store.approve(inspection: "none", by: boss) } == .unknownRecord)
    }

    @Test("a batch of another node or of a revoked device is refused", arguments: Backend.allCases)
    func wrongBatch(backend: Backend) throws {
        let yard = try Yard(backend)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        let foreign = refusal {
            _ = try yard.store.push(second.request([]), from: first.device)
        }
        #expect(foreign == .wrongNode)
        try yard.store.revokeDevice(id: first.device.id)
        #expect(refusal { try first.push([]) } == .unknownDevice)
        #expect(try yard.store.device(id: first.device.id)?.state == .revoked)
    }
}
