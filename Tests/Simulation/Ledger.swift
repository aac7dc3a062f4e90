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

    /// What the server had accepted, lost by a restore, and this device still had: the newest of each
    /// field.
    private(set) var owed: [FieldKey: Owed] = [:]
    /// Records that this device had and a restored server did not.
    private(set) var apart: Set<RecordID> = []
    /// Fields about which a supervisor has decided since they were entered last.
    private var supervised: Set<FieldKey> = []
    /// Records on which a person has decided.
    private var decided: Set<RecordID> = []

    struct Owed {
        var value: FieldValue
        var lamport: Int64
        var parent: RecordID?
        /// Of the event in which the server was restored.
        var number: Int
    }

    mutating func enter(_ key: FieldKey, _ value: FieldValue, number: Int) {
        owed[key] = nil
        open[key] = Entry(value: value, number: number)
        noteOrigin(key, value, number: number)
        shown[key] = number
        supervised.remove(key)
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
    mutating func restart(_ record: RecordID, waiting: [FieldKey: FieldValue]) {
        decided.insert(record)
        owed = owed.filter { $0.key.record != record && $0.value.parent != record }
        apart.remove(record)
        for key in open.keys where key.record == record {
            guard waiting[key] != open[key]?.value else { continue }
            // It was entered some time before, and may be settled since.
            open[key] = waiting[key].map { Entry(value: $0, number: 0) }
        }
        for key in shown.keys where key.record == record { shown[key] = nil }
    }

    /// A person has put something else in the place of what was entered.
    mutating func replace(_ key: FieldKey, by value: FieldValue?) {
        open[key] = value.map { Entry(value: $0, number: 0) }
        shown[key] = nil
    }

    mutating func owe(
        _ key: FieldKey, _ change: FieldChange, below parent: RecordID?, number: Int
    ) {
        // A later edit that still waits is the last word.
        guard open[key] == nil, owed[key]?.lamport ?? 0 <= change.lamport else { return }
        // A deletion is a person's decision itself.
        let isDeletion = key.name == Mutation.deletedField && change.value == .integer(1)
        let isDecided =
            decided.contains(key.record) || parent.map { decided.contains($0) } ?? false
        guard isDeletion || key.name != Mutation.deletedField && !isDecided else { return }
        owed[key] = Owed(
            value: change.value, lamport: change.lamport, parent: parent, number: number)
    }

    /// A person has entered something later, which may also be what the server has.
    mutating func takeLaterWord(_ key: FieldKey) {
        owed[key] = nil
        open[key] = nil
    }

    mutating func keepApart(_ records: [RecordID]) {
        apart.formUnion(records.filter { !decided.contains($0) })
    }

    /// In a copy of the home it is as unclear as in a home whose process has ended: what was being
    /// written is in it or not.
    mutating func copyUnclear() {
        for (key, entry) in unclear where open[key] == nil { open[key] = entry }
    }

    /// A supervisor has decided about the field: the value that stands may be an older one, once the
    /// device hears of it.
    mutating func forgetShown(_ key: FieldKey) {
        shown[key] = nil
        supervised.insert(key)
    }

    /// The database is an older one: what the server has settled since may show its former value.
    mutating func forgetShown(exceptOf waiting: [FieldKey: FieldValue]) {
        for key in shown.keys where waiting[key] == nil { shown[key] = nil }
    }

    /// Of which something is not accounted for, or was shown.
    var records: Set<RecordID> { Set(open.keys.map(\.record)).union(shown.keys.map(\.record)) }

    mutating func doubt(_ record: RecordID) { doubted.insert(record) }

    /// After a new start: an edit that was under way is there or it is not.
    mutating func settleUnclear(waiting: [FieldKey: FieldValue]) {
        for record in doubted { restart(record, waiting: waiting) }
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
        for (key, value) in own where !supervised.contains(key) {
            guard let number = origins[key]?[value] else { continue }
            if let newest = shown[key], number < newest {
                throw Violation(
                    "an own read went back",
                    "\(node) shows an older value of \(key.name) of \(key.record):"
                        + " \(value.plainText) after \(newest)")
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
