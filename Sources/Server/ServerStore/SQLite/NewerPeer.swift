internal import Coding
internal import Forms
internal import Inspections
internal import Replication

/// What a device that was upgraded before this server says. What this server does not know is stored
/// and given back untouched, for the devices that know it and for the day on which the server does.
///
/// It is taken from a newer program only: from one of this version, or an older one, an unknown name
/// is a mistake, and is refused so that a person sees it.
extension Admission {
    /// Whether names that this server does not know are taken as they are. Those of the office come
    /// with a decision about what a device sent.
    var takesUnknown: Bool {
        author.isOffice || mutation.schemaVersion > session.model.version
    }

    private var model: RecordModel { session.model }

    /// What belongs to an inspection may belong to a part of it that this server does not know.
    private static let companions = [
        RecordTable.finding, RecordTable.attachment, RecordTable.repetition,
    ]

    /// Whether a new record of this table may stand under that parent. One of an unknown table needs
    /// a parent, whose site says who may see it.
    func canStand(under parent: StoredRecord?) -> Bool {
        guard let parents = model.parents[mutation.table] else { return parent != nil }
        if parents.contains(parent?.table) { return true }
        guard takesUnknown, let parent, !model.knows(table: parent.table) else { return false }
        return Self.companions.contains(mutation.table)
    }

    /// Whether the rules of this server say nothing about the field.
    func isUnknown(_ column: FieldName, form: FormDefinition?) -> Bool {
        if BuiltInField.isBuiltIn(column) { return !model.builtInFields.contains(column) }
        return form.map { $0.index(of: column) == nil } ?? false
    }

    // MARK: Room

    /// A record has as many fields as one mutation.
    static let mostFields = Mutation.mostChanges
    /// Bytes of one record on the wire. A device reads answers of 8 MiB at most; a record that none
    /// can read would stand in the way of all that comes behind it.
    static let mostBytes = 4 << 20

    /// A device does not fill the server with names, nor a record beyond what other devices can
    /// read. What makes a full record smaller is taken.
    func checkRoom() throws {
        guard !author.isOffice else { return }
        let before = existing?.fields ?? [:]
        let added = mutation.changes.keys.filter { before[$0] == nil }.count
        guard added == 0 || before.count + added <= Self.mostFields else {
            throw rejected(.recordFull, "a record has at most \(Self.mostFields) fields")
        }
        let growth = mutation.changes.reduce(0) { sum, change in
            let old = before[change.key].map { Self.bytes(change.key, $0.value) } ?? 0
            return sum + Self.bytes(change.key, change.value.value) - old
        }
        guard growth > 0 else { return }
        let bytes = before.reduce(growth) { $0 + Self.bytes($1.key, $1.value.value) }
        guard bytes <= Self.mostBytes else {
            throw rejected(
                .recordFull, "the record would become larger than devices can read; shorten it")
        }
    }

    /// As `WireRecord.estimatedBytes`, whose node ids have up to 64 bytes.
    private static func bytes(_ name: FieldName, _ value: FieldValue) -> Int {
        214 + name.utf8.count + value.estimatedBytes
    }
}
