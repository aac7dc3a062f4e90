import Coding
import Inspections
import Replication
import ServerStore
import Testing

/// A site goes to another team while a device of the first one is offline with edits.
@Suite("Conformance: scope lost with edits on the way")
struct LostScopeTests {
    private let boss = Supervisor(name: "kim")
    private let asset = ImportedID.asset("A1")

    @Test(
        "T88 edits made before the loss was heard of go to review, are not merged and not lost",
        arguments: Backend.allCases)
    func reviewed(backend: Backend) throws {
        let (yard, id, north, south) = try Yard.twoTeams(backend)
        let edit = north.change(id, ["notes": .string("entered offline"), "high": .integer(3)])
        let loose = north.begin("loose", asset: nil)
        try yard.move(to: "south")
        let verdicts = try north.push(edit, loose)
        #expect(verdicts.map(\.status) == [.quarantined, .applied])
        #expect(verdicts[0].conflicts.map(\.column) == ["high", "notes"])
        #expect(verdicts[0].conflicts.allSatisfy { $0.rule == "scope" })
        #expect(verdicts[0].record == nil, "it is not theirs any more")
        #expect(verdicts[0].conflicts.allSatisfy { $0.theirs == .null && $0.theirsNode == nil })
        try north.pull()
        #expect(north.confirmed[id] == nil)
        try south.pull()
        #expect(south.value(id, "notes") == .null, "nothing was merged")
        #expect(try north.push(edit).map(\.status) == [.quarantined], "and nothing twice")
        #expect(try yard.store.openReviews().map(\.column).sorted() == ["high", "notes"])

        try yard.store.resolve(
            review: yard.review(of: "notes").id, .mine, comment: nil, by: boss)
        try yard.store.resolve(
            review: yard.review(of: "high").id, .theirs, comment: nil, by: boss)
        try south.pull()
        #expect(south.value(id, "notes") == .string("entered offline"))
        #expect(south.value(id, "high") == .null)
        try north.pull()
        #expect(north.results.last?.mutationId == edit.id)
        #expect(north.results.last?.status == .merged)
        #expect(north.results.allSatisfy { $0.record == nil })
    }

    @Test(
        "T88 once the loss was heard of, an edit is refused by itself and kept on the device",
        arguments: Backend.allCases)
    func refused(backend: Backend) throws {
        let (yard, id, north, _) = try Yard.twoTeams(backend)
        let edit = north.change(id, ["notes": .string("too late")])
        try yard.move(to: "south")
        try north.pull()
        let verdicts = try north.push(edit, north.begin("loose", asset: nil))
        #expect(verdicts.map(\.status) == [.rejected, .applied])
        #expect(verdicts[0].error?.code == "out_of_scope")
        #expect(try yard.store.openReviews().isEmpty)
        try yard.move(to: "north")
        #expect(try north.push(edit).map(\.status) == [.applied], "it is judged afresh")
    }

    @Test(
        "T88 an edit of before goes to review under the cursor of before, also after the loss was heard of",
        arguments: Backend.allCases)
    func beforeTheNews(backend: Backend) throws {
        let (yard, id, north, _) = try Yard.twoTeams(backend)
        let edit = north.change(id, ["notes": .string("entered before")])
        let begun = north.begin("new", asset: asset, ["notes": .string("begun before")])
        let before = north.cursor
        try yard.move(to: "south")
        try north.pull()
        let late = north.mutation(
            id, table: RecordTable.inspection, parent: asset, .update, ["high": .integer(3)])
        let after = north.cursor
        north.cursor = before
        #expect(try north.push(edit, begun).map(\.status) == [.quarantined, .quarantined])
        north.cursor = after
        #expect(try north.push(late)[0].error?.code == "out_of_scope")
        #expect(
            Set(try yard.store.openReviews().map(\.mine)) == [
                .string("entered before"), .string("begun before"),
            ])
    }

    @Test("a team that never had the site sends nothing to review", arguments: Backend.allCases)
    func never(backend: Backend) throws {
        let (yard, id, _, south) = try Yard.twoTeams(backend)
        try south.pull()
        let edit = south.mutation(
            id, table: RecordTable.inspection, parent: asset, .update, ["notes": .string("x")])
        #expect(try south.push(edit)[0].error?.code == "out_of_scope")
        try yard.move(to: "south")
        try yard.move(to: "north")
        let again = south.mutation(
            id, table: RecordTable.inspection, parent: asset, .update, ["notes": .string("y")])
        let cursor = south.cursor
        south.cursor = nil
        #expect(try south.push(again)[0].error?.code == "out_of_scope", "without a cursor")
        south.cursor = cursor
        #expect(try yard.store.openReviews().isEmpty)
    }

    @Test(
        "T88 a record that was begun before the loss is made by the decision, with what is in it",
        arguments: Backend.allCases)
    func begun(backend: Backend) throws {
        let (yard, _, north, south) = try Yard.twoTeams(backend)
        let begun = north.begin("new", asset: asset, ["notes": .string("n"), "high": .integer(1)])
        let finding = north.mutation(
            "f1", table: RecordTable.finding, parent: "new", .insert, ["text": .string("leak")])
        let edit = north.mutation(
            "new", table: RecordTable.inspection, parent: asset, .update,
            ["low": .integer(2)])
        try yard.move(to: "south")
        #expect(
            try north.push(begun, finding, edit).map(\.status)
                == [.quarantined, .quarantined, .quarantined])
        let early = refusal {
            try yard.store.resolve(
                review: yard.review(of: "text").id, .mine, comment: nil, by: boss)
        }
        #expect(early == .stateRefused, "its parent is not there")
        try yard.store.resolve(review: yard.review(of: "notes").id, .mine, comment: nil, by: boss)
        try south.pull()
        #expect(south.value("new", "notes") == .string("n"))
        #expect(south.value("new", BuiltInField.form) == .string("cold"))
        #expect(south.value("new", "high") == .null, "nobody has decided about it yet")
        for column in ["high", "low", "text"] {
            try yard.store.resolve(
                review: yard.review(of: column).id, .mine, comment: nil, by: boss)
        }
        try south.pull()
        #expect(south.value("new", "high") == .integer(1))
        #expect(south.value("new", "low") == .integer(2))
        #expect(south.value("f1", "text") == .string("leak"))
        try north.pull()
        #expect(north.results.map(\.status) == [.merged, .merged, .merged])
        #expect(try yard.store.openReviews().isEmpty)
    }

    @Test("what is let go makes no record, and the device hears of it", arguments: Backend.allCases)
    func letGo(backend: Backend) throws {
        let (yard, id, north, south) = try Yard.twoTeams(backend)
        let begun = north.begin("new", asset: asset)
        let same = north.change(id, ["@state": .string("assigned")])
        try yard.move(to: "south")
        #expect(try north.push(begun, same).map(\.status) == [.quarantined, .applied])
        let item = try #require(try yard.store.openReviews().first)
        #expect(try yard.store.openReviews().count == 1, "one for the whole record")
        try yard.store.resolve(review: item.id, .theirs, comment: "done again", by: boss)
        try south.pull()
        #expect(south.confirmed["new"] == nil)
        try north.pull()
        #expect(north.results.map(\.status) == [.merged])
    }

    @Test(
        "T88 later work on a record that waits for a decision waits too, also when the site is back",
        arguments: Backend.allCases)
    func restsOnParked(backend: Backend) throws {
        let (yard, _, north, _) = try Yard.twoTeams(backend)
        let begun = north.begin("new", asset: asset)
        try yard.move(to: "south")
        #expect(try north.push(begun).map(\.status) == [.quarantined])
        try yard.move(to: "north")
        try north.pull()
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(review: item.id, .theirs, comment: nil, by: boss)
        let later = north.mutation(
            "new", table: RecordTable.inspection, parent: asset, .update,
            ["notes": .string("later")])
        let verdicts = try north.push(later)
        #expect(verdicts.map(\.status) == [.quarantined], "nobody makes the record any more")
        #expect(verdicts[0].conflicts.map(\.rule) == ["scope"])
        #expect(try yard.store.openReviews().map(\.column) == ["notes"])
    }

    @Test(
        "T88 a record begun without a value is decided on too, and what follows rests on it",
        arguments: Backend.allCases)
    func begunEmpty(backend: Backend) throws {
        let (yard, id, north, south) = try Yard.twoTeams(backend)
        let finding = north.mutation(
            "f1", table: RecordTable.finding, parent: id, .insert, [:])
        let title = north.mutation(
            "f1", table: RecordTable.finding, parent: id, .update, ["text": .string("leak")])
        try yard.move(to: "south")
        #expect(try north.push(finding, title).map(\.status) == [.quarantined, .quarantined])
        let making = try #require(
            try yard.store.openReviews().first { $0.column == Mutation.deletedField })
        try yard.store.resolve(review: making.id, .mine, comment: nil, by: boss)
        try yard.store.resolve(review: yard.review(of: "text").id, .mine, comment: nil, by: boss)
        try south.pull()
        #expect(south.value("f1", "text") == .string("leak"))
        #expect(south.confirmed["f1"]?.isDeleted == false)
        try north.pull()
        #expect(north.results.map(\.status) == [.merged, .merged])
    }

    @Test(
        "a deletion from before the loss is confirmed by a person", arguments: Backend.allCases)
    func deletion(backend: Backend) throws {
        let (yard, id, north, south) = try Yard.twoTeams(backend)
        let deletion = north.delete(id)
        try yard.move(to: "south")
        #expect(try north.push(deletion).map(\.status) == [.quarantined])
        try south.pull()
        #expect(south.confirmed[id]?.isDeleted == false)
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss)
        try south.pull()
        #expect(south.confirmed[id]?.isDeleted == true)
    }

    @Test(
        "M44 T88 what the other team has entered is told to no device that may not see it",
        arguments: Backend.allCases)
    func tellsNothing(backend: Backend) throws {
        let (yard, id, north, south) = try Yard.twoTeams(backend)
        let edit = north.change(id, ["notes": .string("mine")])
        try yard.move(to: "south")
        try south.pull()
        try south.push(south.change(id, ["notes": .string("secret")]))
        for _ in 0..<2 {
            let conflict = try #require(try north.push(edit)[0].conflicts.first)
            #expect(conflict.theirs == .null && conflict.theirsNode == nil)
        }
        let item = try yard.review(of: "notes")
        #expect(item.theirs == .string("secret") && item.theirsNode == south.node)
        try yard.store.resolve(review: item.id, .theirs, comment: nil, by: boss)
        try north.pull()
        #expect(north.results.map(\.status) == [.merged])
    }

    @Test(
        "M44 a team learns nothing of another's record from how a change of it is refused",
        arguments: Backend.allCases)
    func refusedAlike(backend: Backend) throws {
        let (_, id, north, south) = try Yard.twoTeams(backend)
        try north.push(
            north.mutation(
                "f1", table: RecordTable.finding, parent: id, .insert, ["text": .string("x")]))
        try north.push(north.begin("gone", asset: asset))
        try north.pull()
        try north.push(north.delete("gone"))
        try south.pull()
        func probe(_ record: RecordID, _ table: String, under parent: RecordID?) -> Mutation {
            south.mutation(record, table: table, parent: parent, .insert, ["a": .integer(1)])
        }
        let probes = [
            probe(id, RecordTable.inspection, under: asset), probe(id, "finding", under: "f1"),
            probe("n1", RecordTable.finding, under: id), probe("n2", "finding", under: asset),
            probe("n3", RecordTable.finding, under: "gone"), probe("n4", "repeat", under: "f1"),
            south.mutation(id, table: "asset", parent: nil, .update, ["a": .integer(1)]),
            south.mutation(id, table: "inspection", parent: nil, .delete, [:]),
        ]
        for probe in probes {
            #expect(try south.push(probe)[0].error?.code == "out_of_scope", "\(probe)")
        }
        let office = [
            probe(ImportedID.site("S1"), RecordTable.site, under: nil),
            probe(ImportedID.site("S9"), RecordTable.site, under: nil),
        ]
        let errors = try south.push(office).map(\.error)
        #expect(errors[0] == errors[1] && errors[0]?.code == "not_allowed")
    }

    @Test(
        "T88 also what was locked or deleted meanwhile goes to review, and is not put into it",
        arguments: Backend.allCases, [false, true])
    func parkedUnderLock(backend: Backend, isDeleted: Bool) throws {
        let (yard, id, north, south) = try Yard.twoTeams(backend)
        let edit = north.change(id, ["notes": .string("entered offline")])
        let finding = north.mutation(
            "f1", table: RecordTable.finding, parent: id, .insert, ["text": .string("leak")])
        try yard.move(to: "south")
        try south.pull()
        if isDeleted {
            try south.push(south.delete(id))
        } else {
            try south.push(south.change(id, ["@state": .string("complete")]))
            try yard.store.approve(inspection: id, by: boss)
        }
        #expect(try north.push(edit, finding).map(\.status) == [.quarantined, .quarantined])
        let before = try yard.everything(team: "south")
        for item in try yard.store.openReviews() {
            #expect(
                refusal { try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss) }
                    == .stateRefused, "\(item.column)")
            try yard.store.resolve(review: item.id, .theirs, comment: nil, by: boss)
        }
        #expect(try yard.everything(team: "south") == before)
    }

    @Test(
        "T88 a deletion that names no field is decided on too", arguments: Backend.allCases)
    func bareDeletion(backend: Backend) throws {
        let (yard, id, north, south) = try Yard.twoTeams(backend)
        let deletion = north.change(id, [:], .delete)
        try yard.move(to: "south")
        #expect(try north.push(deletion).map(\.status) == [.quarantined])
        let item = try yard.review(of: Mutation.deletedField)
        #expect(item.mine == .integer(1))
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss)
        try south.pull()
        #expect(south.confirmed[id]?.isDeleted == true)
    }

    @Test(
        "T88 a scope that is gained comes page by page, also while its records change",
        arguments: Backend.allCases, [1, 3])
    func gained(backend: Backend, limit: Int64) throws {
        let (yard, _, north, south) = try Yard.twoTeams(backend)
        for day in 10...16 { try yard.assign(due: "2026-03-\(day)") }
        try north.pull()
        try south.pull()
        try yard.move(to: "south")
        var pages = 0
        repeat {
            try south.pullPage(limit: limit)
            pages += 1
            guard pages == 2 else { continue }
            _ = try yard.store.importAssets([
                AssetRow(id: "A1", site: "S1", tag: "RT-1", name: "Renamed")
            ])
        } while south.lastPage?.hasMore == true
        #expect(pages > 3)
        #expect(try south.confirmed == yard.everything(team: "south"))
        let report = try #require(south.lastPage?.digest)
        #expect(report.sites.filter { $0.value != SiteDigest() } == south.digests)
    }

    @Test(
        "T88 edits of before a restore, also of an epoch that a second one has forgotten, go to review",
        arguments: Backend.allCases, [1, 2])
    func restored(backend: Backend, restores: Int) throws {
        let (yard, id, north, south) = try Yard.twoTeams(backend)
        let backup = try yard.backUp()
        for _ in 1..<restores {
            try yard.restore(backup)
            north.cursor = nil
            try north.pull()
        }
        let sent = north.change(id, ["high": .integer(3)])
        #expect(try north.push(sent).map(\.status) == [.applied])
        let edit = north.change(id, ["notes": .string("entered offline")])
        try yard.restore(backup)
        try yard.move(to: "south")
        #expect(try north.push(sent, edit).map(\.status) == [.quarantined, .quarantined])
        #expect(try yard.store.openReviews().map(\.column).sorted() == ["high", "notes"])
        south.cursor = nil
        try south.pull()
        #expect(south.value(id, "notes") == .null && south.value(id, "high") == .null)
    }

    @Test(
        "T88 of what a colleague's copy had brought back before the site moved nothing waits",
        arguments: Backend.allCases)
    func broughtBack(backend: Backend) throws {
        let (yard, id, north, _) = try Yard.twoTeams(backend)
        let witness = try yard.enrol("w")
        let backup = try yard.backUp()
        let sent = north.change(id, ["high": .integer(3)])
        try north.push(sent)
        try witness.pull()
        let copy = try #require(witness.confirmed[id])
        try yard.restore(backup)
        #expect(try witness.offer([copy], to: yard).map(\.status) == [.taken])
        try yard.move(to: "south")
        #expect(try north.push(sent).map(\.status) == [.applied])
        #expect(try yard.store.openReviews().isEmpty)
    }
}
