internal import Replication
internal import SQLite

/// A waiting mutation as the journal keeps it: its row in the outbox with its fields.
struct JournalledMutation: Equatable, Sendable {
    struct Field: Equatable, Sendable {
        var value: DatabaseValue
        var baseValue: DatabaseValue
        var baseVersion: Int64
        var lamport: Int64
        /// Whether the base is of an older epoch of the server.
        var isOldBase = false
    }

    var id: String
    var sequence: Int64
    var table: String
    var record: String
    /// Of the record, which may have to be made again before a pull brings it.
    var parent: String?
    var operation: String
    var status: String
    var isSealed: Bool
    var lamport: Int64
    var bytes: Int64
    var schemaVersion: Int64
    var retryCount: Int64
    var nextAttempt: Int64?
    var lastError: String?
    var snapshot: String?
    var createdAt: String
    /// Columns of the outbox that are younger than this list.
    var others: [String: DatabaseValue] = [:]
    var fields: [FieldName: Field] = [:]
}

/// A change that stands in the journal and not in the queue.
struct JournalledOffer: Equatable, Sendable {
    var mutation: JournalledMutation
    var doubt: OfferedChange.Doubt
}

/// What a transaction did to one mutation.
enum JournalChange: Equatable, Sendable {
    /// It stands like this afterwards.
    case standing(JournalledMutation)
    /// Of a large one: its row, the fields that changed, and the names of those that left.
    case amended(JournalledMutation, removed: [FieldName])
    /// Nothing of it waits any more: acknowledged, given up or replaced.
    case settled(String)
}

/// Who this device is, as its metadata says: what it takes to reach the server again and to be known
/// there. Part of each segment's beginning, and of the transaction that changes it.
struct JournalOrigin: Equatable, Sendable {
    /// The keys in `__sync_metadata`.
    static let keys = [
        "device_id", "node", "client_epoch", "server_url", "token", "team", "team_id", "ca_pem",
        "pins", "device_key", "queue_limit", "parted_at", "old_cursor", "background_sync",
        "rebuilt_number", "missing_changes", "journal_gone",
    ]

    var metadata: [String: DatabaseValue]
}

/// The counters after a transaction, above which a rebuilt store begins.
struct JournalPosition: Equatable, Sendable {
    var lamport: Int64
    /// The highest place in the queue that was ever given.
    var sequence: Int64
    var serverEpoch: Int64
    var baton: String?
    /// The cursor under which bases were learnt. A rebuilt store does not pull from there: it says so
    /// to the server, which may have been restored since.
    var pullPosition: String?
}

struct JournalTransaction: Equatable, Sendable {
    /// Rises by one with each that was committed; one that was rolled back leaves its number to the
    /// next.
    var number: Int64
    /// Whether the commit was to be on the disk when it returned (`synchronous = FULL`). Of another
    /// one the database may lose what the journal has.
    var isDurable: Bool
    var position: JournalPosition
    var origin: JournalOrigin?
    var changes: [JournalChange]
}

/// Everything that waits, at one moment. What stands before it counts no more.
struct JournalSnapshot: Equatable, Sendable {
    /// Of the last transaction in it.
    var number: Int64
    var position: JournalPosition
    var origin: JournalOrigin
    var mutations: [JournalledMutation]
    /// Until a person decides.
    var offered: [JournalledOffer]
}

enum JournalEntry: Equatable, Sendable {
    /// The first entry of a segment that continues another one. `since` is the number of the first
    /// entry that counts; 0 where nobody knows it.
    case beginning(JournalOrigin, since: UInt64)
    case snapshot(JournalSnapshot)
    case transaction(JournalTransaction)
    /// The transactions up to this number are in the database, later ones were rolled back.
    case confirmed(Int64)
    /// The entries before this number are let go next: nothing in them waits. Without it nobody could
    /// tell a segment that went from one that is missing.
    case letGo(before: UInt64)
}
