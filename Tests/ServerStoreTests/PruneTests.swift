import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// Tombstones go when they are old and everybody has heard of them; who comes later is rescued.
@Suite("Conformance: pruning")
struct PruneTests {
    private static let day: Int64 = 86_400

    /// Two devices that hold an inspection, which the first has deleted.
    private func deleted(_ backend: Backend) throws -> (Yard, RecordID, Handheld, Handheld) {
        let yard = try Yard(backend)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.push(first.begin("gone", asset: nil, ["notes": .string("x")]))
        for device in [first, second] {
            for _ in 0..<2 { try device.pull() }
        }
        try first.push(first.delete("gone"))
        return (yard, "gone", first, second)
    }

    /// A pull that the store has taken note of: notes are written with the next batch.
    private func pull(_ devices: Handheld...) throws {
        for device in devices {
            // The second brings the cursor of the first: only then has the device applied it.
            try device.pull()
            try device.pull()
            try device.push([])
        }
    }

    @Test(
        "a tombstone goes after thirty days, when every live device has heard of it",
        arguments: Backend.allCases)
    func goes(backend: Backend) throws {
        let (yard, id, first, second) = try deleted(backend)
        try pull(first, second)
        #expect(try yard.prune().pruned == 0, "it is of today")
        #expect(try yard.everything()[id]?.isDeleted == true)
        yard.clock.advance(seconds: 31 * Self.day)
        try pull(first, second)
        #expect(try yard.prune() == PruneReport(pruned: 1, waiting: 0, waitsFor: []))
        #expect(try yard.everything()[id] == nil)
        for device in [first, second] {
            try device.pull()
            #expect(device.confirmed[id]?.isDeleted == true, "they know; nothing comes of it")
            let report = try #require(device.lastPage?.digest)
            #expect(report.sites.filter { $0.value != SiteDigest() } == device.digests)
        }
    }

    @Test("a live device that has not heard of it holds it back", arguments: Backend.allCases)
    func waits(backend: Backend) throws {
        let (yard, id, first, second) = try deleted(backend)
        try second.push([])
        yard.clock.advance(seconds: 31 * Self.day)
        try pull(first)
        #expect(
            try yard.prune()
                == PruneReport(pruned: 0, waiting: 1, waitsFor: [second.device.id]))
        #expect(try yard.everything()[id]?.isDeleted == true)
        try pull(second)
        #expect(try yard.prune().pruned == 1)
    }

    @Test(
        "a revoked device and one that has only enrolled hold nothing back",
        arguments: Backend.allCases)
    func holdsNothing(backend: Backend) throws {
        let (yard, _, first, second) = try deleted(backend)
        yard.clock.advance(seconds: 31 * Self.day)
        try pull(first)
        _ = try yard.enrol("new")
        try yard.store.revokeDevice(id: second.device.id)
        #expect(try yard.prune().pruned == 1)
    }

    @Test(
        "a device that was silent for sixty days pulls anew, and its unsent edit goes to review",
        arguments: Backend.allCases)
    func rescued(backend: Backend) throws {
        let (yard, id, first, second) = try deleted(backend)
        try second.push([])
        yard.clock.advance(seconds: 61 * Self.day)
        try pull(first)
        #expect(try yard.prune().pruned == 1)
        let unsent = second.change(id, ["notes": .string("entered offline")])
        let verdict = try second.push(unsent)[0]
        #expect(verdict.status == .quarantined)
        #expect(verdict.conflicts.map(\.rule) == ["unknownRecord"])
        #expect(refusal { try second.pullPage() } == .cursorExpired)
        second.cursor = nil
        try second.pull()
        let item = try #require(try yard.store.openReviews().first)
        #expect(item.record == id && item.mine == .string("entered offline"))
        let boss = Supervisor(name: "kim")
        try yard.store.resolve(review: item.id, .theirs, comment: "no more there", by: boss)
        try second.pull()
        #expect(second.results.map(\.mutationId) == [unsent.id])
        #expect(try yard.everything()[id] == nil, "no zombie")
        #expect(
            try yard.store.history(of: id).entries.map(\.value).contains(
                .string("entered offline")), "and it can be read for a year")
    }

    @Test("T65 nothing brings a pruned record back by itself", arguments: Backend.allCases)
    func noZombie(backend: Backend) throws {
        let (yard, id, first, second) = try deleted(backend)
        yard.clock.advance(seconds: 31 * Self.day)
        try pull(first, second)
        #expect(try yard.prune().pruned == 1)
        let again = second.begin(id, asset: nil, ["notes": .string("x")])
        #expect(try second.push(again).map(\.status) == [.quarantined], "also a new one of that id")
        #expect(try first.push(first.delete(id)).map(\.status) == [.applied], "it is deleted")
        let child = second.mutation(
            "f1", table: RecordTable.finding, parent: id, .insert, ["text": .string("leak")])
        #expect(try second.push(child)[0].error?.code == "parent_deleted")
        #expect(try yard.everything()[id] == nil)
    }

    @Test(
        "410 is decided by the cursor that comes, not by who brings it", arguments: Backend.allCases
    )
    func byCursor(backend: Backend) throws {
        let (yard, _, first, second) = try deleted(backend)
        let old = second.cursor
        yard.clock.advance(seconds: 31 * Self.day)
        try pull(first, second)
        let new = second.cursor
        #expect(try yard.prune().pruned == 1)
        second.cursor = old
        #expect(refusal { try second.pullPage() } == .cursorExpired)
        second.cursor = new
        try second.pull()
    }

    @Test(
        "a pull from the beginning goes through whatever was pruned before it began",
        arguments: Backend.allCases)
    func fromTheBeginning(backend: Backend) throws {
        let (yard, id, first, second) = try deleted(backend)
        yard.clock.advance(seconds: 31 * Self.day)
        try pull(first, second)
        #expect(try yard.prune().pruned == 1)
        let late = try yard.enrol("late")
        try late.pull(limit: 1)
        #expect(late.confirmed.count == 2 && late.confirmed[id] == nil)
        // What is pruned while it is under way it may have seen alive.
        let slow = try yard.enrol("slow")
        try first.push(first.begin("second", asset: nil))
        try slow.pullPage(limit: 1)
        try first.push(first.delete("second"))
        yard.clock.advance(seconds: 61 * Self.day)
        try pull(first)
        #expect(try yard.prune().pruned == 1)
        #expect(refusal { try slow.pullPage(limit: 1) } == .cursorExpired)
    }

    @Test("a deletion that waits for a person stays", arguments: Backend.allCases)
    func kept(backend: Backend) throws {
        let yard = try Yard(backend)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.push(first.begin("i1", asset: nil))
        try second.pull()
        try first.push(first.change("i1", ["notes": .string("seen by nobody else")]))
        try second.push(second.delete("i1"))
        yard.clock.advance(seconds: 31 * Self.day)
        try pull(first, second)
        #expect(try yard.prune() == PruneReport(pruned: 0, waiting: 1, waitsFor: []))
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(
            review: item.id, .mine, comment: nil, by: Supervisor(name: "kim"))
        #expect(try yard.prune().pruned == 1)
    }

    @Test(
        "T70 what stands under a deleted record is deleted after it, and goes with it",
        arguments: Backend.allCases)
    func children(backend: Backend) throws {
        let yard = try Yard(backend)
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.push(
            first.begin("i1", asset: nil), first.row("r1", under: "i1"),
            first.row("r2", of: "part/piece", under: "r1"))
        try first.pull()
        try second.pull()
        try first.push(first.delete("i1"))
        // Three levels down, by a device that has not heard of it.
        let late = try second.push(second.row("r3", of: "part/piece/chip", under: "r2"))[0]
        #expect(late.status == .rejected && late.error?.code == "parent_deleted")
        let edit = try second.push(second.change("r2", ["part/piece/x": .integer(2)]))[0]
        #expect(edit.status == .rejected && edit.error?.code == "parent_deleted")
        for (pruned, living) in [(Int64(0), 0), (3, 0)] {
            yard.clock.advance(seconds: 31 * Self.day)
            try pull(first, second)
            #expect(try yard.prune().pruned == pruned)
            let here = try yard.everything()
            #expect(
                here.filter { $0.key.rawValue.hasPrefix("r") && !$0.value.isDeleted }.count
                    == living)
            try first.pull()
            let report = try #require(first.lastPage?.digest)
            #expect(report.sites.filter { $0.value != SiteDigest() } == first.digests)
        }
    }

    @Test(
        "T86 a machine that lived in the past when it was restored still waits for every device",
        arguments: Backend.allCases)
    func restoredInThePast(backend: Backend) throws {
        let (yard, id, first, second) = try deleted(backend)
        try second.push([])
        // As the daily pruning notes it.
        _ = try yard.prune()
        let today = yard.clock.now
        let backup = try yard.backUp()
        yard.clock.set(to: today - 300 * Self.day * 1000)
        try yard.restore(backup)
        yard.clock.set(to: today + 31 * Self.day * 1000)
        first.cursor = nil
        try pull(first)
        #expect(
            try yard.prune()
                == PruneReport(pruned: 0, waiting: 1, waitsFor: [second.device.id]))
        #expect(try yard.everything()[id]?.isDeleted == true)
    }

    @Test(
        "T86 a copy of what was deleted and pruned since the restore waits for a supervisor, once",
        arguments: Backend.allCases, [true, false])
    func copyOfThePruned(backend: Backend, inParts: Bool) throws {
        let yard = try Yard(backend)
        let (first, witness) = (try yard.enrol("a"), try yard.enrol("b"))
        let late = try yard.enrol("c")
        try first.push(first.begin("gone", asset: nil, ["notes": .string("x")]))
        let backup = try yard.backUp()
        try first.pull()
        try first.push(first.change("gone", ["high": .integer(7)]))
        for device in [witness, late] { try device.pull() }
        try yard.restore(backup)
        first.cursor = nil
        try pull(first)
        try first.push(first.delete("gone"))
        yard.clock.advance(seconds: 61 * Self.day)
        try pull(first)
        #expect(try yard.prune().pruned == 1)
        for device in [witness, late, witness] {
            var record = try #require(device.confirmed["gone"])
            if inParts { record.fields = record.fields.filter { $0.key == "high" } }
            #expect(try device.offer([record], to: yard).map(\.status) == [.taken])
        }
        let reviews = try yard.store.openReviews()
        #expect(reviews.filter { $0.column == "high" }.map(\.mine) == [.integer(7)])
        #expect(Set(reviews.map(\.rule)) == [MergeRule.unknownRecord.rawValue])
        #expect(Set(reviews.map(\.column)).count == reviews.count, "each once")
        #expect(try yard.everything()["gone"] == nil, "nothing comes back by itself")
    }
}
