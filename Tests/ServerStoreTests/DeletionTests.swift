import Coding
import Inspections
import Replication
import ServerStore
import Testing

/// What a deletion takes with it that its device had not seen, and what a person makes of that.
@Suite("Conformance: deletions that had not seen everything")
struct DeletionTests {
    private let boss = Supervisor(name: "kim")

    private func finding(_ id: RecordID, under parent: RecordID, by device: Handheld) -> Mutation {
        device.mutation(
            id, table: RecordTable.finding, parent: parent, .insert, ["text": .string("leak")])
    }

    @Test(
        "T70 a finding that the deleter never saw is looked at, in whichever order the two arrive",
        arguments: Backend.allCases)
    func orders(backend: Backend) throws {
        for isFindingFirst in [true, false] {
            let (yard, id, first, second) = try Yard.pair(backend)
            let batches = [
                (first, finding("f1", under: id, by: first)), (second, second.delete(id)),
            ]
            let verdicts = try (isFindingFirst ? batches : batches.reversed()).map {
                try $0.0.push($0.1)[0]
            }
            #expect(try yard.everything()[id]?.isDeleted == true)
            guard isFindingFirst else {
                #expect(verdicts.map(\.status) == [.applied, .rejected])
                #expect(verdicts[1].error?.code == "parent_deleted", "who entered it hears of it")
                continue
            }
            #expect(verdicts.map(\.status) == [.applied, .merged])
            let items = try yard.store.openReviews()
            #expect(items.map(\.rule) == ["delete"])
            #expect(items.map(\.record) == ["f1"] && items.map(\.column) == ["text"])
            #expect(items.map(\.theirs) == [.string("leak")])
            #expect(items.map(\.theirsNode) == [first.node])
        }
    }

    @Test(
        "T70 the person confirms the deletion, or brings back the record with what is below it",
        arguments: Backend.allCases, [ReviewDecision.mine, .theirs])
    func decided(backend: Backend, decision: ReviewDecision) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.row("r1", under: id, ["x": .integer(1)]))
        try second.pull()
        try first.push(finding("f1", under: id, by: first))
        try first.push(first.row("r2", of: "part/piece", under: "r1", ["x": .integer(2)]))
        #expect(try second.push(second.delete(id)).map(\.status) == [.merged])
        let items = try yard.store.openReviews()
        #expect(items.count == 1, "one for the whole deletion")
        try yard.store.resolve(review: items[0].id, decision, comment: nil, by: boss)
        let here = try yard.everything()
        #expect(here[id]?.isDeleted == (decision == .mine))
        #expect(try yard.store.openReviews() == [])
        guard decision == .theirs else { return }
        for part: RecordID in ["f1", "r1", "r2"] { #expect(here[part]?.isDeleted == false) }
    }

    @Test(
        "T70 what the deleter had pulled, changed or deleted himself opens nothing",
        arguments: Backend.allCases)
    func seen(backend: Backend) throws {
        for isOneBatch in [true, false] {
            let (yard, id, first, second) = try Yard.pair(backend)
            for part: RecordID in ["f1", "f2"] {
                try first.push(finding(part, under: id, by: first))
            }
            try second.pull()
            let run = [
                second.change("f1", ["note": .string("seen")]), second.delete("f2"),
                finding("f3", under: id, by: second), second.delete(id),
            ]
            let verdicts =
                isOneBatch ? try second.push(run) : try run.map { try second.push($0)[0] }
            #expect(verdicts.map(\.status) == [.applied, .applied, .applied, .applied])
            #expect(try yard.store.openReviews() == [])
        }
    }

    @Test(
        "T70 an own change in the same batch hides nothing that another had changed before",
        arguments: Backend.allCases)
    func ownChangeHidesNothing(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(finding("f1", under: id, by: first))
        try second.pull()
        try first.push(first.change("f1", ["text": .string("large leak")]))
        let verdicts = try second.push(
            second.change("f1", ["note": .string("mine")]), second.delete(id))
        #expect(verdicts.map(\.status) == [.applied, .merged])
        #expect(try yard.store.openReviews().map(\.theirs) == [.string("large leak")])
    }

    @Test(
        "T64 a deletion that names no field has seen nothing, and is looked at",
        arguments: Backend.allCases)
    func withoutField(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.change(id, ["notes": .string("dry")]))
        #expect(try second.push(second.change(id, [:], .delete)).map(\.status) == [.merged])
        #expect(try yard.everything()[id]?.isDeleted == true)
        #expect(try yard.store.openReviews().map(\.rule) == ["delete"])
    }

    @Test(
        "T64 a deletion with the answer to a conflict opens nothing against the deleter himself",
        arguments: Backend.allCases)
    func ownAnswer(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        let before = second.delete(id).changes[Mutation.deletedField]
        try first.push(first.change(id, ["notes": .string("x")]))
        #expect(
            try second.push(second.change(id, ["notes": .string("y")])).map(\.status)
                == [.conflict])
        var decided = second.change(
            id, ["notes": .string("y"), Mutation.deletedField: .integer(1)], .delete)
        // The deletion is older than the answer, as a device captures it.
        decided.changes[Mutation.deletedField]?.baseVersion = before?.baseVersion ?? 0
        #expect(decided.changes["notes"]?.baseVersion == 2)
        #expect(try second.push(decided).map(\.status) == [.applied])
        #expect(try yard.store.openReviews() == [])
        #expect(try yard.everything()[id]?.isDeleted == true)
    }

    @Test(
        "a restoration of a deletion that was made anew meanwhile is asked about",
        arguments: Backend.allCases)
    func staleRestoration(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.delete(id))
        let third = try yard.enrol("c")
        try third.pull()
        try second.pull()
        try second.push(second.change(id, [Mutation.deletedField: .integer(0)]))
        try first.pull()
        try first.push(first.delete(id))
        let restoration: [FieldName: FieldValue] = [Mutation.deletedField: .integer(0)]
        let verdict = try third.push(third.change(id, restoration))[0]
        #expect(verdict.status == .conflict && verdict.record?.isDeleted == true)
        #expect(verdict.conflicts.map(\.column) == [Mutation.deletedField])
        #expect(verdict.conflicts.map(\.rule) == ["tombstone"])
        #expect(try third.push(third.change(id, restoration)).map(\.status) == [.applied])
        #expect(try yard.everything()[id]?.isDeleted == false)
    }

    @Test(
        "a deletion is not confirmed once the record was restored", arguments: Backend.allCases)
    func restoredSince(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.change(id, ["notes": .string("dry")]))
        try second.push(second.delete(id))
        let item = try #require(try yard.store.openReviews().first)
        try first.pull()
        try first.push(first.change(id, [Mutation.deletedField: .integer(0)]))
        #expect(
            refusal { try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss) }
                == .stateRefused)
        #expect(try yard.store.openReviews().count == 1)
        let version = try yard.everything()[id]?.version
        try yard.store.resolve(review: item.id, .theirs, comment: nil, by: boss)
        #expect(try yard.everything()[id]?.version == version, "it is back already")
    }
}
