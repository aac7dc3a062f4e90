package import Coding
package import Replication
internal import SQLite

/// What a verdict of *conflict* brought and the review showed: the fields in conflict, and the
/// server's record at that moment. Stands as JSON in `server_snapshot`.
package struct ConflictSnapshot: Sendable, Equatable {
    package var conflicts: [FieldConflict]
    package var record: WireRecord?

    package init(conflicts: [FieldConflict], record: WireRecord?) {
        self.conflicts = conflicts
        self.record = record
    }

    package init(json: JSON) throws(CodingError) {
        conflicts = try json.optionalArray("conflicts", of: FieldConflict.init(json:))
        record = try json.readOptional("record", WireRecord.init(json:))
    }

    package var json: JSON {
        ["conflicts": .array(conflicts.map(\.json)), "record": record?.json ?? .null]
    }

    /// The text for the column.
    package var stored: String { String(decoding: json.serialized(), as: UTF8.self) }

    package init(stored: String) throws(CodingError) {
        try self.init(json: JSON.parse(Array(stored.utf8)))
    }
}

/// What stands against a waiting change now: what the verdict brought, or a newer value that was
/// pulled since.
struct OtherSide {
    var value: FieldValue
    /// nil where nobody is known.
    var node: NodeID?
    var version: Int64
}

extension Connection {
    func otherSide(
        of conflict: FieldConflict, in snapshot: ConflictSnapshot, on id: RecordID
    ) throws -> OtherSide {
        let brought = OtherSide(
            value: conflict.theirs, node: conflict.theirsNode,
            version: snapshot.record?.fields[conflict.column]?.version
                ?? snapshot.record?.version ?? 0)
        let pulled = try first(
            """
            SELECT value, node, version FROM __sync_shadow
            WHERE record_id = ? AND name = ? AND version > ?
            """, [.text(id.rawValue), .text(conflict.column), .integer(brought.version)]
        ) { row in
            OtherSide(
                value: try row.fieldValue(0), node: NodeID(try row.text(1)),
                version: try row.integer(2))
        }
        guard var pulled else { return brought }
        // The version of a field without a value grows with its record's, and nobody did that.
        if pulled.value == brought.value || pulled.node == "" { pulled.node = brought.node }
        return pulled
    }
}

/// The conflicts of one record while they are being settled.
struct ShownConflict {
    private var conflicts: [FieldName: FieldConflict] = [:]
    private var others: [FieldName: OtherSide] = [:]
    private var recordVersion: Int64 = 0
    /// Values of this device that were given up.
    private(set) var given: [FieldName: WaitingMutation.Entry] = [:]

    init(_ mutations: [WaitingMutation], _ database: Connection) throws {
        for mutation in mutations {
            guard let stored = mutation.snapshot else {
                throw StoreError.damaged("a conflict without its snapshot")
            }
            let snapshot = try ConflictSnapshot(stored: stored)
            for conflict in snapshot.conflicts where mutation.entries[conflict.column] != nil {
                conflicts[conflict.column] = conflict
                others[conflict.column] = try database.otherSide(
                    of: conflict, in: snapshot, on: mutation.record)
            }
            recordVersion = max(recordVersion, snapshot.record?.version ?? 0)
        }
        // Restored and deleted once more since the verdict, it is that deletion that was shown.
        guard meetsTombstone, let id = mutations.first?.record,
            try database.isDeletedThere(id)
        else { return }
        let known = try database.first(
            "SELECT version FROM record WHERE id = ?", [.text(id.rawValue)]
        ) { try $0.integer(0) }
        recordVersion = max(recordVersion, known ?? 0)
    }

    /// A value that nobody has looked at is neither taken nor overwritten.
    func requireUnchanged(since shown: [FieldName: FieldValue]) throws(StoreError) {
        let stale = shown.filter { field, theirs in
            others[field].map { $0.value != theirs } ?? false
        }
        guard stale.isEmpty else { throw .changedSinceShown(stale.keys.sorted()) }
    }

    /// Whether the record was deleted by somebody else. What is kept then restores it.
    var meetsTombstone: Bool {
        conflicts.values.contains { $0.rule == MergeRule.tombstone.rawValue }
    }

    /// Whether nothing is kept of a record that somebody else has deleted.
    func letsGo(by resolutions: [FieldName: Resolution]) -> Bool {
        meetsTombstone
            && conflicts.allSatisfy {
                $1.rule != MergeRule.tombstone.rawValue || resolutions[$0] == .theirs
            }
    }

    /// What is not kept either, as later changes of a record that is let go.
    mutating func giveUp(_ entries: [FieldName: WaitingMutation.Entry]) {
        given.merge(entries) { first, _ in first }
    }

    /// The entry that takes the tombstone back, on the version that was shown.
    func restoration(_ database: Connection) throws -> WaitingMutation.Entry {
        WaitingMutation.Entry(
            value: .integer(0), baseValue: .integer(1), baseVersion: recordVersion,
            lamport: try database.tickLamport())
    }

    func requireDecided(by resolutions: [FieldName: Resolution]) throws(StoreError) {
        let strangers = resolutions.keys.filter { conflicts[$0] == nil }
        guard strangers.isEmpty else { throw .notInConflict(strangers.sorted()) }
        let undecided = conflicts.keys.filter { resolutions[$0] == nil }
        guard undecided.isEmpty else { throw .unresolved(undecided.sorted()) }
    }

    /// The entries of the mutation that carries the decision. What was taken from the other side
    /// needs none; the rest gets the version that was shown for its base, and a new count.
    mutating func settle(
        _ entries: [FieldName: WaitingMutation.Entry], _ resolutions: [FieldName: Resolution],
        _ database: Connection
    ) throws -> [FieldName: WaitingMutation.Entry] {
        var settled = entries
        for (name, other) in others {
            guard let mine = entries[name], let resolution = resolutions[name] else { continue }
            let theirs = DatabaseValue(other.value)
            let decided = Self.value(resolution, mine: mine.value, theirs: theirs)
            if decided != mine.value { given[name] = mine }
            if decided == theirs {
                settled[name] = nil
            } else {
                settled[name] = WaitingMutation.Entry(
                    value: decided, baseValue: theirs, baseVersion: other.version,
                    lamport: try database.tickLamport())
            }
        }
        return settled
    }

    private static func value(
        _ resolution: Resolution, mine: DatabaseValue, theirs: DatabaseValue
    ) -> DatabaseValue {
        switch resolution {
        case .mine: mine
        case .theirs: theirs
        case .value(let value): DatabaseValue(value)
        }
    }
}
