import Coding
import Replication
import ServerStore
import TestSupport
import Testing

/// A server is restored, the site goes to another team, and what one device had made since the backup waits
/// for a supervisor. Others still have it, with what they entered in it.
@Suite("Conformance: made, lost by a restore, and let go by a supervisor")
struct LetGoTests {
    private struct Day {
        let yard: Yard
        let author: Handheld
        let colleague: Handheld
        let inspection = RecordID("new-inspection")
        let row = RecordID("new-row")
        let insert: Mutation
        let correction: Mutation
        let rowInsert: Mutation

        /// The author makes an inspection, the colleague corrects its notes and adds a row.
        init(_ backend: Backend, authorSawCorrection: Bool = false) throws {
            yard = try Yard(backend)
            author = try yard.enrol("author")
            colleague = try yard.enrol("colleague")
            for device in [author, colleague] { try device.pull() }
            let asset = try #require(
                author.confirmed.values.first { $0.table == RecordTable.asset }?.id)
            let backup = try yard.backUp()
            insert = author.begin(
                inspection, asset: asset, ["notes": .string("n0"), "pressure": .integer(7)])
            try author.push(insert)
            for device in [author, colleague] { try device.pull() }
            correction = colleague.change(inspection, ["notes": .string("n1")])
            rowInsert = colleague.row(row, under: inspection, ["text": .string("valve")])
            try colleague.push(correction, rowInsert)
            try colleague.pull()
            if authorSawCorrection { try author.pull() }
            try yard.restore(backup)
            try yard.move(to: "south")
            let verdict = try #require(try author.push(author.again(insert)).first)
            #expect(verdict.status == .quarantined)
            #expect(Set(try yard.store.openReviews().map(\.column)) == ["notes", "pressure"])
        }

        func decide(_ decision: ReviewDecision) throws {
            for item in try yard.store.openReviews() {
                try yard.store.resolve(
                    review: item.id, decision, comment: nil, by: Supervisor(name: "kim"))
            }
        }

        /// What the colleague has of others, as copies.
        func copies() throws -> [WireRecord] {
            var frame = try #require(colleague.confirmed[inspection])
            frame.fields["notes"] = nil
            return [frame]
        }

        func values(of record: RecordID) throws -> [String: FieldValue] {
            Dictionary(
                try yard.store.history(of: record).entries.map { ($0.column, $0.value) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    @Test(
        "T86 T88 copies of what was let go make nothing, whole or in part, and stay findable",
        arguments: Backend.allCases, [true, false])
    func copies(backend: Backend, isBack: Bool) throws {
        let day = try Day(backend)
        try day.decide(.theirs)
        try day.yard.move(to: "north")
        var sent = try day.copies()
        sent.append(try #require(day.colleague.confirmed[day.row]))
        for device in isBack ? [day.colleague, day.author] : [day.colleague] {
            let verdicts = try device.offer(sent, to: day.yard)
            #expect(verdicts.map(\.status) == [.taken, .taken])
        }
        let standing = try day.yard.everything()
        #expect(standing[day.inspection] == nil && standing[day.row] == nil)
        #expect(try day.yard.store.openReviews().isEmpty, "nobody is asked again")
        #expect(try day.values(of: day.inspection)["pressure"] == .integer(7))
        #expect(try day.values(of: day.row)["part/text"] == .string("valve"))
    }

    @Test(
        "T86 T88 a correction that comes after the decision is asked about, and can bring the record",
        arguments: Backend.allCases, [ReviewDecision.mine, .theirs])
    func correction(backend: Backend, decision: ReviewDecision) throws {
        let day = try Day(backend)
        try day.decide(.theirs)
        try day.yard.move(to: "north")
        let verdict = try #require(
            try day.colleague.push(day.colleague.again(day.correction)).first)
        #expect(verdict.status == .quarantined)
        try day.decide(decision)
        let standing = try day.yard.everything()[day.inspection]
        if decision == .mine {
            #expect(standing?.fields["notes"]?.value == .string("n1"))
            #expect(standing?.fields["pressure"] == nil, "that was let go")
        } else {
            #expect(standing == nil)
            #expect(
                try day.yard.store.history(of: day.inspection).entries.map(\.value)
                    .contains(.string("n1")))
        }
    }

    @Test(
        "T86 T88 a row under what was let go waits for a person too, and can only be let go",
        arguments: Backend.allCases)
    func row(backend: Backend) throws {
        let day = try Day(backend)
        try day.decide(.theirs)
        try day.yard.move(to: "north")
        let verdict = try #require(
            try day.colleague.push(day.colleague.again(day.rowInsert)).first)
        #expect(verdict.status == .quarantined)
        #expect(throws: ServerStoreError.self) { try day.decide(.mine) }
        try day.decide(.theirs)
        #expect(try day.yard.everything()[day.row] == nil)
        #expect(try day.yard.store.openReviews().isEmpty)
    }

    @Test(
        "T86 T88 while the decision waits the record comes by copies, and only what had no successor is asked",
        arguments: Backend.allCases, [ReviewDecision.mine, .theirs])
    func undecided(backend: Backend, decision: ReviewDecision) throws {
        for byCopy in [true, false] {
            let day = try Day(backend)
            try undecided(day, byCopy: byCopy, decision)
        }
    }

    @Test(
        "T86 T88 so it is where its author had seen the successor, and does not know its own version",
        arguments: Backend.allCases)
    func successorSeen(backend: Backend) throws {
        let day = try Day(backend, authorSawCorrection: true)
        try undecided(day, byCopy: false, .theirs)
    }

    private func undecided(
        _ day: Day, byCopy: Bool, _ decision: ReviewDecision
    ) throws {
        try day.yard.move(to: "north")
        #expect(
            try day.colleague.offer(try day.copies(), to: day.yard).map(\.status) == [.taken])
        if byCopy {
            let newest = try #require(day.colleague.confirmed[day.inspection])
            #expect(try day.author.offer([newest], to: day.yard).map(\.status) == [.taken])
        } else {
            let verdicts = try day.colleague.push(day.colleague.again(day.correction))
            #expect(verdicts.map(\.status) == [.applied])
        }
        #expect(
            try day.yard.store.openReviews().map(\.column) == ["pressure"],
            "n1 had taken the place of n0 before the restore")
        try day.decide(decision)
        let standing = try #require(try day.yard.everything()[day.inspection])
        #expect(standing.fields["notes"]?.value == .string("n1"))
        #expect(
            standing.fields["pressure"]?.value == (decision == .mine ? .integer(7) : nil))
        #expect(try day.values(of: day.inspection)["notes"] == .string("n0"))
        day.author.cursor = nil
        try day.author.pull()
        let told = try #require(day.author.results.last { $0.mutationId == day.insert.id })
        #expect(told.status == .merged && told.conflicts.isEmpty)
    }

    @Test(
        "T86 T88 what went with it for lack of it comes back with it, where a supervisor takes it after all",
        arguments: Backend.allCases)
    func takenAfterAll(backend: Backend) throws {
        let day = try Day(backend)
        try day.decide(.theirs)
        try day.yard.move(to: "north")
        let row = try #require(day.colleague.confirmed[day.row])
        let all = try day.copies() + [row]
        #expect(try day.colleague.offer(all, to: day.yard).map(\.status) == [.taken, .taken])
        #expect(try day.yard.everything()[day.row] == nil)
        try day.colleague.push(day.colleague.again(day.correction))
        try day.decide(.mine)
        #expect(
            try day.yard.everything()[day.row]?.fields["part/text"]?.value == .string("valve"))
        #expect(try day.yard.store.openReviews().isEmpty)
    }

    @Test(
        "T86 T88 while a supervisor has to decide about it, what others made under it waits as long as that takes",
        arguments: Backend.allCases)
    func undecidedForLong(backend: Backend) throws {
        let day = try Day(backend)
        try day.yard.move(to: "north")
        day.yard.clock.advance(seconds: 31 * 86_400)
        try day.colleague.pullKeepingCursor()
        let row = day.colleague.again(day.rowInsert)
        #expect(try day.colleague.push(row).map(\.status) == [.held])
        try day.decide(.mine)
        #expect(try day.colleague.push(row).map(\.status) == [.applied])
    }
}
