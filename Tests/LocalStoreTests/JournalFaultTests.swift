import Coding
import Crypto
import Glibc
import Replication
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

@Suite("Where the journal cannot be written, nothing is called saved")
struct JournalFaultTests {
    private let folder = ScriptedFolder()
    private let device: Device

    init() throws { device = try Device(journalIn: folder) }

    private static let calls: [ScriptedFolder.Call] = [.write, .synchronize]

    @Test("an edit whose entry does not reach the disk is undone and told", arguments: calls)
    func refused(call: ScriptedFolder.Call) throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        folder.fail(call, with: EIO)
        try refuse { try device.store.set([("doors", .integer(2))], on: id) }
        #expect(try device.value("doors", of: id) == .integer(1))
        #expect(try device.store.outbox() == [])
        folder.work()
        try device.store.set([("doors", .integer(3))], on: id)
        #expect(try device.value("doors", of: id) == .integer(3))
        try device.reopen()
        #expect(try device.store.offeredChanges() == [])
        try device.finish()
    }

    @Test("after a failed fdatasync the file is not believed any more: a new one is begun")
    func newSegment() throws {
        let id = try device.newInspection()
        let before = try folder.names()
        folder.fail(.synchronize, with: EIO)
        try refuse { try device.store.set([("doors", .integer(2))], on: id) }
        folder.work()
        try device.store.set([("doors", .integer(3))], on: id)
        #expect(try Set(folder.names()).isDisjoint(with: before))
        try device.finish()
    }

    private func refuse(_ body: () throws -> Void) throws {
        do {
            try body()
            Issue.record("nothing was refused")
        } catch let error as StoreError {
            guard case .secondCopy = error else { throw error }
        }
    }

    @Test("a full disk is told as one, and what fits the segment is stored all the same")
    func fullDisk() throws {
        let id = try device.newInspection()
        folder.fail(.make, with: ENOSPC)
        try device.store.set([("doors", .integer(1))], on: id)
        let long = FieldValue.string(String(repeating: "x", count: 60_000))
        var stored = 0
        while stored < 40 {
            do {
                let answers: [(FieldName, FieldValue)] = [
                    ("notes", long), ("doors", .integer(Int64(stored))),
                ]
                try device.store.set(answers, on: try device.newInspection())
                stored += 1
            } catch let error as StoreError {
                #expect(error.isDiskFull)
                break
            }
        }
        #expect((10..<20).contains(stored))
        folder.work()
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.set([("notes", long)], on: id)
        try device.finish()
    }

    @Test("a home whose journal cannot be made opens, shows everything, and refuses changes")
    func opening() throws {
        let id = try device.newInspection()
        try device.store.close()
        for name in try folder.names() { try folder.remove(name) }
        folder.fail(.make, with: ENOSPC)
        try device.reopen(closed: true)
        #expect(try device.store.outbox().count == 1)
        try refuse { try device.store.set([("doors", .integer(1))], on: id) }
        try device.store.saveDraft("typed", of: "notes", in: id)
        folder.work()
        try device.store.set([("doors", .integer(1))], on: id)
        try device.finish()
    }

    @Test("a store for which the journal has no room is not made: an enrolment hears of it in time")
    func creation() throws {
        let full = ScriptedFolder()
        full.fail(.make, with: ENOSPC)
        do {
            _ = try Device(journalIn: full)
            Issue.record("the store was made")
        } catch let error as StoreError {
            #expect(error.isDiskFull)
        }
    }

    @Test("the screen takes back what the journal did not take, and keeps what it did")
    func optimistic() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        let outcomes = Noted<String>()
        let screen = OptimisticStore(device.store) { _, outcome in
            switch outcome {
            case .saved: outcomes.note("saved")
            case .failed(let error):
                outcomes.note((error as? StoreError)?.isDiskFault == true ? "disk" : "other")
            }
        }
        try screen.open(id)
        folder.fail(.synchronize, with: EIO)
        screen.edit([("doors", .integer(2))], on: id)
        screen.flush()
        #expect(screen.shown(id)["doors"] == .integer(1))
        folder.work()
        screen.edit([("notes", .string("x"))], on: id)
        screen.flush()
        #expect(screen.shown(id)["doors"] == .integer(1))
        #expect(screen.shown(id)["notes"] == .string("x"))
        #expect(outcomes.all == ["disk", "saved"])
        try device.finish()
    }

    @Test("a commit that fails after its entry leaves neither: the next number is the same")
    func failedCommit() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        let number = try device.number(
            "SELECT value FROM __sync_metadata WHERE key = 'transaction_number'")
        #expect(throws: StoreError.self) {
            try device.store.edit { database in
                try database.write(.integer(2), to: "doors", of: id)
                // Seen by COMMIT alone.
                try database.run(script: "PRAGMA defer_foreign_keys = ON")
                try database.execute(
                    """
                    INSERT INTO __sync_outbox_field (seq_id, name, base_version, lamport)
                    VALUES (987654, 'x', 0, 0)
                    """)
            }
        }
        #expect(try device.value("doors", of: id) == .integer(1))
        #expect(try device.secondCopy() == [])
        try device.reopen()
        #expect(try device.store.offeredChanges() == [])
        try device.store.set([("notes", .string("after"))], on: id)
        #expect(
            try device.number(
                "SELECT value FROM __sync_metadata WHERE key = 'transaction_number'")
                == (number ?? 0) + 1)
        try device.finish()
    }

    private func lastName() throws -> String {
        let numbers = try folder.names().compactMap(JournalSegment.number(ofName:))
        return JournalSegment.name(try #require(numbers.max()))
    }

    private func nextName() throws -> String {
        let numbers = try folder.names().compactMap(JournalSegment.number(ofName:))
        return JournalSegment.name(try #require(numbers.max()) + 1)
    }

    @Test("F03 a stop while a segment is made leaves a journal that says who this device is")
    func emptySegment() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.close()
        let name = try nextName()
        _ = try folder.make(name, byteCount: JournalSegments.byteCount)
        try device.reopen(closed: true)
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.onJournal { $0.tidy($1) }
        #expect(try device.reading().replay.origin != nil)
        let rows = try device.waitingRows()
        try device.rebuild()
        #expect(try device.waitingRows() == rows)
        try device.finish()
    }

    @Test("F03 the first write of a segment that a power cut took in the middle is no damage")
    func cutBeginning() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.set([("notes", .string("n"))], on: id)
        try device.store.close()
        let segment = try folder.contents(of: lastName())
        let first = try #require(JournalFrame(in: segment, at: 0)).bytes
        let name = try nextName()
        for written in [3, 6, 12, 40, first.count - 1] {
            _ = try folder.make(name, byteCount: JournalSegments.byteCount)
            folder.change(name) { $0.replaceSubrange(0..<written, with: first.prefix(written)) }
            let reading = try device.reading()
            #expect(reading.isTorn && reading.lost == 0, "\(written) bytes")
        }
        try device.reopen(closed: true)
        try device.store.onJournal { $0.tidy($1) }
        #expect(try device.reading().setAside == [])
        try device.finish()
    }

    @Test("a damaged file that got its new name with an error keeps no other file from going")
    func renamedWithError() throws {
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.close()
        let damaged = try lastName()
        folder.change(damaged) { $0[700] ^= 1 }
        folder.fail(.rename, with: EIO)
        try device.reopen(closed: true)
        try device.store.onJournal { $0.tidy($1) }
        folder.work()
        for _ in 1...2 {
            try device.store.leaveOffered()
            try device.store.onJournal { $0.tidy($1) }
        }
        #expect(try folder.names().count == 2)
        #expect(try device.reading().setAside == [damaged + ".damaged"])
        try device.finish()
    }

    @Test("what a disk does not let go is told once, in the log, and the rest goes")
    func notRemoved() throws {
        let id = try device.newInspection()
        folder.fail(.remove, with: EIO)
        for _ in 1...3 {
            try device.store.leaveOffered()
            try device.store.onJournal { $0.tidy($1) }
        }
        #expect(try folder.names().count == 4)
        let logged = "SELECT count(*) FROM __sync_log WHERE detail LIKE 'a file stays: %'"
        #expect(try device.number(logged) == 1)
        folder.work()
        try device.store.set([("doors", .integer(1))], on: id)
        try device.store.onJournal { $0.tidy($1) }
        #expect(try folder.names().count == 1)
        try device.finish()
    }

    @Test("what a killed process wrote last is on the disk before another segment is begun")
    func formerTail() throws {
        let long = FieldValue.string(String(repeating: "x", count: 60_000))
        let ids = try (0..<17).map { _ in try device.newInspection() }
        for id in ids { try device.store.set([("notes", long)], on: id) }
        try device.reopen()
        _ = folder.takeCalls()
        try device.store.set([("facility", long)], on: ids[0])
        #expect(folder.takeCalls() == [.synchronize, .make, .write, .synchronize])
        try device.finish()
    }

    @Test("R-5 a cipher that fails to seal undoes the edit; one that fails to open loses nothing")
    func cipher() throws {
        let isFailing = Flag()
        let sound = device.journal.cipher
        let failing = JournalCipher(
            seal: { plaintext, number in
                if isFailing.isUp { throw CryptoError.outOfMemory }
                return try sound.seal(plaintext, number)
            },
            unseal: { box, number in
                if isFailing.isUp { throw CryptoError.notAuthentic }
                return try sound.unseal(box, number)
            })
        let id = try device.newInspection()
        try device.store.close()
        try device.open(with: failing)
        isFailing.isUp = true
        try refuse { try device.store.set([("doors", .integer(1))], on: id) }
        #expect(try device.value("doors", of: id) == .null)
        isFailing.isUp = false
        try device.store.set([("doors", .integer(2))], on: id)
        try device.store.close()
        isFailing.isUp = true
        try device.open(with: failing)
        #expect(try device.store.outbox().count == 1)
        isFailing.isUp = false
        try device.store.set([("doors", .integer(3))], on: id)
        try device.expectSecondCopy()
        try device.finish()
    }

    /// Reached from the store's queue and from the test.
    private final class Flag: Sendable {
        private let state = Mutex(false)

        var isUp: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}
