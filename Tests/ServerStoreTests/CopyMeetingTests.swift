import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// A copy meets what other devices know, had entered over it, or offer as well.
@Suite("Conformance: copies and those who had seen what they copy")
struct CopyMeetingTests {
    /// The first of two devices enters *old*, the second writes over it knowingly, and a third has
    /// pulled after each of them. Then the server is set back.
    private struct Succession {
        let yard: Yard
        let id: RecordID
        let first: Handheld
        let second: Handheld
        /// As they had pulled it before the restore.
        let old: WireRecord
        let new: WireRecord
        let edit: Mutation
        let early: Handheld
        let late: Handheld

        init(_ backend: Backend, _ field: FieldName = "notes") throws {
            yard = try Yard(backend)
            id = try yard.assign()
            (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
            (early, late) = (try yard.enrol("c"), try yard.enrol("d"))
            try first.pull()
            let backup = try yard.backUp()
            let (one, two): (FieldValue, FieldValue) =
                field == "pressure" ? (.double(1), .double(2)) : (.string("old"), .string("new"))
            try first.push(first.change(id, [field: one]))
            for device in [second, early] { try device.pull() }
            edit = second.change(id, [field: two])
            try second.push(edit)
            try late.pull()
            old = try #require(early.confirmed[id])
            new = try #require(late.confirmed[id])
            try yard.restore(backup)
        }

        func stored(_ field: FieldName = "notes") throws -> WireRecord.Field? {
            try yard.everything()[id]?.fields[field]
        }
    }

    @Test(
        "T86 an edit of who had seen the value that came back as a copy is an edit on it",
        arguments: Backend.allCases, ["notes", "pressure"])
    func knowingEdit(backend: Backend, field: FieldName) throws {
        let day = try Succession(backend, field)
        #expect(try day.early.offer([day.old], to: day.yard).map(\.status) == [.taken])
        // As of its cursor of then it offers again what was acknowledged.
        #expect(try day.second.push(day.edit).map(\.status) == [.applied])
        #expect(try day.stored(field)?.value == day.edit.changes[field]?.value)
        #expect(try day.yard.store.openReviews().isEmpty)
        let history = try day.yard.store.history(of: day.id)
        #expect(history.entries.map(\.value) == [day.old.fields[field]?.value])
    }

    @Test(
        "T86 by the very value too, where the server has forgotten the epoch",
        arguments: Backend.allCases)
    func sameValue(backend: Backend) throws {
        let day = try Succession(backend)
        _ = try day.early.offer([day.old], to: day.yard)
        day.second.cursor = "1.1.1"
        #expect(try day.second.push(day.edit).map(\.status) == [.applied])
        #expect(try day.stored()?.value == .string("new"))
    }

    @Test(
        "T86 an edit on something else than the copy is asked about as before",
        arguments: Backend.allCases)
    func unknowingEdit(backend: Backend) throws {
        let day = try Succession(backend)
        let stranger = try day.yard.enrol("e")
        try stranger.pull()
        let blind = stranger.change(day.id, ["notes": .string("mine")])
        stranger.cursor = day.early.cursor
        _ = try day.early.offer([day.old], to: day.yard)
        #expect(try stranger.push(blind).map(\.status) == [.conflict])
        #expect(try day.stored()?.value == .string("old"))
    }

    @Test(
        "T86 of two copies the one that had taken the other's place stands, in whatever order they come",
        arguments: Backend.allCases, [false, true])
    func twoCopies(backend: Backend, newestFirst: Bool) throws {
        let day = try Succession(backend)
        let offers = [(day.early, day.old), (day.late, day.new)]
        for (device, record) in newestFirst ? offers.reversed() : offers {
            #expect(try device.offer([record], to: day.yard).map(\.status) == [.taken])
        }
        let stored = try day.stored()
        #expect(stored?.value == .string("new") && stored?.stamp.node == day.second.node)
        #expect(try day.yard.store.openReviews().isEmpty)
        let history = try day.yard.store.history(of: day.id)
        #expect(history.entries.map(\.value) == [.string("old")])
        #expect(history.entries.map(\.node) == [day.first.node])
        #expect(Set(history.copies.map(\.offeredBy)) == ["c", "d"])
        // Once more, nothing changes.
        for (device, record) in offers { _ = try device.offer([record], to: day.yard) }
        #expect(try day.yard.store.history(of: day.id) == history)
    }

    @Test(
        "T86 versions of which nobody knows the epoch tell no order: a supervisor decides",
        arguments: Backend.allCases)
    func mixedEpochs(backend: Backend) throws {
        let day = try Succession(backend)
        _ = try day.early.offer([day.old], to: day.yard)
        _ = try day.late.offer([day.new], to: day.yard, ofOneEpoch: false)
        #expect(try day.stored()?.value == .string("old"))
        #expect(try day.yard.store.openReviews().map(\.mine) == [.string("new")])
    }

    @Test(
        "T86 an author who comes after all is not asked about what was settled without him",
        arguments: Backend.allCases)
    func authorComesLater(backend: Backend) throws {
        let day = try Succession(backend)
        let own = day.first.change(day.id, ["notes": .string("old")], id: "again")
        var mutation = own
        let stamp = try #require(day.old.fields["notes"]?.stamp)
        mutation.changes["notes"]?.lamport = stamp.lamport
        _ = try day.early.offer([day.old], to: day.yard)
        #expect(try day.second.push(day.edit).map(\.status) == [.applied])
        let history = try day.yard.store.history(of: day.id)
        #expect(try day.first.push(mutation).map(\.status) == [.merged])
        #expect(try day.stored()?.value == .string("new"))
        #expect(try day.yard.store.history(of: day.id) == history, "and nothing is there twice")
        #expect(try day.yard.store.openReviews().isEmpty)
    }

    @Test(
        "T86 nor is he asked beside the supervisor who has the copy to decide on, but told",
        arguments: Backend.allCases)
    func authorInReview(backend: Backend) throws {
        let day = try Succession(backend)
        let since = try day.yard.enrol("e")
        try since.pull()
        try since.push(since.change(day.id, ["notes": .string("since")]))
        _ = try day.late.offer([day.new], to: day.yard)
        #expect(try day.yard.store.openReviews().map(\.mine) == [.string("new")])
        let verdict = try #require(try day.second.push(day.edit).first)
        #expect(verdict.status == .quarantined && verdict.conflicts.map(\.column) == ["notes"])
        #expect(try day.stored()?.value == .string("since"))
        let review = try #require(try day.yard.store.openReviews().first)
        #expect(try day.yard.store.openReviews().count == 1)
        try day.yard.store.resolve(
            review: review.id, .mine, comment: nil, by: Supervisor(name: "anna"))
        #expect(try day.stored()?.value == .string("new"))
        day.second.cursor = nil
        try day.second.pull()
        #expect(day.second.results.map(\.mutationId) == [day.edit.id])
        #expect(day.second.results.map(\.status) == [.merged])
    }

    @Test(
        "T86 what came as a copy and was overwritten since is not called applied",
        arguments: Backend.allCases)
    func authorOverwritten(backend: Backend) throws {
        let day = try Succession(backend)
        _ = try day.late.offer([day.new], to: day.yard)
        day.early.cursor = nil
        try day.early.pull()
        try day.early.push(day.early.change(day.id, ["notes": .string("since")]))
        #expect(try day.second.push(day.edit).map(\.status) == [.merged])
        #expect(try day.stored()?.value == .string("since"))
    }

    @Test(
        "T86 who made an edit on an equal value, and earlier, had not seen the copy",
        arguments: Backend.allCases, [nil, "1.1.1"])
    func equalValue(backend: Backend, cursor: String?) throws {
        let day = try Succession(backend)
        let third = try day.yard.enrol("e")
        try third.pull()
        var early = third.change(day.id, ["notes": .string("mine")])
        early.changes["notes"]?.baseValue = .string("new")
        early.changes["notes"]?.lamport = 1
        third.cursor = cursor ?? day.early.cursor
        _ = try day.late.offer([day.new], to: day.yard)
        #expect(try third.push(early).map(\.status) == [.conflict])
        #expect(try day.stored()?.value == .string("new"))
    }

    @Test(
        "T86 of a new record only the field that cannot be taken is refused",
        arguments: Backend.allCases)
    func newRecordInPart(backend: Backend) throws {
        let (yard, maker, witness) = try judged(backend) { _, _ in }
        var record = try #require(witness.confirmed["new"])
        let stamp = Stamp(lamport: 9, node: maker.node)
        for (name, value) in ["nonsense": FieldValue.integer(1), "notes": .string("kept")] {
            record.fields[name] = WireRecord.Field(value: value, stamp: stamp, version: 2)
        }
        let verdict = try #require(try witness.offer([record], to: yard).first)
        #expect(verdict.status == .refused && verdict.columns == ["nonsense"])
        let stored = try #require(try yard.everything()["new"])
        #expect(stored.fields["notes"]?.value == .string("kept"))
        #expect(stored.fields["nonsense"] == nil)
        #expect(try state(yard) == .string("complete"))
    }

    @Test("T86 who offered which copy first is known, and when", arguments: Backend.allCases)
    func offeredBy(backend: Backend) throws {
        let day = try Succession(backend)
        let before = day.yard.clock.now
        for device in [day.late, day.early] { _ = try device.offer([day.new], to: day.yard) }
        let copies = try day.yard.store.history(of: day.id).copies
        let copy = try #require(copies.first)
        #expect(copies.count == 1)
        #expect(copy.column == "notes" && copy.node == day.second.node && copy.device == "b")
        #expect(copy.offeredBy == "d" && copy.offeredAt >= before)
        // An author whom nobody here has heard of is named as well, and who names him.
        var forged = day.new
        forged.fields = [
            "high": WireRecord.Field(
                value: .integer(9), stamp: Stamp(lamport: 30, node: "node-nobody"), version: 2)
        ]
        _ = try day.early.offer([forged], to: day.yard)
        let last = try #require(try day.yard.store.history(of: day.id).copies.last)
        #expect(last.node == "node-nobody" && last.device == nil && last.offeredBy == "c")
    }

    // MARK: States

    /// An inspection that was made, handed in and judged after the backup.
    private func judged(
        _ backend: Backend, _ judge: (Yard, Supervisor) throws -> Void
    ) throws -> (Yard, Handheld, Handheld) {
        let yard = try Yard(backend)
        let (maker, witness) = (try yard.enrol("a"), try yard.enrol("b"))
        let backup = try yard.backUp()
        try maker.push(maker.begin("new", asset: ImportedID.asset("A1")))
        try maker.pull()
        try maker.push(maker.change("new", [BuiltInField.state: .string("complete")]))
        try judge(yard, Supervisor(name: "anna"))
        try witness.pull()
        try yard.restore(backup)
        return (yard, maker, witness)
    }

    private func state(_ yard: Yard) throws -> FieldValue? {
        try yard.everything()["new"]?.fields[BuiltInField.state]?.value
    }

    @Test(
        "T86 an inspection that was approved comes back as handed in, to be approved again",
        arguments: Backend.allCases)
    func approved(backend: Backend) throws {
        let (yard, _, witness) = try judged(backend) { yard, anna in
            try yard.store.approve(inspection: "new", by: anna)
        }
        let record = try #require(witness.confirmed["new"])
        let verdict = try #require(try witness.offer([record], to: yard).first)
        #expect(verdict.status == .refused && verdict.columns == [BuiltInField.state])
        #expect(try state(yard) == .string("complete"))
        // One who reopens it is not overruled by the next who offers.
        let other = try yard.enrol("c")
        try other.pull()
        try other.push(other.change("new", [BuiltInField.state: .string("inProgress")]))
        _ = try witness.offer([record], to: yard)
        #expect(try state(yard) == .string("inProgress"))
        try other.push(other.change("new", [BuiltInField.state: .string("complete")]))
        try yard.store.approve(inspection: "new", by: Supervisor(name: "anna"))
        #expect(try state(yard) == .string("approved"))
    }

    @Test("T86 one that was returned comes back as in progress", arguments: Backend.allCases)
    func returned(backend: Backend) throws {
        let (yard, _, witness) = try judged(backend) { yard, anna in
            try yard.store.returnInspection(id: "new", comment: "once more", by: anna)
        }
        let record = try #require(witness.confirmed["new"])
        _ = try witness.offer([record], to: yard)
        #expect(try state(yard) == .string("inProgress"))
    }
}
