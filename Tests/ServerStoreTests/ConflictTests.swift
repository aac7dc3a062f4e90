import Coding
import Inspections
import Replication
import ServerStore
import Testing

@Suite("Conformance: two people, one field")
struct ConflictTests {
    /// Two devices that know the same inspection.
    private func pair(_ backend: Backend) throws -> (Yard, RecordID, Handheld, Handheld) {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        try second.pull()
        return (yard, id, first, second)
    }

    @Test("ask: the first stands, the second hears of both", arguments: Backend.allCases)
    func ask(backend: Backend) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["notes": .string("dry")]))
        let verdict = try second.push(
            second.change(id, ["notes": .string("wet"), "high": .integer(4)]))[0]
        #expect(verdict.status == .conflict)
        let conflict = try #require(verdict.conflicts.first)
        #expect(verdict.conflicts.count == 1)
        #expect(conflict.column == "notes" && conflict.rule == "ask")
        #expect(conflict.base == .null)
        #expect(conflict.mine == .string("wet") && conflict.theirs == .string("dry"))
        #expect(conflict.theirsNode == first.node)
        #expect(second.value(id, "high") == .integer(4), "the other field is applied")
        #expect(try yard.everything()[id]?.fields["notes"]?.value == .string("dry"))
    }

    @Test("ask: the resolution is a new mutation on what was shown", arguments: Backend.allCases)
    func resolved(backend: Backend) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["notes": .string("dry")]))
        try second.push(second.change(id, ["notes": .string("wet")]))
        let verdict = try second.push(second.change(id, ["notes": .string("damp")]))[0]
        #expect(verdict.status == .applied)
        #expect(try yard.everything()[id]?.fields["notes"]?.value == .string("damp"))
    }

    @Test(
        "later mutations of the batch on the same field are held, others go on",
        arguments: Backend.allCases)
    func held(backend: Backend) throws {
        let (_, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["notes": .string("dry")]))
        let batch = [
            second.change(id, ["notes": .string("wet")]),
            second.change(id, ["notes": .string("wetter"), "low": .integer(1)]),
            second.change(id, ["high": .integer(2)]),
        ]
        let verdicts = try second.push(batch)
        #expect(verdicts.map(\.status) == [.conflict, .held, .applied])
        #expect(verdicts[1].heldBy == batch[0].id)
        let again = try second.push(batch)
        #expect(again.map(\.status) == [.conflict, .held, .applied])
    }

    @Test("rank, lww, max, min and union settle it by their rules", arguments: Backend.allCases)
    func settled(backend: Backend) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(
            first.change(
                id,
                [
                    "health": .string("CRITICAL"), "high": .integer(9), "low": .integer(9),
                    "tags": .string("red cold"),
                ]))
        let verdict = try second.push(
            second.change(
                id,
                [
                    "health": .string("OPTIMAL"), "high": .integer(5), "low": .integer(5),
                    "tags": .string("loud"),
                ]))[0]
        #expect(verdict.status == .merged)
        let record = try #require(try yard.everything()[id])
        #expect(record.fields["health"]?.value == .string("CRITICAL"))
        #expect(record.fields["high"]?.value == .integer(9))
        #expect(record.fields["low"]?.value == .integer(5))
        #expect(record.fields["tags"]?.value == .string("red cold loud"))
    }

    @Test(
        "quarantine: a supervisor decides, and the device hears of it by pull",
        arguments: Backend.allCases,
        [ReviewDecision.mine, .theirs, .value(.integer(155))])
    func quarantine(backend: Backend, decision: ReviewDecision) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["pressure": .integer(150)]))
        let mutation = second.change(id, ["pressure": .double(160.5)])
        let verdict = try second.push(mutation)[0]
        #expect(verdict.status == .quarantined)
        let item = try #require(try yard.store.openReviews().first)
        #expect(item.record == id && item.column == "pressure" && item.form == "cold")
        #expect(item.asset == "RT-1")
        #expect(item.base == .null && item.mine == .double(160.5) && item.theirs == .integer(150))
        #expect(item.mineNode == second.node && item.theirsNode == first.node)

        try second.pull()
        #expect(second.results == [])
        let boss = Supervisor(name: "kim")
        try yard.store.resolve(review: item.id, decision, comment: "seen", by: boss)
        try second.pull()
        #expect(second.results.map(\.mutationId) == [mutation.id])
        #expect(second.results.first?.status == .merged)
        #expect(second.results.first?.conflicts == [])
        let expected: FieldValue =
            switch decision {
            case .mine: .double(160.5)
            case .theirs: .integer(150)
            case .value(let value): value
            }
        #expect(second.value(id, "pressure") == expected)
        #expect(second.results.first?.record?.fields["pressure"]?.value == expected)
        #expect(try yard.store.openReviews() == [])
        #expect(try second.push(mutation)[0].status == .merged, "sent again, it is settled")
        #expect(
            refusal { try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss) }
                == .alreadyDecided)
        #expect(
            refusal { try yard.store.resolve(review: "x", .mine, comment: nil, by: boss) }
                == .unknownReviewItem)
    }

    @Test("a result is delivered until the cursor has passed it", arguments: Backend.allCases)
    func deliveredAgain(backend: Backend) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["pressure": .integer(150)]))
        try second.push(second.change(id, ["pressure": .integer(160)]))
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: Supervisor(name: "kim"))
        let before = second.cursor
        try second.pull()
        #expect(second.results.count == 1)
        second.cursor = before
        try second.pull()
        #expect(second.results.count == 2, "the page was lost, so it comes again")
        try second.pull()
        #expect(second.results.count == 2)
    }

    @Test("a decided value is checked as any answer", arguments: Backend.allCases)
    func decidedWrongly(backend: Backend) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["pressure": .integer(150)]))
        try second.push(second.change(id, ["pressure": .integer(160)]))
        let item = try #require(try yard.store.openReviews().first)
        let wrong = refusal {
            try yard.store.resolve(
                review: item.id, .value(.integer(-1)), comment: nil, by: Supervisor(name: "kim"))
        }
        #expect(wrong == .valueRefused)
        #expect(try yard.store.openReviews().count == 1)
    }

    @Test(
        "a delete wins over edits, and an edit that meets it is offered back",
        arguments: Backend.allCases)
    func tombstone(backend: Backend) throws {
        let (yard, id, first, second) = try pair(backend)
        #expect(try first.push(first.delete(id))[0].status == .applied)
        let verdict = try second.push(second.change(id, ["notes": .string("wet")]))[0]
        #expect(verdict.status == .conflict)
        #expect(verdict.conflicts.first?.rule == "tombstone")
        #expect(try yard.everything()[id]?.isDeleted == true)
        try second.pull()
        #expect(second.confirmed[id]?.isDeleted == true)
    }

    @Test(
        "a delete that is older than another's change is in force, and a person looks at it",
        arguments: Backend.allCases, [ReviewDecision.mine, .theirs])
    func lateDelete(backend: Backend, decision: ReviewDecision) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["notes": .string("dry")]))
        let verdict = try second.push(second.delete(id))[0]
        #expect(verdict.status == .merged)
        #expect(try yard.everything()[id]?.isDeleted == true)
        let item = try #require(try yard.store.openReviews().first)
        #expect(item.rule == "delete" && item.column == "notes" && item.theirs == .string("dry"))
        try yard.store.resolve(
            review: item.id, decision, comment: nil, by: Supervisor(name: "kim"))
        let record = try #require(try yard.everything()[id])
        #expect(record.isDeleted == (decision == .mine))
        #expect(record.fields["notes"]?.value == .string("dry"))
    }

    @Test(
        "a change of a record that the server never had waits for a person, who lets it go",
        arguments: Backend.allCases)
    func unknownRecord(backend: Backend) throws {
        let (yard, _, first, _) = try pair(backend)
        var mutation = first.change("lost", ["notes": .string("wet")])
        mutation.changes["notes"]?.baseVersion = 4
        let verdict = try first.push(mutation)[0]
        #expect(verdict.status == .quarantined && verdict.record == nil)
        let item = try #require(try yard.store.openReviews().first)
        #expect(item.rule == "unknownRecord" && item.mine == .string("wet"))
        let boss = Supervisor(name: "kim")
        #expect(
            refusal { try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss) }
                == .stateRefused)
        try yard.store.resolve(review: item.id, .theirs, comment: nil, by: boss)
        try first.pull()
        #expect(first.results.map(\.status) == [.merged])
    }

    @Test(
        "one mutation may wait for the inspector and for a supervisor at once",
        arguments: Backend.allCases)
    func askAndQuarantine(backend: Backend) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["notes": .string("dry"), "pressure": .integer(1)]))
        let mutation = second.change(id, ["notes": .string("wet"), "pressure": .integer(2)])
        #expect(try second.push(mutation)[0].status == .conflict)
        let item = try #require(try yard.store.openReviews().first)
        #expect(item.column == "pressure")
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: Supervisor(name: "kim"))
        let again = try second.push(mutation)[0]
        #expect(again.status == .conflict, "sent again, what the inspector has to settle stands")
        #expect(again.conflicts.map(\.column) == ["notes"])
        try second.pull()
        #expect(second.results.map(\.status) == [.merged], "the supervisor's part is settled")
        #expect(second.value(id, "pressure") == .integer(2))
    }
}
