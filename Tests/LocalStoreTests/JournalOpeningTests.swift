import Coding
import Crypto
import Replication
import SQLite
import TestSupport
import Testing
import Vault

@testable import LocalStore

@Suite("The journal is held against the database at each opening")
struct JournalOpeningTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    @Test("a home of an older version, without a journal, gets one with everything that waits")
    func withoutJournal() throws {
        let id = try device.newInspection()
        try device.store.set([("doors", .integer(2))], on: id)
        let rows = try device.waitingRows()
        var image = try device.image
        image.removeJournal()
        try device.restart(on: image)
        #expect(try device.secondCopy() == rows)
        try device.finish()
    }

    @Test("an opening that finds both alike writes nothing")
    func alike() throws {
        let folder = ScriptedFolder()
        let device = try Device(journalIn: folder)
        let id = try device.newInspection()
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.close()
        _ = folder.takeCalls()
        try device.reopen(closed: true)
        #expect(folder.takeCalls() == [.read])
        try device.finish()
    }

    @Test("rows that are missing in the journal are appended")
    func missingRows() throws {
        let id = try device.newInspection()
        let early = try device.image
        try device.store.set([("doors", .integer(2))], on: id)
        _ = try device.newInspection()
        let rows = try device.waitingRows()
        try device.store.close()
        // The journal of an earlier moment beside the database of now.
        try early.with(databaseOf: device.image).write(to: device.home)
        try device.reopen(closed: true)
        #expect(try device.waitingRows() == rows)
        try device.finish()
    }

    @Test("F01 F03 a database put back from an older copy takes what it lacks from the journal")
    func olderDatabase() throws {
        let accepted = try device.acceptedInspectionOf(server)
        let gone = try device.newInspection()
        try device.store.set([("doors", .integer(1))], on: accepted)
        let early = try device.image
        try device.store.set([("doors", .integer(2)), ("notes", .string("late"))], on: accepted)
        let made = try device.newInspection()
        try device.store.set([("facility", .string("Pier 4"))], on: made)
        try device.store.delete(gone)
        let answers = try device.unsentAnswers()
        let rows = try device.waitingRows()
        try device.store.close()
        try device.image.with(databaseOf: early).write(to: device.home)
        try device.reopen(closed: true)
        #expect(try device.unsentAnswers() == answers)
        #expect(try device.waitingRows() == rows)
        #expect(try device.value("notes", of: accepted) == .string("late"))
        #expect(try device.store.offeredChanges() == [])
        #expect(try device.number("SELECT count(*) FROM __sync_log WHERE event = 'journal'") == 1)
        // What comes now counts from above.
        try device.store.set([("doors", .integer(3))], on: accepted)
        try device.sync(server)
        #expect(server.records[accepted]?.fields["doors"]?.value == .integer(3))
        #expect(server.records[made]?.fields["facility"]?.value == .string("Pier 4"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a mutation that was sent from the newer database is sent again with the same content")
    func olderDatabaseSealed() throws {
        let id = try device.newInspection()
        let early = try device.image
        try device.store.set([("doors", .integer(2))], on: id)
        let batch = try #require(try device.store.sealBatch())
        _ = try server.push(batch)
        try device.store.close()
        try device.image.with(databaseOf: early).write(to: device.home)
        try device.reopen(closed: true)
        try device.store.recoverInFlight()
        let again = try #require(try device.store.sealBatch())
        #expect(again.mutations.map(\.contentHash) == batch.mutations.map(\.contentHash))
        try device.store.apply(server.push(again), to: again)
        #expect(server.effects == 1)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("what was taken back does not come back with an older database")
    func takenBack() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.set([("doors", .integer(5))], on: id)
        let older = try device.image
        try device.store.set([("doors", .integer(1))], on: id)
        #expect(try device.store.outbox().isEmpty)
        // The journal is written anew, as it is when it has grown.
        try device.store.leaveOffered()
        try device.store.set([("notes", .string("n"))], on: id)
        try device.store.onJournal { $0.tidy($1) }
        try device.restart(on: device.image.with(databaseOf: older))
        #expect(try device.value("doors", of: id) == .integer(1))
        #expect(try device.value("notes", of: id) == .string("n"))
        #expect(try device.queue(id) == ["UPDATE PENDING notes=n on -@0"])
        try device.finish()
    }

    @Test("F03 a database from before a rebuilding, put back, keeps what only it still has")
    func olderThanRebuilding() throws {
        let lost = try device.newInspection()
        var entries: [UInt64] = []
        var probe = try device.image
        probe.spoil {
            entries.append($0.number)
            return false
        }
        let kept = try device.newInspection()
        try device.store.close()
        let older = try device.image
        var image = older
        image.spoil { $0.number == entries.max() }
        try image.write(to: device.home)
        #expect(try device.rebuildClosed().lost > 0)
        #expect(try device.store.inspections().map(\.id) == [kept])
        try device.store.set([("doors", .integer(1))], on: kept)
        try device.store.onJournal { $0.tidy($1) }
        #expect(try device.reading().isSound)
        try device.restart(on: device.image.with(databaseOf: older))
        #expect(try Set(device.store.inspections().map(\.id)) == [lost, kept])
        #expect(try device.value("doors", of: kept) == .integer(1))
        try device.finish()
    }

    @Test("F03 an older database keeps what an unreadable entry of the journal would have had")
    func olderDatabaseIncomplete() throws {
        let id = try device.acceptedInspection()
        let long = FieldValue.string(String(repeating: "x", count: 9000))
        try device.store.set([("facility", long), ("notes", .string("n"))], on: id)
        let older = try device.image
        try device.store.set([("doors", .integer(1))], on: id)
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.onJournal { $0.tidy($1) }
        var image = try device.image.with(databaseOf: older)
        image.spoil { $0.box.ciphertext.count > 9000 }
        try device.restart(on: image)
        #expect(try device.value("notes", of: id) == .string("n"))
        #expect(try device.value("facility", of: id) == long)
        #expect(try device.value("doors", of: id) == .integer(2))
        #expect(try device.store.outbox().map(\.status) == ["PENDING"])
        try device.finish()
    }

    @Test("F43 a change whose commit a power cut took is offered, not applied, and can be taken")
    func offered() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(1))], on: id)
        let before = try device.image
        try device.store.set([("doors", .integer(2)), ("notes", .string("typed"))], on: id)
        try device.restart(on: device.image.with(databaseOf: before))
        #expect(try device.value("doors", of: id) == .integer(1))
        let offer = try #require(try device.store.offeredChanges().first)
        #expect(offer.record == id)
        #expect(offer.fields == ["doors", "notes"])
        #expect(offer.doubt == .unsaved)
        // It stays while the work goes on.
        try device.store.set([("facility", .string("Pier 4"))], on: id)
        try device.reopen()
        #expect(try device.store.offeredChanges() == [offer])
        try device.store.takeOffered()
        #expect(try device.store.offeredChanges() == [])
        #expect(try device.value("doors", of: id) == .integer(2))
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("typed"))
        #expect(server.records[id]?.fields["facility"]?.value == .string("Pier 4"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("an offered change can be let go, and is not offered again")
    func left() throws {
        let id = try device.newInspection()
        let before = try device.image
        try device.store.set([("doors", .integer(2))], on: id)
        try device.restart(on: device.image.with(databaseOf: before))
        try device.store.leaveOffered()
        try device.reopen()
        #expect(try device.store.offeredChanges() == [])
        #expect(try device.value("doors", of: id) == .null)
        try device.finish()
    }

    @Test("a new inspection that was offered is made when it is taken")
    func offeredInsert() throws {
        _ = try device.newInspection()
        let before = try device.image
        let id = try device.newInspection()
        try device.restart(on: device.image.with(databaseOf: before))
        #expect(try device.store.offeredChanges().map(\.operation) == ["INSERT"])
        try device.store.takeOffered()
        #expect(try device.store.outbox().map(\.recordId).contains(id))
        try device.sync(server)
        #expect(server.records[id] != nil)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a cut before the commit of what only moves the queue offers nothing")
    func nothingToOffer() throws {
        let id = try device.newInspection()
        try device.store.set([("doors", .integer(2))], on: id)
        let before = try device.image
        _ = try device.store.sealBatch()
        try device.restart(on: device.image.with(databaseOf: before))
        #expect(try device.store.offeredChanges() == [])
        #expect(try device.store.outbox().map(\.status) == ["PENDING"])
        try device.finish()
    }

    @Test("an answer whose transaction a power cut took comes again; nothing is taken or offered")
    func lostVerdict() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("doors", .integer(2))], on: id)
        let batch = try #require(try device.store.sealBatch())
        let before = try device.image
        try device.store.apply(server.push(batch), to: batch)
        try device.restart(on: device.image.with(databaseOf: before))
        #expect(try device.store.outbox().map(\.status) == ["IN_FLIGHT"])
        #expect(try device.store.offeredChanges() == [])
        try device.store.recoverInFlight()
        try device.sync(server)
        #expect(server.effects == 2)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a row that vanished from the database by no transaction is offered")
    func vanished() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.set([("doors", .integer(2))], on: id)
        // Past the journal, as no transaction of ours does it.
        try device.store.writer.write { database in
            try database.whileApplying {
                try database.execute("DELETE FROM __sync_outbox WHERE status = 'PENDING'")
                try database.showConfirmedOrNewest("doors", of: id)
            }
        }
        try device.store.close()
        try device.reopen(closed: true)
        let offered = try device.store.offeredChanges()
        #expect(offered.map(\.fields) == [["doors"]])
        #expect(offered.map(\.doubt) == [.otherwise])
        #expect(
            try device.store.offeredValues() == [
                OfferedValue(record: id, field: "doors", offered: .integer(2), shown: .integer(1))
            ])
        try device.store.takeOffered()
        #expect(try device.value("doors", of: id) == .integer(2))
        try device.finish()
    }

    @Test("M18 what only the journal has is not proven to be at the server")
    func proof() throws {
        let id = try device.acceptedInspectionOf(server)
        let before = try device.image
        try device.store.set([("doors", .integer(2))], on: id)
        try device.restart(on: device.image.with(databaseOf: before))
        for _ in 1...2 {
            try device.sync(server)
            try device.store.note(CycleNote(digest: .equal))
            let status = try device.store.status()
            #expect(status.offered == 1 && status.unsynced == 0)
            #expect(!status.nothingUnsynced && status.state == "attention")
            #expect(try !device.store.writer.perform { try $0.holdsNoWork() })
            try device.reopen()
        }
        try device.store.leaveOffered()
        #expect(try device.store.status().nothingUnsynced)
        try device.finish()
    }

    @Test("a row that lost a value by no transaction is offered what it lost")
    func changedPast() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.set([("doors", .integer(2)), ("notes", .string("x"))], on: id)
        try device.store.writer.write { database in
            try database.whileApplying {
                try database.execute("DELETE FROM __sync_outbox_field WHERE name = 'doors'")
                try database.showConfirmedOrNewest("doors", of: id)
            }
        }
        try device.reopen()
        #expect(try device.store.offeredChanges().map(\.fields) == [["doors"]])
        try device.store.leaveOffered()
        try device.finish()
    }

    @Test("V02 a queue that contradicts itself is no reason to write its second copy anew")
    func contradicting() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.set([("doors", .integer(2)), ("notes", .string("x"))], on: id)
        let (rows, answers) = (try device.waitingRows(), try device.unsentAnswers())
        // As after a page that was not deciphered and reads as another one.
        try device.store.writer.write { database in
            try database.whileApplying {
                try database.execute("DELETE FROM __sync_outbox_field WHERE name = 'doors'")
            }
        }
        try device.store.close()
        let before = try device.image.files
        do {
            try device.reopen(closed: true)
            Issue.record("the store was opened for writing")
        } catch let error as StoreError {
            guard case .damaged = error else { throw error }
        }
        let after = try device.image.files
        for name in try device.image.journalNames { #expect(after[name] == before[name]) }
        try device.rebuildClosed()
        #expect(try device.waitingRows() == rows)
        #expect(try device.unsentAnswers() == answers)
        try device.finish()
    }

    @Test("damage in the journal beside a sound database is told, set aside, and made good")
    func damagedJournal() throws {
        let id = try device.newInspection()
        for number in 0..<5 { try device.store.set([("doors", .integer(Int64(number)))], on: id) }
        let rows = try device.waitingRows()
        try device.store.close()
        var image = try device.image
        image.change("journal/" + JournalSegment.name(1)) { $0[700] ^= 1 }
        try image.write(to: device.home)
        #expect(try device.reading().lost == 1)
        try device.reopen(closed: true)
        #expect(try device.waitingRows() == rows)
        #expect(try device.secondCopy() == rows)
        #expect(try device.reading().setAside == [JournalSegment.name(1) + ".damaged"])
        try device.finish()
    }

    @Test("a journal of nothing but noise is set aside", arguments: UInt64(1)...5)
    func noise(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let noise = random.bytes(4096)
        _ = try device.newInspection()
        try device.store.close()
        var image = try device.image
        image.change("journal/" + JournalSegment.name(1)) { $0 = noise }
        try image.write(to: device.home)
        try device.reopen(closed: true)
        #expect(try device.reading().setAside.count == 1)
        try device.finish()
    }

    @Test("a reader has no journal, and refuses what would need one")
    func reader() throws {
        let id = try device.newInspection()
        let reader = try device.openReader()
        #expect(throws: StoreError.readOnly) { try reader.set([("doors", .integer(1))], on: id) }
        #expect(throws: StoreError.readOnly) { try reader.takeOffered() }
        try reader.close()
        try device.finish()
    }
}
