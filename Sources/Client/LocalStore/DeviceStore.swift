internal import Coding
package import Crypto
package import Forms
package import Replication
package import SQLite
package import Vault

/// Who this device is, as enrolment said.
package struct DeviceIdentity: Sendable, Equatable {
    package var deviceID: String
    /// Stands in every stamp of this device's edits.
    package var node: NodeID

    package init(deviceID: String, node: NodeID) {
        self.deviceID = deviceID
        self.node = node
    }
}

/// Where a store gets what is not in it: the time, for people to read, and new ids.
package struct StoreSources: Sendable {
    /// Milliseconds since 1970, UTC. Shown, never compared.
    package var now: @Sendable () -> Int64
    /// A new lower-case UUID of version 4.
    package var newID: @Sendable () -> String
    /// Where the device is: what a form's expressions take for today.
    package var zone: ExpressionZone
    /// When the log is moved into the file.
    package var pauses: Pauses

    package init(
        now: @escaping @Sendable () -> Int64, newID: @escaping @Sendable () -> String,
        zone: ExpressionZone = ExpressionZone(fixedOffset: 0), pauses: Pauses = .real
    ) {
        self.now = now
        self.newID = newID
        self.zone = zone
        self.pauses = pauses
    }
}

/// The encrypted database of a device: records, their fields, and the queue of what the server has
/// not confirmed. The screen's source of truth, and the client's only SQL.
///
/// One connection writes and checkpoints; it exists only in the process that holds the home's
/// lease. A second, read-only one answers questions, so that a page that is being applied keeps
/// nobody waiting.
package final class DeviceStore: Sendable {
    package enum Access: Sendable {
        case writer(HomeLease)
        case reader
    }

    package let sources: StoreSources
    let migrations: Migrations
    private let writing: SerialDatabase?
    let reading: SerialDatabase
    /// Held as long as the store: the lease that it writes under.
    private let lease: HomeLease?
    private let claim: WritingClaim?
    let logKeeper: LogKeeper?
    let formShelf = FormShelf()
    let remembered = RememberedLooks()
    /// The second copy; on the writer's queue only.
    private let journal: Journal?
    /// Where it stands, for a process that only reads.
    private let journalToRead: JournalParts?

    private init(
        writing: Writing?, reading: SerialDatabase, lease: HomeLease?, claim: WritingClaim?,
        migrations: Migrations, sources: StoreSources, journalToRead: JournalParts?
    ) {
        self.journalToRead = journalToRead
        self.writing = writing?.database
        self.reading = reading
        self.lease = lease
        self.claim = claim
        journal = writing?.journal
        logKeeper = writing.map { writing in
            LogKeeper(writing.database, pauses: sources.pauses) { writing.journal.tidy($0) }
        }
        self.migrations = migrations
        self.sources = sources
    }

    /// Makes the database of a device that has just been enrolled. Throws where one stands already.
    /// After a crash in here there is no database, and the next try makes one.
    package static func create(
        home: Home, key: SecretBytes, device: DeviceIdentity, lease: HomeLease,
        sources: StoreSources
    ) throws -> DeviceStore {
        try StoreError.translating {
            try create(
                home: home, protection: .key(key), device: device, lease: lease, sources: sources)
        }
    }

    /// - Parameter migrations: other ones than this program's are for tests of upgrades.
    package static func open(
        home: Home, key: SecretBytes, access: Access, sources: StoreSources,
        migrations: Migrations = Schema.migrations
    ) throws -> DeviceStore {
        try StoreError.translating {
            try open(
                home: home, protection: .key(key), access: access, sources: sources,
                migrations: migrations)
        }
    }

    /// Only this module's tests open a store without a key, to run under plain SQLite as well.
    enum Protection {
        case key(SecretBytes)
        case none

        func open(
            _ home: Home, _ mode: Connection.Mode,
            prepare: (Connection) throws -> Void = { _ in }
        ) throws -> Connection {
            try open(home.database, mode, prepare: prepare)
        }

        func open(
            _ path: String, _ mode: Connection.Mode,
            prepare: (Connection) throws -> Void = { _ in }
        ) throws -> Connection {
            guard case .key(let key) = self else {
                return try Connection.open(path, mode: mode, prepare: prepare)
            }
            return try key.withBytes { key in
                try Connection.open(path, mode: mode, key: key, prepare: prepare)
            }
        }

        func journal(of home: Home) throws -> JournalParts {
            guard case .key(let key) = self else {
                return try JournalParts(of: home, key: SecretBytes(count: 32))
            }
            return try JournalParts(of: home, key: key)
        }
    }

    static func create(
        home: Home, protection: Protection, device: DeviceIdentity, lease: HomeLease,
        sources: StoreSources, journal: JournalParts? = nil
    ) throws -> DeviceStore {
        let connection = try protection.open(home, .create) { database in
            try prepare(database, sources: sources)
            try Schema.migrations.apply(to: database)
            try database.execute(
                "UPDATE __sync_metadata SET value = ? WHERE key = 'node'",
                [.text(device.node.rawValue)])
            try database.execute(
                "INSERT INTO __sync_metadata (key, value) VALUES ('device_id', ?)",
                [.text(device.deviceID)])
        }
        try connection.close()
        let store = try open(
            home: home, protection: protection, access: .writer(lease), sources: sources,
            journal: journal)
        do {
            // Whoever enrols spends a code next: what has no room has to say so now.
            try store.onJournal { journal, _ in try journal.requireWritable() }
        } catch {
            try store.close()
            throw error
        }
        return store
    }

    /// - Parameters:
    ///   - migrations: other ones than this program's are for tests of upgrades.
    ///   - journal: where a test keeps the journal; else it stands in the home.
    static func open(
        home: Home, protection: Protection, access: Access, sources: StoreSources,
        migrations: Migrations = Schema.migrations, journal: JournalParts? = nil
    ) throws -> DeviceStore {
        var writing: Writing?
        var held: HomeLease?
        var claim: WritingClaim?
        let parts = try journal ?? protection.journal(of: home)
        if case .writer(let lease) = access {
            precondition(lease.home == home, "the lease is another home's")
            held = lease
            claim = WritingClaim(home.database)
            writing = try openWriter(home, protection, sources, migrations, parts)
        }
        let reader = try openReader(home, protection, isAlone: writing == nil)
        try migrations.requireUpToDate(reader)
        return DeviceStore(
            writing: writing, reading: SerialDatabase(reader, label: "walkdown.store.read"),
            lease: held, claim: claim, migrations: migrations, sources: sources,
            journalToRead: writing == nil ? parts : nil)
    }

    /// - Parameter isAlone: whether this process has no connection that writes.
    private static func openReader(
        _ home: Home, _ protection: Protection, isAlone: Bool
    ) throws -> Connection {
        do {
            return try protection.open(home, .readOnly)
        } catch let error as SQLiteError
            where isAlone && (error.isFull || error.isReadOnly || error.cannotOpen)
        {
            let copy = try MemoryCopy.open(of: home) { try protection.open($0, .readOnly) }
            guard let copy else { throw error }
            return copy
        }
    }

    /// The connection that writes, and what goes before each of its commits.
    private struct Writing {
        var database: SerialDatabase
        var journal: Journal
    }

    private static func openWriter(
        _ home: Home, _ protection: Protection, _ sources: StoreSources, _ migrations: Migrations,
        _ parts: JournalParts
    ) throws -> Writing {
        let connection = try protection.open(home, .readWrite)
        try prepare(connection, sources: sources)
        // What the journal brings back was entered in the old shape.
        try migrations.apply(to: connection) { _ in false }
        try connection.settleLog()
        // What a killed process had on its screen is on no screen now.
        try connection.transaction { try connection.releaseAllHolds() }
        let journal = try Journal.open(
            parts, on: connection, nowUtc: SyncTimestamp.text(sources.now()))
        try migrations.apply(to: connection) { try $0.holdsNoWork() }
        return Writing(
            database: SerialDatabase(connection, label: "walkdown.store.write"), journal: journal)
    }

    /// The functions that the triggers call. Any other program's write fails for want of them
    /// instead of going uncaptured.
    static func prepare(_ connection: Connection, sources: StoreSources) throws {
        try connection.registerFunction("walkdown_uuid", arguments: 0, deterministic: false) { _ in
            .text(sources.newID())
        }
        try connection.registerFunction("walkdown_now", arguments: 0, deterministic: false) { _ in
            .text(SyncTimestamp.text(sources.now()))
        }
        try connection.registerFunction(
            "walkdown_refuses_text", arguments: 1, deterministic: true
        ) { arguments in
            guard case .blob(let bytes) = arguments[0] else { return .integer(0) }
            return DatabaseValue(!AnswerText.isAcceptable(bytes))
        }
        try connection.registerFunction("walkdown_misfits", arguments: 2, deterministic: true) {
            guard case .text(let type) = $0[0], case .text(let text) = $0[1] else {
                return .integer(0)
            }
            return DatabaseValue(!AnswerText.fits(text, type: type))
        }
    }

    /// Closes both connections; the key leaves memory with them. Later calls throw `closed`.
    package func close() throws {
        try StoreError.translating {
            journalToRead?.cipher.erase()
            try reading.close()
            try writing?.perform { _ in journal?.close() }
            try writing?.close()
        }
        claim?.end()
    }

    /// The one connection that writes.
    /// - Throws: `readOnly` in a process without the home's lease.
    var writer: SerialDatabase {
        get throws(StoreError) {
            guard let writing else { throw .readOnly }
            return writing
        }
    }

    package var isWriter: Bool { writing != nil }

    /// A local change in one IMMEDIATE transaction, durable when this returns. Triggers capture it.
    func edit<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let writer = try writer
        defer { logKeeper?.noteEdit() }
        return try StoreError.translating {
            try writer.perform { database in
                try journalled(on: database) { try body(database) }
            }
        }
    }

    /// One writing transaction, with its entry in the journal. On the writer's queue.
    /// - Parameter isDurable: whether the connection commits with `synchronous = FULL`.
    func journalled<Result>(
        on database: Connection, isDurable: Bool = true, _ body: () throws -> Result
    ) throws -> Result {
        guard let journal else { throw StoreError.readOnly }
        return try journal.writing(on: database, isDurable: isDurable, body)
    }

    func onJournal<Result>(_ body: (Journal, Connection) throws -> Result) throws -> Result {
        let writer = try writer
        return try StoreError.translating {
            try writer.perform { database in
                guard let journal else { throw StoreError.readOnly }
                return try body(journal, database)
            }
        }
    }

    /// The journal as it stands now, in a process that only reads; nil in the one that writes, whose
    /// database is never behind it.
    func readJournal() throws -> JournalReading? { try journalToRead?.read() }

    /// A change that no trigger captures or refuses, in one transaction: what the server said, or
    /// what a person decided about the queue. The guard row is set and cleared inside it, so that a
    /// crash in between leaves it clear.
    func settle<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let now = SyncTimestamp.text(sources.now())
        return try edit { database in
            try database.whileApplying {
                let result = try body(database)
                try database.removeLeft(nowUtc: now)
                return result
            }
        }
    }

    /// Reads on one snapshot.
    package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try StoreError.translating { try reading.read(body) }
    }
}

extension Connection {
    /// Runs the closure with the apply guard up. Inside the transaction of the caller.
    func whileApplying<Result>(_ body: () throws -> Result) throws -> Result {
        precondition(isInTransaction, "the apply guard lives in one transaction")
        try execute("UPDATE __sync_metadata SET value = 1 WHERE key = 'applying'")
        // Where the closure throws, the transaction is rolled back and the guard with it.
        let result = try body()
        try execute("UPDATE __sync_metadata SET value = 0 WHERE key = 'applying'")
        return result
    }
}

/// The texts that can be answers: UTF-8 of at most 64 KiB without control characters other than line
/// end and tab. The server refuses what holds others, so that here it would be a change that fails.
enum AnswerText {
    static func isAcceptable(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= FieldValue.longestText,
            let text = String(validating: bytes, as: UTF8.self)
        else { return false }
        return !ShownText.hasControlCharacters(text, multiline: true)
    }

    /// Whether a text is what questions of this type take, as far as the type alone says it.
    static func fits(_ text: String, type: String) -> Bool {
        probes[type]?.problem(with: .string(text)) == nil
    }

    private static let probes: [String: Question] = {
        let types: [QuestionType] = [.time, .dateTime, .point, .trace, .shape, .acknowledge]
        return Dictionary(
            uniqueKeysWithValues: types.map {
                ($0.word, Question(path: "answer", label: "", type: $0))
            })
    }()
}
