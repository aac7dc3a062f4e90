import Coding
import Inspections
import Replication
import ServerStore
import Testing

/// A device hears what was decided about its changes of a record that it may not see any more.
@Suite("Conformance: decisions on what was entered before a loss of scope")
struct ScopeDecisionTests {
    private let boss = Supervisor(name: "kim")

    @Test(
        "T88 what was decided otherwise is told with each decision, and nothing else of the record",
        arguments: Backend.allCases)
    func decisions(backend: Backend) throws {
        let (yard, id, north, south) = try Yard.twoTeams(backend)
        let edit = north.change(
            id, ["notes": .string("a"), "high": .integer(3), "place": .string("b")])
        try yard.move(to: "south")
        try north.push(edit)
        try yard.store.resolve(review: yard.review(of: "notes").id, .theirs, comment: nil, by: boss)
        try north.pull()
        let first = try #require(north.results.last)
        #expect(first.status == .quarantined && first.record == nil)
        #expect(first.decisions == [FieldDecision(column: "notes")])
        try yard.store.resolve(
            review: yard.review(of: "place").id, .value(.string("office")), comment: nil, by: boss)
        try yard.store.resolve(review: yard.review(of: "high").id, .mine, comment: nil, by: boss)
        try north.pull()
        #expect(north.results.last?.status == .merged)
        #expect(
            north.results.last?.decisions == [
                FieldDecision(column: "notes"),
                FieldDecision(column: "place", value: .string("office")),
            ])
        // What the other team makes of it since is theirs.
        try south.pull()
        try south.push(south.change(id, ["place": .string("secret"), "notes": .string("s")]))
        #expect(
            try north.push(edit)[0].decisions == [
                FieldDecision(column: "notes"), FieldDecision(column: "place"),
            ])
        try yard.move(to: "north")
        let again = try north.push(edit)[0]
        #expect(again.record != nil && again.decisions.isEmpty)
    }
}
