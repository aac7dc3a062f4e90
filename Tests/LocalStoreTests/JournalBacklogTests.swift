import Coding
import Replication
import SQLite
import Testing

@testable import LocalStore

/// What a process says that only reads, beside a journal that knows more than the database.
@Suite("M18 a database that is behind its journal, while nobody writes")
struct JournalBacklogTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// The status that a process reads that finds these files.
    private func statusRead(on image: HomeImage) throws -> StatusSummary {
        try device.store.close()
        try image.write(to: device.home)
        let reader = try device.openReader()
        let status = try reader.status()
        try reader.close()
        // Reading has changed nothing.
        let after = try device.image
        #expect(
            after.journalNames.map { after.files[$0] } == image.journalNames.map { image.files[$0] }
        )
        return status
    }

    private func proven() throws -> RecordID {
        let id = try device.acceptedInspectionOf(server)
        try device.store.note(CycleNote(digest: .equal))
        #expect(try device.store.status().nothingUnsynced)
        return id
    }

    @Test("M18 changes that only the journal has are told, and nothing is proven")
    func behind() throws {
        let id = try proven()
        let early = try device.image
        try device.store.set([("doors", .integer(1))], on: id)
        try device.store.set([("notes", .string("late"))], on: try device.newInspection())
        let answers = try device.unsentAnswers()
        try device.store.onJournal { $0.tidy($1) }
        let status = try statusRead(on: device.image.with(databaseOf: early))
        #expect(status.behindJournal == 2 && status.offered == 0)
        #expect(!status.nothingUnsynced && status.state == "waiting")
        // As the next process that writes shows.
        try device.reopen(closed: true)
        #expect(try device.unsentAnswers() == answers)
        #expect(try device.store.status().behindJournal == 0)
        try device.finish()
    }

    @Test(
        "M18 where the journal is gone, or a file of zeros, nothing proves that all is there",
        arguments: [false, true])
    func gone(areZeros: Bool) throws {
        _ = try proven()
        var image = try device.image
        for name in image.journalNames {
            if areZeros {
                image.change(name) { $0 = [UInt8](repeating: 0, count: $0.count) }
            } else {
                image.remove(name)
            }
        }
        let status = try statusRead(on: image)
        #expect(status.isJournalGone && !status.nothingUnsynced)
        #expect(status.state == "attention")
        // The next process that writes makes it anew, and keeps the word until somebody has heard it.
        for isClosed in [true, false] {
            try device.reopen(closed: isClosed)
            let status = try device.store.status()
            #expect(status.wasJournalGone && status.state == "attention")
            #expect(!status.nothingUnsynced)
        }
        try device.store.acknowledgeMissing()
        #expect(try device.store.status().nothingUnsynced)
        try device.reopen()
        #expect(try device.store.status().nothingUnsynced)
        try device.finish()
    }

    @Test("M18 a last change of which nobody knows whether it was saved is told as offered")
    func lastInDoubt() throws {
        let id = try proven()
        let early = try device.image
        try device.store.set([("doors", .integer(1))], on: id)
        let status = try statusRead(on: device.image.with(databaseOf: early))
        #expect(status.behindJournal == 0 && status.offered == 1)
        #expect(status.newOffers.map(\.fields) == [["doors"]])
        #expect(status.newOffers.map(\.doubt) == [.unsaved])
        #expect(!status.nothingUnsynced && status.state == "attention")
        try device.reopen(closed: true)
        #expect(try device.store.status().offered == 1)
        try device.store.leaveOffered()
        #expect(try device.store.status().nothingUnsynced)
        try device.finish()
    }

    @Test("M18 a row that vanished from the database by no transaction is told as offered")
    func vanished() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.onJournal { $0.tidy($1) }
        // Past the journal, as no transaction of ours does it.
        try device.store.writer.write { database in
            try database.whileApplying {
                try database.execute("DELETE FROM __sync_outbox WHERE status = 'PENDING'")
                try database.showConfirmedOrNewest("doors", of: id)
            }
        }
        let status = try statusRead(on: device.image)
        #expect(status.offered == 1 && status.newOffers.map(\.doubt) == [.otherwise])
        #expect(!status.nothingUnsynced)
        try device.reopen(closed: true)
        try device.store.leaveOffered()
        try device.finish()
    }

    @Test("while a process writes, and where both are alike, a reader finds nothing to tell")
    func alike() throws {
        let id = try proven()
        let reader = try device.openReader()
        for number: Int64 in 1...20 {
            try device.store.set([("doors", .integer(number))], on: id)
            let status = try reader.status()
            #expect(status.behindJournal == 0 && status.offered == 0 && status.pending == 1)
        }
        try device.sync(server)
        try device.store.note(CycleNote(digest: .equal))
        #expect(try reader.status().nothingUnsynced)
        try reader.close()
        try device.finish()
    }
}
