import Coding
import Inspections
import Replication
import ServerStore
import Testing

/// A decision changes what the person was shown, nothing that is signed, and its own item alone.
@Suite("Conformance: the review queue")
struct ReviewTests {
    private let boss = Supervisor(name: "kim")

    @Test(
        "a decision replaces no value that came in after the item was listed",
        arguments: Backend.allCases, [ReviewDecision.mine, .value(.integer(155))])
    func movedSince(backend: Backend, decision: ReviewDecision) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.change(id, ["pressure": .integer(150)]))
        try second.push(second.change(id, ["pressure": .integer(160)]))
        let item = try #require(try yard.store.openReviews().first)
        #expect(item.theirs == .integer(150))
        try first.pull()
        try first.push(first.change(id, ["pressure": .integer(999)]))
        func decide() throws {
            try yard.store.resolve(review: item.id, decision, comment: nil, by: boss)
        }
        for _ in 0..<2 { #expect(refusal(decide) == .stateRefused) }
        _ = try yard.store.openReview(id: item.id)
        #expect(refusal(decide) == .stateRefused, "looking it up shows nothing to anybody")
        #expect(try yard.everything()[id]?.fields["pressure"]?.value == .integer(999))
        #expect(try yard.store.openReviews().map(\.theirs) == [.integer(999)])
        try decide()
        let decided: FieldValue = decision == .mine ? .integer(160) : .integer(155)
        #expect(try yard.everything()[id]?.fields["pressure"]?.value == decided)
    }

    @Test(
        "what stands is kept without another look, and what was shown may be replaced",
        arguments: Backend.allCases)
    func keptOrReplaced(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        for (pressure, decision) in [(Int64(1), ReviewDecision.theirs), (3, .mine)] {
            try first.pull()
            try first.push(first.change(id, ["pressure": .integer(pressure)]))
            try second.push(second.change(id, ["pressure": .integer(pressure + 1)]))
            let item = try yard.store.openReviews()[0].id
            if decision == .theirs {
                try first.pull()
                try first.push(first.change(id, ["pressure": .integer(9)]))
            }
            try yard.store.resolve(review: item, decision, comment: nil, by: boss)
            try second.pull()
        }
        #expect(second.value(id, "pressure") == .integer(4))
    }

    @Test(
        "no inspection is approved while something below it waits for a person",
        arguments: Backend.allCases)
    func approval(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(
            first.mutation(
                "f1", table: RecordTable.finding, parent: id, .insert, ["text": .string("leak")]))
        try second.pull()
        try first.push(first.change("f1", ["text": .string("large leak")]))
        try second.push(second.delete("f1"), second.change(id, ["@state": .string("complete")]))
        #expect(refusal { try yard.store.approve(inspection: id, by: boss) } == .stateRefused)
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(review: item.id, .theirs, comment: nil, by: boss)
        try yard.store.approve(inspection: id, by: boss)
        #expect(try yard.everything()["f1"]?.isDeleted == false)
    }

    @Test("a decision about a deletion settles no conflict", arguments: Backend.allCases)
    func otherKind(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.change(id, ["notes": .string("dry")]))
        let mutation = second.change(
            id, ["notes": .string("wet"), Mutation.deletedField: .integer(1)], .delete)
        let verdict = try second.push(mutation)[0]
        #expect(verdict.status == .conflict && verdict.conflicts.map(\.column) == ["notes"])
        let item = try #require(try yard.store.openReviews().first)
        #expect(item.rule == "delete" && item.column == "notes")
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss)
        let again = try second.push(mutation)[0]
        #expect(again.status == .conflict && again.conflicts == verdict.conflicts)
    }

    @Test(
        "a device cannot fill the queue with records that never were here",
        arguments: Backend.allCases)
    func flood(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        func unknown(_ record: RecordID, _ count: Int, by device: Handheld) -> Mutation {
            var mutation = device.change(
                record,
                Dictionary(
                    uniqueKeysWithValues: (0..<count).map { ("q\($0)", FieldValue.integer(1)) }))
            for name in mutation.changes.keys { mutation.changes[name]?.baseVersion = 4 }
            return mutation
        }
        let batch = [
            unknown("x1", 900, by: first), unknown("x2", 150, by: first),
            first.change(id, ["high": .integer(1)]),
        ]
        #expect(try first.push(batch).map(\.status) == [.quarantined, .held, .applied])
        #expect(
            try second.push(unknown("x3", 150, by: second)).map(\.status) == [.quarantined],
            "another device is not concerned")
        let items = try yard.store.openReviews()
        #expect(items.count == 1_050 && Set(items.map(\.id)).count == 1_050, "page by page")
        for item in items.filter({ $0.record == "x1" }).prefix(50) {
            try yard.store.resolve(review: item.id, .theirs, comment: nil, by: boss)
        }
        #expect(try first.push(batch[1]).map(\.status) == [.quarantined], "nothing was lost")
    }
}
