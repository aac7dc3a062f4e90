import Coding
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

/// A server that was restored from an older backup: what it has lost comes back from the devices,
/// and nothing that only a device knows of is removed there.
struct ServerEpochTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func stored(_ field: FieldName, of id: RecordID) -> FieldValue? {
        server.records[id]?.fields[field]?.value
    }

    @Test("T86 V20 what was acknowledged after the backup is offered again, and no client deletes")
    func offeredAgain() throws {
        let old = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("old"))], on: old)
        try device.sync(server)
        let backup = server.contents
        try device.store.set([("notes", .string("new")), ("doors", .integer(2))], on: old)
        let made = try device.newInspection()
        try device.store.set([("facility", .string("Dock"))], on: made)
        try device.sync(server)
        let sent = try device.store.outbox(all: true).map(\.mutationId)
        let stamp = server.records[old]?.fields["notes"]?.stamp
        server.restore(backup)

        // A page at a time: what is shown never goes back to what the backup has.
        var hasMore = true
        while hasMore {
            let page = try device.nextPage(from: server, limit: 1)
            try device.store.apply(page: page)
            hasMore = page.hasMore
            #expect(try device.value("notes", of: old) == .string("new"))
            #expect(try device.value("facility", of: made) == .string("Dock"))
            #expect(try device.store.audit() == [])
        }
        #expect(try device.store.inspections().count == 2)
        try device.sync(server)
        #expect(stored("notes", of: old) == .string("new"))
        #expect(server.records[old]?.fields["notes"]?.stamp == stamp)
        #expect(stored("facility", of: made) == .string("Dock"))
        #expect(try device.store.outbox(all: true).map(\.mutationId) == sent)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 the last word stays the last: cleared, or set to what the backup has, after the backup"
    )
    func lastWord() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("first"))], on: id)
        try device.sync(server)
        let backup = server.contents
        for (notes, doors) in [("second", FieldValue.integer(5)), ("first", .null)] {
            try device.store.set([("notes", .string(notes)), ("doors", doors)], on: id)
            try device.sync(server)
        }
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try device.value("notes", of: id) == .string("first"))
        #expect(try device.value("doors", of: id) == .null)
        try device.sync(server)
        #expect(stored("notes", of: id) == .string("first"))
        #expect(stored("doors", of: id) ?? .null == .null)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 what the backup has is not offered again")
    func nothingLost() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("kept"))], on: id)
        try device.sync(server)
        server.restore(server.contents)
        try device.pullAll(from: server)
        #expect(try device.store.outbox() == [])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 an edit that waits while the server is restored keeps its value through the answer")
    func waitingEdit() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.set([("doors", .integer(5))], on: id)
        try device.sync(server)
        try device.store.set([("notes", .string("waits"))], on: id)
        let old = try device.store.position().cursor
        server.restore(backup)

        // The answer to the push is what tells of the restore.
        try device.pushAll(to: server)
        #expect(server.pullPositions.last == old)
        #expect(try device.value("notes", of: id) == .string("waits"))
        #expect(try device.value("doors", of: id) == .integer(5))
        #expect(try device.store.audit() == [])
        try device.sync(server)
        try device.sync(server)
        #expect(stored("notes", of: id) == .string("waits"))
        #expect(stored("doors", of: id) == .integer(5))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("bases of the old epoch travel under the old cursor, apart from those of the new one")
    func apart() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(1))], on: id)
        try device.sync(server)
        let backup = server.contents
        try device.store.set([("doors", .integer(2))], on: id)
        let old = try device.store.position().cursor
        server.restore(backup)
        try device.pullAll(from: server)
        let other = try device.newInspection()
        let first = try #require(try device.store.sealBatch())
        #expect(first.mutations.map(\.record) == [id] && first.pullPosition == old)
        try device.store.apply(server.push(first), to: first)
        let second = try #require(try device.store.sealBatch())
        #expect(second.mutations.map(\.record) == [other])
        #expect(second.pullPosition == server.cursor(server.contents.position - 1))
        try device.store.apply(server.push(second), to: second)
        // All that was based on the old epoch is settled: from now on there is one kind.
        try device.store.set([("doors", .integer(3))], on: id)
        try device.pullAll(from: server)
        let third = try #require(try device.store.sealBatch())
        #expect(third.pullPosition == server.cursor(server.contents.position))
        try device.store.apply(server.push(third), to: third)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 nothing that was offered again goes over what somebody wrote since the restore")
    func neverOver() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.set([("notes", .string("mine")), ("doors", .integer(4))], on: id)
        try device.sync(server)
        server.restore(backup)
        server.edit(id, ["notes": .string("theirs")])
        try device.sync(server)
        try device.sync(server)
        #expect(stored("notes", of: id) == .string("theirs"))
        #expect(stored("doors", of: id) == .integer(4))
        #expect(try device.store.conflicts().map(\.mine) == [.string("mine")])
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        #expect(stored("notes", of: id) == .string("mine"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "a conflict that is open while the server is restored is settled on what stands there now")
    func openConflict() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(1))], on: id)
        try device.sync(server)
        let backup = server.contents
        server.edit(id, ["notes": .string("lost")])
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        #expect(try device.store.conflicts().map(\.theirs) == [.string("lost")])
        server.restore(backup)
        server.edit(id, ["notes": .string("now")])
        try device.pullAll(from: server)
        #expect(try device.store.conflicts().map(\.theirs) == [.string("now")])
        try device.store.resolve(id, ["notes": .value(.string("both"))])
        try device.sync(server)
        #expect(stored("notes", of: id) == .string("both"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a reading in review that the server has lost is handed in again")
    func review() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150)])
        let backup = server.contents
        try device.store.set([("pressure", .integer(160)), ("doors", .integer(7))], on: id)
        try device.sync(server)
        #expect(try device.store.status().inReview == 1)
        server.restore(backup)
        try device.sync(server)
        try device.sync(server)
        #expect(stored("doors", of: id) == .integer(7))
        let row = try #require(try device.store.outbox().first)
        #expect(row.status == "IN_REVIEW" && row.columns == ["pressure"])
        server.decide(row.mutationId, on: id, takes: ["pressure": .integer(160)])
        try device.pullAll(from: server)
        #expect(try device.value("pressure", of: id) == .integer(160))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a reading that was decided against is not offered again, if the backup knows of that")
    func decidedAgainst() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["pressure": .integer(150)])
        try device.store.set([("pressure", .integer(160))], on: id)
        try device.sync(server)
        let row = try #require(try device.store.outbox().first)
        server.decide(row.mutationId, on: id, takes: [:])
        try device.pullAll(from: server)
        #expect(try device.value("pressure", of: id) == .integer(150))
        server.restore(server.contents)
        try device.pullAll(from: server)
        #expect(try device.store.outbox() == [])
        #expect(try device.value("pressure", of: id) == .integer(150))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what was settled before the rest of its mutation is offered again as well")
    func settledPart() throws {
        let backup = server.contents
        let id = try device.newInspection()
        try device.sync(server)
        server.edit(id, ["notes": .string("theirs")])
        try device.store.set([("notes", .string("mine")), ("doors", .integer(9))], on: id)
        try device.sync(server)
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        try device.expectNothingPending(server)
        server.restore(backup)
        for _ in 1...3 { try device.sync(server) }
        #expect(stored("doors", of: id) == .integer(9))
        #expect(stored("notes", of: id) == .string("mine"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 what was acknowledged of a record that had left the scope is offered when it is back")
    func leftAndBack() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.set([("doors", .integer(7))], on: id)
        try device.sync(server)
        server.edit("elsewhere", ["notes": .string("x")])
        var page = try device.nextPage(from: server)
        page.removed = [id]
        page.deltaRecords = page.deltaRecords.filter { $0.id != id }
        try device.store.apply(page: page)
        #expect(try device.number("SELECT count(*) FROM record WHERE id = '\(id)'") == 0)
        server.restore(backup)
        for _ in 1...2 { try device.sync(server) }
        #expect(server.records[id]?.fields["doors"]?.value == .integer(7))
        #expect(try device.value("doors", of: id) == .integer(7))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "deleted after the backup, it is deleted again, also where a day's upkeep has passed since")
    func deletionAfterUpkeep() throws {
        let gone = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.delete(gone)
        try device.sync(server)
        device.clock.advance(milliseconds: 86_400_000)
        server.pass(milliseconds: 86_400_000)
        try device.sync(server)
        #expect(try device.store.upkeep())
        server.restore(backup)
        for _ in 1...2 { try device.sync(server) }
        #expect(server.records[gone]?.isDeleted == true)
        #expect(try device.store.inspections().isEmpty)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("deleted after the backup, an inspection is deleted again, also one worked on since")
    func deletions() throws {
        let gone = try device.acceptedInspectionOf(server)
        let worked = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.delete(gone)
        try device.store.delete(worked)
        try device.sync(server)
        server.restore(backup)
        // Somebody works on it, on a counter that has seen the deletion. A supervisor looks at that.
        server.edit("clock", ["doors": .integer(0)])
        while server.contents.clock.counter < 1000 { _ = server.contents.clock.tick() }
        server.edit(worked, ["notes": .string("alive")])
        try device.sync(server)
        try device.sync(server)
        #expect(server.records[gone]?.isDeleted == true)
        #expect(server.records[worked]?.isDeleted == true)
        #expect(try device.store.inspections().map(\.id) == ["clock"])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 what others made and the server has lost leaves the lists, but not under work that waits"
    )
    func othersRecords() throws {
        let backup = server.contents
        server.edit("r1", ["notes": .string("a")])
        server.edit("r2", ["notes": .string("b")])
        try device.sync(server)
        try device.store.set([("doors", .integer(1))], on: "r2")
        server.restore(backup)
        try device.sync(server)
        #expect(try device.store.inspections().map(\.id) == ["r2"])
        try device.sync(server)
        let waiting = try device.store.outbox()
        #expect(waiting.map(\.status) == ["PENDING"])
        #expect(waiting.map(\.lastError) == ["waits for its record"], "the server knows of it")
        // Whoever made it offers it again, and the edit follows.
        server.edit("r2", ["notes": .string("b")])
        try device.sync(server)
        try device.sync(server)
        #expect(stored("doors", of: "r2") == .integer(1))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 killed at any write of the pull after a restore, it goes on and loses nothing")
    func everyWriteBoundary() throws {
        let ids = try (0..<12).map { _ in try device.newInspection() }
        try device.sync(server)
        let backup = server.contents
        for (number, id) in ids.enumerated() {
            try device.store.set([("doors", .integer(Int64(number)))], on: id)
        }
        let made = try device.newInspection()
        server.edit("theirs", ["notes": .string("x")])
        try device.sync(server)
        server.restore(backup)
        try device.faultAfterWrites()
        var limit = 0
        var completed = false
        while !completed {
            limit += 5
            try device.allowWrites(limit)
            do {
                try device.pullAll(from: server, limit: 5)
                completed = true
            } catch is StoreError {}
            try device.allowWrites(.max)
            #expect(try device.store.audit() == [], "after \(limit) writes")
            for (number, id) in ids.enumerated() {
                #expect(try device.value("doors", of: id) == .integer(Int64(number)))
            }
            let isHere = try device.value("notes", of: "theirs") == .string("x")
            #expect(try isHere != (device.keptValues() == ["theirs notes x"]))
        }
        try device.sync(server)
        try device.sync(server)
        #expect(stored("doors", of: ids[11]) == .integer(11))
        #expect(server.records[made] != nil)
        #expect(try !device.store.inspections().map(\.id).contains("theirs"))
        #expect(try device.keptValues() == ["theirs notes x"])
        try device.expectNothingPending(server)
        try device.finish()
    }
}
