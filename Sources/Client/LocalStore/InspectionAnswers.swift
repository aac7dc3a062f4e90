internal import Coding
internal import Forms
internal import Inspections
internal import Replication
internal import SQLite

/// What is stored of one inspection: its own fields, and the rows of its repeats in their order.
///
/// A row whose inspection, or the row around it, is deleted is in none of it.
struct InspectionAnswers {
    /// Built-in fields too, empty ones left out.
    private(set) var fields: [FieldName: FieldValue] = [:]
    /// Whether any question has been answered before, also where the answer was cleared since.
    private(set) var hasBegun = false
    /// Answers by question path.
    private(set) var answers = FormAnswers()
    /// The places of the rows among their brothers.
    private(set) var orders: [String: Double] = [:]
    /// Rows of another version than the inspection: added by somebody who had not heard of its move.
    private(set) var behind: Set<String> = []

    /// - Parameter rows: in any order.
    init(_ id: RecordID, fields stored: [FieldName: FieldValue], rows: [RowRecord]) {
        hasBegun = !rows.isEmpty || stored.keys.contains { !BuiltInField.isBuiltIn($0) }
        fields = stored.filter { !$0.value.isNull }
        answers = FormAnswers(fields, of: id.rawValue, records: rows, in: [])
        orders = Dictionary(
            rows.map { ($0.id, $0.order) }, uniquingKeysWith: { first, _ in first })
        let version = fields[BuiltInField.formVersion]
        behind = Set(rows.filter { $0.fields[BuiltInField.formVersion] != version }.map(\.id))
    }

    /// nil for a state that this version does not know.
    var state: InspectionState? {
        fields[BuiltInField.state].map { InspectionState(rawValue: $0.plainText) } ?? .inProgress
    }

    /// Whether nobody answers any more: it is complete or approved.
    var isClosed: Bool { state.map { !$0.takesAnswers } ?? false }

    /// Where a new row goes: behind its brothers. It counts as one from now on.
    mutating func takeOrder(for row: FormAnswers.Row, among rows: [FormAnswers.Row]) -> FieldValue {
        let brothers = rows.filter { $0.path == row.path && $0.parent == row.parent }
        let order =
            (brothers.compactMap { orders[$0.id] }.filter(\.isFinite).max() ?? 0).rounded(.down) + 1
        orders[row.id] = order
        return FieldValue.double(order).canonical
    }
}

extension Connection {
    /// All fields of a record, cleared ones too.
    func fields(of id: RecordID) throws -> [FieldName: FieldValue] {
        var fields: [FieldName: FieldValue] = [:]
        try each("SELECT name, value FROM field WHERE record_id = ?", [.text(id.rawValue)]) {
            fields[try $0.text(0)] = try $0.fieldValue(1)
        }
        return fields
    }

    /// Rows of an inspection, and the rows in those; of all inspections where none is named.
    func rows(below id: RecordID? = nil) throws -> [RowRecord] {
        let beginning =
            id == nil
            ? "table_name = 'inspection' AND is_deleted = 0" : "id = ?"
        var parents: [String: String] = [:]
        var fields: [String: [FieldName: FieldValue]] = [:]
        try each(
            """
            WITH RECURSIVE inside (id, parent_id, depth) AS (
                SELECT id, NULL, 0 FROM record WHERE \(beginning)
                UNION ALL
                SELECT record.id, record.parent_id, depth + 1
                FROM inside JOIN record ON record.parent_id = inside.id
                WHERE record.table_name = 'repeat' AND record.is_deleted = 0
                    AND depth < \(Self.deepestFamily))
            SELECT inside.id, inside.parent_id, field.name, field.value
            FROM inside JOIN field ON field.record_id = inside.id
            WHERE depth > 0
            """, id.map { [.text($0.rawValue)] } ?? []
        ) { row in
            let id = try row.text(0)
            parents[id] = try row.text(1)
            fields[id, default: [:]][try row.text(2)] = try row.fieldValue(3)
        }
        return parents.map { id, parent in
            RowRecord(id: id, parent: parent, fields: fields[id] ?? [:])
        }
    }
}

/// Rows and findings, deleted ones too: what waits of them belongs to their inspection.
extension Connection {
    private static func allParts(of inspections: String) -> String {
        """
        WITH RECURSIVE inside (id, top, depth) AS (
            SELECT id, id, 0 FROM record WHERE \(inspections)
            UNION ALL
            SELECT record.id, top, depth + 1
            FROM inside JOIN record ON record.parent_id = inside.id
            WHERE record.table_name IN ('repeat', 'finding') AND depth < \(deepestFamily))
        SELECT id, top FROM inside WHERE depth > 0 ORDER BY depth, id
        """
    }

    func inspectionsOfParts() throws -> [(part: RecordID, inspection: RecordID)] {
        try query(Self.allParts(of: "table_name = 'inspection'")) {
            (RecordID(try $0.text(0)), RecordID(try $0.text(1)))
        }
    }

    func parts(of id: RecordID) throws -> [RecordID] {
        try query(Self.allParts(of: "id = ?"), [.text(id.rawValue)]) { RecordID(try $0.text(0)) }
    }

    func fieldBadges(
        ofPartsOf id: RecordID
    ) throws -> [RecordID: [FieldName: SyncBadge]] {
        var badges: [RecordID: [FieldName: SyncBadge]] = [:]
        for part in try parts(of: id) {
            let own = try fieldBadges(of: part)
            if !own.isEmpty { badges[part] = own }
        }
        return badges
    }

    /// Where something was typed in an inspection or its rows and not accepted.
    func draftKeys(of id: RecordID, _ answers: FormAnswers) throws -> Set<AnswerKey> {
        let rows = Set(answers.rows.map(\.id))
        var keys: Set<AnswerKey> = []
        try each("SELECT record_id, name FROM draft") { draft in
            let record = try draft.text(0)
            guard record == id.rawValue || rows.contains(record) else { return }
            keys.insert(
                AnswerKey(row: record == id.rawValue ? nil : record, try draft.text(1)))
        }
        return keys
    }
}
