import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// A server that was restored from a backup has forgotten what it had answered since. Devices
/// remember.
@Suite("Conformance: a server that was set back")
struct EpochTests {
    @Test(
        "T86 after a restore each cursor has expired, and the answers name another epoch",
        arguments: Backend.allCases)
    func expired(backend: Backend) throws {
        let (yard, id, first, _) = try Yard.pair(backend)
        let before = try yard.store.serverEpoch()
        let backup = try yard.backUp()
        try first.push(first.change(id, ["notes": .string("lost with the disk")]))
        try first.pull()
        try yard.restore(backup)
        #expect(try yard.store.serverEpoch() > before)
        #expect(refusal { try first.pullPage() } == .cursorExpired)
        first.cursor = nil
        try first.pullPage()
        #expect(try first.lastPage?.server.epoch == yard.store.serverEpoch())
    }

    @Test(
        "T86 what was acknowledged since the backup is offered again and has one effect",
        arguments: Backend.allCases)
    func offeredAgain(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        let kept = first.change(id, ["notes": .string("in the backup")])
        try first.push(kept)
        let backup = try yard.backUp()
        let lost = first.change(id, ["high": .integer(7)])
        let begun = first.begin("new", asset: ImportedID.asset("A1"))
        try first.push(lost, begun)
        try first.pull()
        try yard.restore(backup)
        try second.push(second.change(id, ["low": .integer(1)]))
        let again = try first.push(kept, lost, begun)
        #expect(again.map(\.status) == [.applied, .applied, .applied])
        let record = try #require(try yard.everything()[id])
        #expect(record.fields["notes"]?.value == .string("in the backup"))
        #expect(record.fields["high"]?.value == .integer(7))
        #expect(
            record.fields["high"]?.stamp
                == Stamp(
                    lamport: lost.changes["high"]?.lamport ?? 0, node: first.node), "its own author"
        )
        #expect(record.fields["low"]?.value == .integer(1))
        #expect(record.version == 4)
        let census = try yard.store.census()
        #expect(census.offeredAgain == [first.device.id: 2, second.device.id: 1])
        #expect(census.epochBegan == yard.clock.now)
    }

    @Test(
        "T86 a base that was learnt before the restore writes over nothing that came after it",
        arguments: Backend.allCases)
    func ceiling(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        let backup = try yard.backUp()
        for text in ["x", "y"] { try first.push(first.change(id, ["notes": .string(text)])) }
        try first.pull()
        #expect(first.confirmed[id]?.version == 3)
        let late = first.change(id, ["notes": .string("z")])
        try yard.restore(backup)
        for text in ["p", "q"] {
            second.cursor = nil
            try second.pull()
            try second.push(second.change(id, ["notes": .string(text)]))
        }
        // Version 3 stands again, but it is another one than the device had seen.
        let verdict = try first.push(late)[0]
        #expect(verdict.status == .conflict)
        #expect(verdict.record?.fields["notes"]?.value == .string("q"))
    }

    @Test("a base counts from the first epoch that the device missed", arguments: Backend.allCases)
    func twoRestores(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        let early = try yard.backUp(as: "1.db")
        try first.push(first.change(id, ["notes": .string("x")]))
        try first.pull()
        let late = first.change(id, ["notes": .string("late")])
        try yard.restore(early)
        second.cursor = nil
        try second.pull()
        try second.push(second.change(id, ["notes": .string("p")]))
        try yard.restore(try yard.backUp(as: "2.db"))
        // It had seen version 2 of the first epoch; version 2 of now came after that.
        #expect(try first.push(late)[0].status == .conflict)
        #expect(try yard.everything()[id]?.fields["notes"]?.value == .string("p"))
    }

    @Test(
        "what was learnt in an epoch that the server does not know counts as never seen",
        arguments: Backend.allCases)
    func unknownEpoch(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        let backup = try yard.backUp()
        try yard.restore(backup)
        first.cursor = nil
        try first.pull()
        try first.push(first.change(id, ["notes": .string("in the middle")]))
        try first.pull()
        let late = first.change(id, ["notes": .string("late")])
        // The same backup again: what happened between the two is not in it.
        try yard.restore(backup)
        second.cursor = nil
        try second.pull()
        try second.push(second.change(id, ["notes": .string("p")]))
        #expect(try first.push(late)[0].status == .conflict)
    }

    @Test(
        "T86 a database that was set back behind the server's back is noticed by a cursor",
        arguments: Backend.allCases, [false, true])
    func setBack(backend: Backend, byPush: Bool) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        let epoch = try yard.store.serverEpoch()
        let backup = try yard.backUp()
        let lost = first.change(id, ["notes": .string("x")])
        try first.push(lost)
        try first.pull()
        try yard.setBack(to: backup)
        #expect(try yard.store.serverEpoch() == epoch)
        if byPush {
            #expect(try first.push(lost).map(\.status) == [.applied], "and it is no fork")
        } else {
            #expect(refusal { try first.pullPage() } == .cursorExpired)
        }
        #expect(try yard.store.serverEpoch() > epoch)
        #expect(refusal { try first.pullPage() } == .cursorExpired)
        #expect(refusal { try second.pullPage() } == .cursorExpired, "for all devices")
        let begun = try yard.store.serverEpoch()
        first.cursor = nil
        try first.pull()
        try first.push(lost)
        #expect(try yard.store.serverEpoch() == begun, "once")
        #expect(try yard.everything()[id]?.fields["notes"]?.value == .string("x"))
    }

    @Test("no device begins an epoch with a cursor that it made up", arguments: Backend.allCases)
    func forged(backend: Backend) throws {
        let (yard, id, first, _) = try Yard.pair(backend)
        let epoch = try yard.store.serverEpoch()
        let parts = try #require(first.cursor).split(separator: "-").map(String.init)
        let numbers = parts[0].split(separator: ".").map(String.init)
        let ahead = [numbers[0], "zzzz", numbers[2]].joined(separator: ".")
        for cursor in [ahead, ahead + "-" + parts[1], ahead + "-"] {
            first.cursor = cursor
            #expect(refusal { try first.pullPage() } == .cursorExpired)
            try first.push(first.change(id, ["high": .integer(1)]))
        }
        #expect(try yard.store.serverEpoch() == epoch)
        first.cursor = parts[0]
        try first.pull()
    }

    @Test(
        "a change of a record that the backup lacks waits for the device that made it",
        arguments: Backend.allCases)
    func comesBack(backend: Backend) throws {
        let (yard, _, first, second) = try Yard.pair(backend)
        let backup = try yard.backUp()
        let begun = first.begin("new", asset: ImportedID.asset("A1"))
        try first.push(begun)
        try first.pull()
        try second.pull()
        let edit = second.change("new", ["notes": .string("of the second")])
        try yard.restore(backup)
        #expect(try second.push(edit).map(\.status) == [.held])
        #expect(try first.push(begun).map(\.status) == [.applied])
        #expect(try second.push(edit).map(\.status) == [.applied])
    }

    @Test(
        "and after thirty days a person looks at it, also where its base does not tell of the record",
        arguments: Backend.allCases, [true, false])
    func doesNotComeBack(backend: Backend, hasBase: Bool) throws {
        let (yard, _, first, second) = try Yard.pair(backend)
        let backup = try yard.backUp()
        try first.push(first.begin("new", asset: ImportedID.asset("A1")))
        try second.pull()
        var edit = second.change("new", ["notes": .string("of the second")])
        if !hasBase { edit.changes["notes"]?.baseVersion = 0 }
        let row = second.row("row", under: "new", ["text": .string("a row of it")])
        try yard.restore(backup)
        #expect(try second.push(edit, row).map(\.status) == [.held, .held])
        yard.clock.advance(seconds: 31 * 86_400)
        #expect(
            try second.push(edit, row).map(\.status) == [.held, .held],
            "it has not yet offered what it has itself")
        try second.pullKeepingCursor()
        let verdicts = try second.push(edit, row)
        #expect(verdicts.map(\.status) == [.quarantined, .rejected])
        #expect(verdicts.last?.error?.code == "parent_deleted")
        let asked = try yard.store.openReviews()
        #expect(asked.map(\.mine) == [.string("of the second")])
        for item in asked {
            try yard.store.resolve(
                review: item.id, .theirs, comment: nil, by: Supervisor(name: "kim"))
        }
        #expect(try yard.store.openReviews().isEmpty)
        second.cursor = nil
        try second.pull()
        #expect(second.results.last?.mutationId == edit.id)
        #expect(second.results.last?.status == .merged)
    }

    @Test(
        "T86 who was away for the thirty days brings a record himself, and what he made under it",
        arguments: Backend.allCases)
    func broughtLate(backend: Backend) throws {
        let (yard, _, first, second) = try Yard.pair(backend)
        let backup = try yard.backUp()
        try first.push(first.begin("new", asset: ImportedID.asset("A1")))
        try second.pull()
        let edit = second.change("new", ["notes": .string("of the second")])
        let row = second.row("row", under: "new", ["text": .string("a row of it")])
        try yard.restore(backup)
        yard.clock.advance(seconds: 31 * 86_400)
        #expect(try second.push(edit, row).map(\.status) == [.held, .held])
        let copy = try #require(second.confirmed["new"])
        try second.pullKeepingCursor()
        #expect(try second.offer([copy], to: yard).map(\.status) == [.taken])
        #expect(try second.push(edit, row).map(\.status) == [.applied, .applied])
        let standing = try yard.everything()
        #expect(standing["new"]?.fields["notes"]?.value == .string("of the second"))
        #expect(standing["row"] != nil)
        #expect(try yard.store.openReviews().isEmpty)
    }

    @Test(
        "T86 what was made after the restore under a record that nobody brings back waits thirty days as well",
        arguments: Backend.allCases)
    func madeSince(backend: Backend) throws {
        let (yard, _, first, second) = try Yard.pair(backend)
        let backup = try yard.backUp()
        try first.push(first.begin("new", asset: ImportedID.asset("A1")))
        try second.pull()
        try yard.restore(backup)
        // It has heard of the restore, and still shows the record.
        let before = second.confirmed
        second.cursor = nil
        try second.pull()
        #expect(before["new"] != nil)
        let row = second.row("row", under: "new", ["text": .string("a row of it")])
        var edit = second.mutation(
            "new", table: RecordTable.inspection, parent: nil, .update,
            ["notes": .string("of the second")])
        edit.changes["notes"]?.baseVersion = 0
        #expect(try second.push(row, edit).map(\.status) == [.held, .held])
        yard.clock.advance(seconds: 31 * 86_400)
        let verdicts = try second.push(row, edit)
        #expect(verdicts.map(\.status) == [.rejected, .quarantined])
        #expect(verdicts.first?.error?.code == "parent_deleted")
        #expect(try yard.store.openReviews().map(\.mine) == [.string("of the second")])
        // What is only refused beside it keeps nobody waiting for ever, and nothing is refused for it.
        let made = second.begin("other", asset: ImportedID.asset("A1"), ["high": .string("none")])
        let below = second.row("below", under: "other", ["text": .string("x")])
        #expect(try second.push(made, below).map(\.status) == [.rejected, .held])
    }

    @Test(
        "T86 an inspection of a form that was published since the backup waits for the form",
        arguments: Backend.allCases, [true, false])
    func formComesBack(backend: Backend, isPublished: Bool) throws {
        let (yard, _, first, _) = try Yard.pair(backend)
        let backup = try yard.backUp()
        try yard.store.publish(try Yard.form(version: "2"))
        let begun = first.begin(
            "new", asset: ImportedID.asset("A1"), [BuiltInField.formVersion: .string("2")])
        #expect(try first.push(begun).map(\.status) == [.applied])
        try first.pull()
        try yard.restore(backup)
        #expect(try first.push(begun).map(\.status) == [.held], "nothing is wrong with it")
        if isPublished {
            try yard.store.publish(try Yard.form(version: "2"))
            #expect(try first.push(begun).map(\.status) == [.applied])
        } else {
            yard.clock.advance(seconds: 31 * 86_400)
            #expect(try first.push(begun)[0].error?.code == "unknown_form", "and then it is told")
        }
    }

    @Test("a restored server takes any baton once", arguments: Backend.allCases)
    func batons(backend: Backend) throws {
        let (yard, id, first, _) = try Yard.pair(backend)
        try first.push(first.change(id, ["high": .integer(1)]))
        let backup = try yard.backUp()
        for number in 2...4 { try first.push(first.change(id, ["high": .integer(Int64(number))])) }
        try yard.restore(backup)
        #expect(try first.push(first.change(id, ["low": .integer(1)])).map(\.status) == [.applied])
        #expect(try first.push(first.change(id, ["low": .integer(0)])).map(\.status) == [.applied])
    }
}
