import Coding
import Replication
import ServerStore
import Testing

/// A device that was away while its server was restored and its site went to another team brings again
/// what is here already: others had a copy of it.
@Suite("Conformance: brought back after a restore by one that lost the scope")
struct LostScopeReturnTests {
    private struct Day {
        let yard: Yard
        let id: RecordID
        let author: Handheld
        let south: Handheld
        let old: Mutation

        /// - Parameter overwrites: whether somebody entered another value since, which the copy meets.
        init(_ backend: Backend, overwrites: Bool) throws {
            (yard, id, author, south) = try Yard.twoTeams(backend)
            let holder = try yard.enrol("c")
            let backup = try yard.backUp()
            let mutation = author.change(id, ["notes": .string("old")])
            try author.push(mutation)
            try author.pull()
            try holder.pull()
            old = author.again(mutation)
            try yard.restore(backup)
            if overwrites {
                let since = try yard.enrol("e")
                try since.pull()
                try since.push(since.change(id, ["notes": .string("since")]))
            }
            let copy = try #require(holder.confirmed[id])
            #expect(try holder.offer([copy], to: yard).map(\.status) == [.taken])
            try yard.move(to: "south")
        }
    }

    @Test("T86 T88 what stands as its author had entered it is his", arguments: Backend.allCases)
    func stands(backend: Backend) throws {
        let day = try Day(backend, overwrites: false)
        #expect(try day.author.push(day.old).map(\.status) == [.applied])
        #expect(try day.yard.store.openReviews().isEmpty)
    }

    @Test(
        "T86 T88 a copy that waits for a supervisor is decided about its author's own mutation",
        arguments: Backend.allCases, [ReviewDecision.mine, .theirs])
    func waits(backend: Backend, decision: ReviewDecision) throws {
        let day = try Day(backend, overwrites: true)
        let verdict = try #require(try day.author.push(day.old).first)
        #expect(verdict.status == .quarantined && verdict.record == nil)
        #expect(verdict.conflicts.map(\.column) == ["notes"])
        #expect(verdict.conflicts.allSatisfy { $0.theirs == .null && $0.theirsNode == nil })
        #expect(try day.yard.store.openReviews().count == 1, "nobody is asked twice")
        try day.yard.store.resolve(
            review: day.yard.review(of: "notes").id, decision, comment: nil,
            by: Supervisor(name: "kim"))
        try day.south.pull()
        let stands = decision == .mine ? "old" : "since"
        #expect(day.south.value(day.id, "notes") == .string(stands))
        day.author.cursor = nil
        try day.author.pull()
        let told = try #require(day.author.results.last)
        #expect(told.mutationId == day.old.id && told.status == .merged && told.record == nil)
        #expect(told.decisions.map(\.column) == (decision == .mine ? [] : ["notes"]))
    }

    @Test(
        "T86 T88 what was replaced while its author was away is told as that",
        arguments: Backend.allCases)
    func replaced(backend: Backend) throws {
        let day = try Day(backend, overwrites: false)
        try day.south.pull()
        try day.south.push(day.south.change(day.id, ["notes": .string("newer")]))
        #expect(try day.author.push(day.old).map(\.status) == [.merged])
        #expect(try day.yard.store.openReviews().isEmpty)
        #expect(
            try day.yard.everything(team: "south")[day.id]?.fields["notes"]?.value
                == .string("newer"))
    }
}
