import Coding
import LocalStore
import Replication
import SQLite

struct FieldKey: Hashable, Comparable {
    var record: RecordID
    var name: FieldName

    static func < (left: FieldKey, right: FieldKey) -> Bool {
        left.record != right.record ? left.record < right.record : left.name < right.name
    }
}

/// What a device's inspector has entered, as far as it is not accounted for yet.
struct Ledger {
    struct Entry {
        var value: FieldValue
        /// Of the event in which it was entered.
        var number: Int
    }

    /// The last edit of each field that has not reached the server for all that is known.
    private(set) var open: [FieldKey: Entry] = [:]
    /// The youngest own edit of a field that was shown, by the event that entered it.
    private var shown: [FieldKey: Int] = [:]
    /// The events that entered the values which only one edit enters.
    private var origins: [FieldKey: [FieldValue: Int]] = [:]
    /// Edits whose process ended before it said whether they are kept.
    private var unclear: [FieldKey: Entry] = [:]
    /// Records of which the process ended while something of them was given up or taken back.
    private var doubted: Set<RecordID> = []

    mutating func enter(_ key: FieldKey, _ value: FieldValue, number: Int) {
        open[key] = Entry(value: value, number: number)
        noteOrigin(key, value, number: number)
        shown[key] = number
    }

    private mutating func noteOrigin(_ key: FieldKey, _ value: FieldValue, number: Int) {
        guard !value.isNull, FieldPool.isUnique(key.name) else { return }
        origins[key, default: [:]][value] = number
    }

    mutating func enterUnclear(_ key: FieldKey, _ value: FieldValue, number: Int) {
        unclear[key] = Entry(value: value, number: number)
        noteOrigin(key, value, number: number)
    }

    /// A person gave something up, or took it back: what waits now is what is to be accounted for.
    mutating func restart(_ record: RecordID, waiting: [FieldKey: FieldValue], number: Int) {
        for key in open.keys where key.record == record {
            guard waiting[key] != open[key]?.value else { continue }
            open[key] = waiting[key].map { Entry(value: $0, number: number) }
        }
        for key in shown.keys where key.record == record { shown[key] = nil }
    }

    /// A supervisor has decided about the field: the value that stands may be an older one.
    mutating func forgetShown(_ key: FieldKey) { shown[key] = nil }

    mutating func doubt(_ record: RecordID) { doubted.insert(record) }

    /// After a new start: an edit that was under way is there or it is not.
    mutating func settleUnclear(waiting: [FieldKey: FieldValue], number: Int) {
        for record in doubted { restart(record, waiting: waiting, number: number) }
        doubted = []
        for (key, entry) in unclear where waiting[key] == entry.value {
            open[key] = entry
        }
        unclear = [:]
    }

    /// Each open edit waits here or has reached the server.
    mutating func check(
        waiting: [FieldKey: FieldValue], settled: [Oracle.Edit: Int], node: NodeID
    ) throws {
        for (key, entry) in open where waiting[key] != entry.value {
            let edit = Oracle.Edit(
                node: node, record: key.record, name: key.name, value: entry.value)
            guard let number = settled[edit], number >= entry.number else {
                throw Violation(
                    "an edit is lost",
                    "\(node) entered \(key.name) of \(key.record); it neither waits nor was settled"
                )
            }
            open[key] = nil
        }
    }

    /// An own edit that was shown is never replaced by an older one of one's own.
    mutating func checkReads(_ own: [FieldKey: FieldValue], node: NodeID) throws {
        for (key, value) in own {
            guard let number = origins[key]?[value] else { continue }
            if let newest = shown[key], number < newest {
                throw Violation(
                    "an own read went back",
                    "\(node) shows an older value of \(key.name) of \(key.record)")
            }
            shown[key] = number
        }
    }
}

extension DeviceStore {
    /// The newest waiting value of each field.
    func waitingValues() throws -> [FieldKey: FieldValue] {
        try read { database in
            var values: [FieldKey: FieldValue] = [:]
            try database.each(
                """
                SELECT record_id, name, value FROM __sync_waiting
                WHERE name <> '@deleted' ORDER BY lamport, seq_id
                """
            ) { row in
                let key = FieldKey(record: RecordID(try row.text(0)), name: try row.text(1))
                values[key] = try row.fieldValue(2)
            }
            return values
        }
    }

    /// What is shown of living records that this device itself entered.
    func ownValues(_ node: NodeID) throws -> [FieldKey: FieldValue] {
        try read { database in
            var values: [FieldKey: FieldValue] = [:]
            try database.each(
                """
                SELECT record_id, name, value FROM field JOIN record ON record.id = record_id
                WHERE node = ? AND value IS NOT NULL AND is_deleted = 0
                """, [.text(node.rawValue)]
            ) { row in
                let key = FieldKey(record: RecordID(try row.text(0)), name: try row.text(1))
                values[key] = try row.fieldValue(2)
            }
            return values
        }
    }
}
