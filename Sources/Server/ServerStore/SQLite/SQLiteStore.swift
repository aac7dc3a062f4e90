internal import Crypto
internal import Replication
internal import SQLite
internal import Synchronization

/// The store on plain SQLite: one connection writes and checkpoints, a few read.
///
/// Who reads waits only for his like: devices share the `readers`, the office (an export can take
/// minutes) has one of its own, and so has the look-up of tokens, which a connection's thread waits
/// for.
///
/// Pushes go through `WriterQueue`, which commits the batches that wait together; everything else
/// that writes is rare and waits for its turn on the same connection.
package final class SQLiteStore: Store {
    /// What the store does not make itself, so that tests decide it.
    package struct Environment: Sendable {
        /// Milliseconds since 1970, UTC. No change of a record is ever judged by it. It decides how
        /// long things last: enrolment codes, tombstones and the wait for silent devices, verdicts,
        /// history, and how long what a restored server lacks may be on its way.
        package var now: @Sendable () -> Int64
        /// That many random bytes.
        package var random: @Sendable (Int) -> [UInt8]
        /// Batches that may wait for the writer before further ones are refused.
        package var queueLimit: Int
        package var readers: Int
        /// What this version of the program knows.
        package var model: RecordModel
        /// Called once, on any thread, when the disk did not keep what was written: nothing is written
        /// from then on, and the program has to end.
        package var diskFailed: @Sendable () -> Void

        package init(
            now: @escaping @Sendable () -> Int64,
            random: @escaping @Sendable (Int) -> [UInt8] = Crypto.random,
            queueLimit: Int = 256, readers: Int = 2, model: RecordModel = .current,
            diskFailed: @escaping @Sendable () -> Void = {}
        ) {
            self.now = now
            self.random = random
            self.queueLimit = queueLimit
            self.readers = readers
            self.model = model
            self.diskFailed = diskFailed
        }
    }

    let environment: Environment
    let forms = FormShelf()
    let seal: CursorSeal
    private let writer: SerialDatabase
    private let readers: [SerialDatabase]
    private let nextReader = Atomic<Int>(0)
    private let officeReader: SerialDatabase
    private let doorReader: SerialDatabase
    let queue: WriterQueue

    /// Makes the database; refused where one stands.
    package static func create(at path: String, _ environment: Environment) throws -> SQLiteStore {
        // A server that was set up anew must not look like the one that the devices knew, so its
        // first epoch is an instant; each restore raises it.
        let epoch = environment.now()
        let connection = try Connection.open(path, mode: .create) { connection in
            try Schema.bringUpToDate(connection)
            try connection.execute(
                "INSERT INTO identity (name, value) VALUES ('epoch', ?)", [.integer(epoch)])
            try connection.execute(
                "INSERT INTO server_epoch (epoch, began_at) VALUES (?, ?)",
                [.integer(epoch), .integer(epoch)])
            try connection.execute(
                "UPDATE identity SET value = ? WHERE name = 'pruned_at'", [.integer(epoch)])
        }
        return try SQLiteStore(connection, environment)
    }

    /// Opens an existing database and brings it up to date.
    package static func open(at path: String, _ environment: Environment) throws -> SQLiteStore {
        let connection = try Connection.open(path, mode: .readWrite)
        try Schema.bringUpToDate(connection)
        // Before a device sees a position that could be given once more.
        try connection.settleLog()
        return try SQLiteStore(connection, environment)
    }

    private init(_ connection: sending Connection, _ environment: Environment) throws {
        let path = connection.path
        self.environment = environment
        seal = try connection.cursorSeal(random: environment.random)
        let writer = SerialDatabase(connection, label: "walkdown.store.writer")
        self.writer = writer
        func reader(_ name: String) throws -> SerialDatabase {
            SerialDatabase(
                try Connection.open(path, mode: .readOnly), label: "walkdown.store.reader.\(name)")
        }
        readers = try (0..<max(1, environment.readers)).map { try reader("\($0)") }
        officeReader = try reader("office")
        doorReader = try reader("door")
        queue = WriterQueue(
            limit: environment.queueLimit,
            writer: StoreWriter(
                database: writer, forms: forms, environment: environment,
                health: WriterHealth(tell: environment.diskFailed)))
    }

    /// Returns when everything that was handed in before is on the disk or has failed, also what
    /// nobody waits for.
    package func waitUntilIdle() { queue.waitUntilIdle() }

    /// Waits for the batches that were accepted, then closes. Later calls fail: a server that is
    /// stopped may still have requests at work that nobody waits for any more.
    package func close() throws {
        queue.waitUntilIdle()
        for reader in readers + [officeReader, doorReader] { try reader.close() }
        _ = try writer.perform { try $0.checkpoint(.truncate) }
        try writer.close()
    }

    /// Reads from one snapshot, for the office.
    func readForOffice<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try officeReader.read(body)
    }

    /// Looks something up that a connection's thread waits for: one row by an index, no more.
    func lookUp<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try doorReader.read(body)
    }

    /// Reads from one snapshot, for a device.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let turn = nextReader.wrappingAdd(1, ordering: .relaxed).oldValue
        return try readers[abs(turn % readers.count)].read(body)
    }

    package func serverEpoch() throws -> Int64 {
        try read { try $0.counters.epoch }
    }

    /// Writes in a transaction of its own: administration, not pushes. An import can be large, so
    /// the log is moved at once.
    func write<Result>(_ body: (WriteSession) throws -> Result) throws -> Result {
        let result = try queue.writer.transaction(body)
        // What was committed stays in the log if this fails; a later checkpoint moves it.
        try? queue.writer.checkpoint()
        return result
    }
}

extension Connection {
    /// With the secret of this server, made when it is first asked for.
    fileprivate func cursorSeal(random: (Int) -> [UInt8]) throws -> CursorSeal {
        let sql = "SELECT value FROM secret WHERE name = 'cursor'"
        if let secret = try first(sql, [], { try $0.blob(0) }) { return CursorSeal(secret: secret) }
        let secret = random(CursorSeal.secretCount)
        try execute("INSERT INTO secret (name, value) VALUES ('cursor', ?)", [.blob(secret)])
        return CursorSeal(secret: secret)
    }
}
