import Coding
import Crypto
import Forms
import Foundation
import Replication
import SQLite
import Synchronization
import TestSupport
import Testing
import Vault

@testable import LocalStore

/// A device of a test: a home in a temporary folder, a fixed clock, ids from a seed, and the
/// cold-chain form in small.
final class Device {
    let folder: TemporaryFolder
    let home: Home
    let clock = FixedClock()
    let lease: HomeLease
    private(set) var store: DeviceStore
    private var sources: StoreSources
    /// A key under SQLCipher; none under plain SQLite, on which these tests run as well.
    private let protection: DeviceStore.Protection
    /// Where the second copy stands.
    let journal: JournalParts

    /// - Parameter folder: for the journal, in place of the home's.
    init(
        seed: UInt64 = 1, node: NodeID = "node-a", key: SecretBytes? = nil,
        journalIn folder: (any JournalFolder)? = nil,
        zone: ExpressionZone = ExpressionZone(fixedOffset: 0)
    ) throws {
        let journalFolder = folder
        self.folder = try TemporaryFolder("store")
        home = Home(self.folder.path + "/home")
        sources = Self.sources(clock, seed: seed)
        sources.zone = zone
        lease = try HomeLease.acquire(home)
        protection =
            try Connection.cipherVersion() == nil
            ? .none : .key(key ?? SecretBytes.random(count: 32))
        journal = JournalParts(
            journalFolder ?? DiskJournalFolder(path: home.journal),
            try protection.journal(of: home).cipher.withoutErasing)
        store = try DeviceStore.create(
            home: home, protection: protection,
            device: DeviceIdentity(deviceID: "device-1", node: node),
            lease: lease, sources: sources, journal: journal)
        try store.store(form: try TestForm.coldChain)
    }

    /// A device whose database another program wrote, in an earlier run: a copy of the file.
    convenience init(copyOf database: String, key: SecretBytes) throws {
        try self.init(key: key) {
            try FileManager.default.copyItem(atPath: database, toPath: $0.database)
        }
    }

    /// - Parameter fill: puts the files there that an earlier process has left.
    init(key: SecretBytes, filling fill: (Home) throws -> Void) throws {
        folder = try TemporaryFolder("store")
        home = Home(folder.path + "/home")
        sources = Self.sources(clock, seed: 2)
        lease = try HomeLease.acquire(home)
        try fill(home)
        protection = .key(key)
        journal = JournalParts(
            DiskJournalFolder(path: home.journal),
            try protection.journal(of: home).cipher.withoutErasing)
        store = try DeviceStore.open(
            home: home, protection: protection, access: .writer(lease), sources: sources,
            journal: journal)
    }

    private static func sources(_ clock: FixedClock, seed: UInt64) -> StoreSources {
        let ids = IDSource(seed: seed)
        return StoreSources(now: clock.reading, newID: { ids.next() })
    }

    /// Ends the process of the store and starts another one.
    func reopen(
        closed: Bool = false, migrations: Migrations = Schema.migrations,
        zone: ExpressionZone? = nil
    ) throws {
        if !closed { try store.close() }
        if let zone { sources.zone = zone }
        store = try openAgain(migrations: migrations)
    }

    /// - Parameter migrations: those of another version of the program.
    func openAgain(
        migrations: Migrations = Schema.migrations, sealing cipher: JournalCipher? = nil
    ) throws -> DeviceStore {
        try DeviceStore.open(
            home: home, protection: protection, access: .writer(lease), sources: sources,
            migrations: migrations,
            journal: JournalParts(journal.folder, cipher ?? journal.cipher))
    }

    /// With a journal that seals in another way; no store is open.
    func open(with cipher: JournalCipher) throws { store = try openAgain(sealing: cipher) }

    /// From the journal alone, while no store is open; opens the new one.
    @discardableResult
    func rebuildClosed(migrations: Migrations = Schema.migrations) throws -> Rebuilding {
        let rebuilding = try DeviceStore.rebuild(
            home: home, protection: protection, sources: sources, journal: journal,
            migrations: migrations)
        store = try openAgain(migrations: migrations)
        return rebuilding
    }

    /// - Parameter isLibrarySound: what is said of the library where that is asked.
    func damage(isLibrarySound: Bool? = nil) throws -> String? {
        try DeviceStore.damage(
            home: home, protection: protection,
            isLibrarySound: isLibrarySound.map { said in { said } })
    }

    /// The database as another program opens it, without our functions.
    func openRaw() throws -> Connection { try protection.open(home, .readWrite) }

    func openReader() throws -> DeviceStore {
        try DeviceStore.open(home: home, protection: protection, access: .reader, sources: sources)
    }

    /// How every test ends: the audit finds nothing, no statement is busy, both connections close.
    func finish() throws {
        #expect(try store.audit() == [])
        #expect(try store.writer.perform { $0.busyStatements } == [])
        #expect(try store.reading.perform { $0.busyStatements } == [])
        try expectSecondCopy()
        try store.close()
    }

    func newInspection() throws -> RecordID {
        try store.createInspection(form: TestForm.id, version: "1", asset: nil)
    }

    /// Plays the server: the record is accepted, everything that waits for it is acknowledged.
    func accept(_ id: RecordID, version: Int64) throws {
        try store.settle { database in
            let key: [DatabaseValue] = [.integer(version), .text(id.rawValue)]
            try database.execute("UPDATE record SET version = ?1 WHERE id = ?2", key)
            try database.execute(
                """
                UPDATE field SET version = ?1 WHERE record_id = ?2 AND name IN (
                    SELECT name FROM __sync_shadow WHERE record_id = ?2)
                """, key)
            try database.execute(
                "UPDATE __sync_outbox SET status = 'ACKNOWLEDGED', sealed = 1 WHERE record_id = ?",
                [.text(id.rawValue)])
            try database.execute(
                "DELETE FROM __sync_shadow WHERE record_id = ?", [.text(id.rawValue)])
        }
    }

    /// A new inspection that the server has accepted as version 1 with these answers.
    func acceptedInspection(_ answers: [(FieldName, FieldValue)] = []) throws -> RecordID {
        let id = try newInspection()
        try store.set(answers, on: id)
        try accept(id, version: 1)
        return id
    }

    /// Moves the newest mutation of a record to another status.
    func mark(_ id: RecordID, _ status: String, sealed: Bool = true) throws {
        try store.settle { database in
            try database.execute(
                """
                UPDATE __sync_outbox SET status = ?1, sealed = ?2
                WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = ?3)
                """, [.text(status), DatabaseValue(sealed), .text(id.rawValue)])
        }
    }

    /// The queue of a record as a story: `UPDATE PENDING pressure=160 on 150@1`.
    func queue(_ id: RecordID) throws -> [String] {
        try store.writer.read { database in
            try database.waitingMutations(of: id).map { mutation in
                let entries = mutation.entries.sorted { $0.key < $1.key }.map { name, entry in
                    "\(name)=\(entry.value.plain) on \(entry.baseValue.plain)@\(entry.baseVersion)"
                }
                return ([mutation.operation, mutation.status] + entries).joined(separator: " ")
            }
        }
    }

    /// Whether it may be completed, without completing it.
    func requireCompletable(_ id: RecordID) throws {
        try store.read { try store.requireCompletable(id, $0) }
    }

    func value(_ name: FieldName, of id: RecordID) throws -> FieldValue {
        try store.writer.read { try $0.value(of: name, in: id) }
    }

    func number(_ sql: String) throws -> Int64? {
        try store.writer.read { database in try database.first(sql) { try $0.integer(0) } }
    }

    var waiting: Int64? {
        get throws { try number("SELECT value FROM __sync_metadata WHERE key = 'waiting'") }
    }
}

/// Random ids behind a lock, because the store asks for them on its own queue.
private final class IDSource: Sendable {
    private let random: Mutex<SeededRandom>

    init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

    func next() -> String {
        random.withLock { UUIDText.version4(using: &$0) }
    }
}

extension DatabaseValue {
    var plain: String {
        switch self {
        case .null: "-"
        case .integer(let integer): String(integer)
        case .real(let real): String(real)
        case .text(let text): text
        case .blob: "blob"
        }
    }
}

enum TestForm {
    static let id = "cold_chain_equipment"

    static var coldChain: FormDefinition {
        get throws {
            try FormDefinition(
                id: id, version: "1", title: "Cold chain",
                sections: [
                    Section(
                        name: "readings", title: "Readings",
                        questions: [
                            Question(
                                path: "facility", label: "Facility", type: .text(multiline: false)),
                            Question(
                                path: "pressure", label: "Pressure", type: .decimal,
                                limits: NumberLimits(hardMinimum: 0, hardMaximum: 500),
                                merge: "quarantine"),
                            Question(path: "doors", label: "Doors", type: .integer),
                            Question(
                                path: "health", label: "Health", type: .choice,
                                choices: ["OPTIMAL", "WARNING", "CRITICAL"].map {
                                    Choice(name: $0, label: $0)
                                }, merge: "rank:CRITICAL,WARNING,OPTIMAL"),
                            Question(path: "checked_on", label: "Checked", type: .date),
                            Question(path: "notes", label: "Notes", type: .text(multiline: true)),
                        ])
                ])
        }
    }
}
