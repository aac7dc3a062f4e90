import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// What a deletion and a pruning may take with them, and what not.
@Suite("Conformance: what pruning leaves")
struct KeptTests {
    private static let month: Int64 = 31 * 86_400
    private let boss = Supervisor(name: "kim")

    /// A pull that the store has taken note of: notes are written with the next batch.
    private func pull(_ devices: Handheld...) throws {
        for device in devices {
            for _ in 0..<2 { try device.pull() }
            try device.push([])
        }
    }

    private func finding(_ id: RecordID, under parent: RecordID, of device: Handheld) -> Mutation {
        device.mutation(
            id, table: RecordTable.finding, parent: parent, .insert, ["text": .string("leak")])
    }

    @Test(
        "no device deletes equipment, and with it the inspections that were made on it",
        arguments: Backend.allCases, [Mutation.Operation.delete, .update])
    func equipment(backend: Backend, operation: Mutation.Operation) throws {
        let (yard, id, first, _) = try Yard.pair(backend)
        let asset = ImportedID.asset("A1")
        let deletion = first.change(asset, [Mutation.deletedField: .integer(1)], operation)
        let verdict = try first.push(deletion)[0]
        #expect(verdict.status == .rejected && verdict.error?.code == "not_allowed")
        #expect(try yard.everything()[asset]?.isDeleted == false)
        #expect(
            try first.push(first.change(asset, [BuiltInField.title: .string("New")]))[0].status
                == .applied, "what it is called may still be corrected")
        #expect(try yard.everything()[id]?.isDeleted == false)
    }

    @Test(
        "equipment that an earlier server let be deleted takes no inspection with it",
        arguments: Backend.allCases)
    func oldDeletion(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(
            first.change(id, [BuiltInField.state: .string("complete"), "notes": .string("x")]))
        try yard.store.approve(inspection: id, by: boss)
        try yard.deleteBehindTheBack(ImportedID.asset("A1"))
        for _ in 0..<3 {
            yard.clock.advance(seconds: Self.month)
            try pull(first, second)
            #expect(try yard.prune().pruned == 0, "something stands under it")
        }
        #expect(try yard.everything()[id]?.isDeleted == false)
        #expect(try yard.store.export(form: nil).contains { $0.id == id })
    }

    @Test(
        "while a person has to decide about a deletion, what stands under the record stays",
        arguments: Backend.allCases)
    func undecided(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(finding("f1", under: id, of: first))
        try second.pull()
        try first.push(first.change(id, ["notes": .string("seen by nobody else")]))
        try second.push(second.delete(id))
        yard.clock.advance(seconds: Self.month)
        try pull(first, second)
        #expect(try yard.prune() == PruneReport(pruned: 0, waiting: 1, waitsFor: []))
        #expect(try yard.everything()["f1"]?.isDeleted == false)
        let item = try #require(try yard.store.openReviews().first { $0.rule == "delete" })
        try yard.store.resolve(review: item.id, .theirs, comment: nil, by: boss)
        let here = try yard.everything()
        #expect(here[id]?.isDeleted == false && here["f1"]?.isDeleted == false)
    }

    @Test(
        "while a live device has not heard of a deletion, what stands under the record stays",
        arguments: Backend.allCases)
    func unheard(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(finding("f1", under: id, of: first))
        try pull(second)
        try first.push(first.delete(id))
        yard.clock.advance(seconds: Self.month)
        try pull(first)
        #expect(try yard.prune().waitsFor == [second.device.id])
        #expect(try yard.everything()["f1"]?.isDeleted == false)
        let edit = second.change(id, ["notes": .string("late")])
        #expect(try second.push(edit)[0].conflicts.map(\.rule) == ["tombstone"])
        try second.push(
            second.change(id, [Mutation.deletedField: .integer(0), "notes": .string("late")]))
        let here = try yard.everything()
        #expect(here[id]?.isDeleted == false && here["f1"]?.isDeleted == false)
    }

    @Test(
        "a value that waits for a person below a deleted record keeps all that belongs to it",
        arguments: Backend.allCases)
    func reviewBelow(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(finding("f1", under: id, of: first), finding("f2", under: id, of: first))
        let late = first.change("f1", ["text": .string("two leaks")])
        _ = try yard.store.importSites([SiteRow(id: "S1", name: "Dock", team: "south")])
        let south = try yard.enrol("s", team: "south")
        try south.pull()
        #expect(try first.push(late)[0].status == .quarantined)
        try south.push(south.delete(id))
        yard.clock.advance(seconds: Self.month)
        try pull(first, second, south)
        #expect(try yard.prune().pruned == 0)
        for finding in ["f1", "f2"] as [RecordID] {
            #expect(try yard.everything(team: "south")[finding]?.isDeleted == false)
        }
        let item = try #require(try yard.store.openReviews().first { $0.record == "f1" })
        #expect(
            refusal { try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss) }
                == .stateRefused, "nobody would see it there")
        try yard.store.resolve(review: item.id, .theirs, comment: nil, by: boss)
        _ = try yard.prune()
        #expect(try yard.everything(team: "south")["f1"]?.isDeleted == true)
        #expect(
            try yard.store.history(of: "f1").entries.map(\.value).contains(.string("two leaks")))
    }

    @Test(
        "T70 what others than its deleter had entered in a record that is gone stays in history",
        arguments: Backend.allCases)
    func history(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(finding("f1", under: id, of: first))
        try pull(second)
        try first.push(first.delete(id))
        for _ in 0..<2 {
            yard.clock.advance(seconds: Self.month)
            try pull(first, second)
            _ = try yard.prune()
        }
        #expect(try yard.everything()["f1"] == nil)
        let history = try yard.store.history(of: "f1")
        #expect(!history.isHere && history.replacedBy == nil)
        let entry = try #require(history.entries.last)
        #expect(entry.column == "text" && entry.value == .string("leak"))
        #expect(entry.node == first.node && entry.device == "a" && entry.rule == "delete")
        #expect(refusal { _ = try yard.store.history(of: "nobody") } == .unknownRecord)
    }

    @Test(
        "T86 after a restore no tombstone goes before each device has heard of it anew",
        arguments: Backend.allCases)
    func restored(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.delete(id))
        try pull(first, second)
        yard.clock.advance(seconds: Self.month)
        try yard.restore(try yard.backUp())
        first.cursor = nil
        try pull(first)
        #expect(
            try yard.prune()
                == PruneReport(pruned: 0, waiting: 1, waitsFor: [second.device.id]))
        second.cursor = nil
        try second.pull()
        #expect(second.confirmed[id]?.isDeleted == true)
        try pull(second)
        #expect(try yard.prune().pruned == 1)
    }

    @Test(
        "T86 a device that stays away after a restore is waited for sixty days",
        arguments: Backend.allCases)
    func restoredAndSilent(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.delete(id))
        // The backup is old: what it says of when devices were there tells nothing.
        let backup = try yard.backUp()
        yard.clock.advance(seconds: 3 * Self.month)
        try yard.restore(backup)
        first.cursor = nil
        try pull(first)
        #expect(try yard.prune().waitsFor == [second.device.id])
        yard.clock.advance(seconds: 59 * 86_400)
        try pull(first)
        #expect(try yard.prune().pruned == 0)
        yard.clock.advance(seconds: 2 * 86_400)
        try pull(first)
        #expect(try yard.prune().pruned == 1)
    }

    @Test(
        "a clock that is years ahead prunes nothing, until somebody says that it is right",
        arguments: Backend.allCases)
    func wrongClock(backend: Backend) throws {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.delete(id))
        try pull(first, second)
        _ = try yard.prune()
        let now = yard.clock.now
        yard.clock.advance(seconds: 80 * 365 * 86_400)
        // Devices have the time from the server, and make it no better.
        try pull(first, second)
        #expect(refusal { _ = try yard.prune() } == .clockDoubted)
        #expect(try yard.everything()[id]?.isDeleted == true)
        yard.clock.set(to: now + 1)
        #expect(try yard.prune().pruned == 0, "the clock was mended")
        yard.clock.advance(seconds: 80 * 365 * 86_400)
        try yard.store.trustClock()
        #expect(try yard.prune().pruned == 1)
    }
}
