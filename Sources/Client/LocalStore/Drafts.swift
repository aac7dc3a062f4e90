package import Replication
internal import SQLite

/// A text that was typed and not accepted yet. Survives a crash; never captured, never pushed.
package struct Draft: Sendable, Equatable {
    package var field: FieldName
    package var text: String
    /// Milliseconds since 1970.
    package var updatedAt: Int64

    /// The column, whatever has become of its type: one draft that is no text any more must not keep the
    /// others, and the answers beside it, from being shown.
    static let readText = "CAST(text AS TEXT)"
}

extension DeviceStore {
    package func saveDraft(_ text: String, of field: FieldName, in id: RecordID) throws {
        let now = sources.now()
        try edit { database in
            try database.removeDraft(field, of: id)
            try database.execute(
                "INSERT INTO draft (record_id, name, text, updated_at) VALUES (?, ?, ?, ?)",
                [.text(id.rawValue), .text(field), .text(text), .integer(now)])
        }
    }

    package func draft(of field: FieldName, in id: RecordID) throws -> Draft? {
        try drafts(in: id).first { $0.field == field }
    }

    /// Where something was typed and not accepted.
    package func inspectionsWithDrafts() throws -> Set<RecordID> {
        try read { database in
            try Set(
                database.query("SELECT DISTINCT record_id FROM draft") {
                    RecordID(try $0.text(0))
                })
        }
    }

    package func drafts(in id: RecordID) throws -> [Draft] {
        try read { database in
            try database.query(
                "SELECT name, \(Draft.readText), updated_at FROM draft WHERE record_id = ?"
                    + " ORDER BY name",
                [.text(id.rawValue)]
            ) { row in
                Draft(
                    field: try row.text(0), text: try row.text(1), updatedAt: try row.integer(2))
            }
        }
    }

    package func discardDraft(of field: FieldName, in id: RecordID) throws {
        try settle { try $0.removeDraft(field, of: id) }
    }
}

extension Connection {
    func hasDrafts(of id: RecordID) throws -> Bool {
        try first("SELECT 1 FROM draft WHERE record_id = ?", [.text(id.rawValue)]) { _ in true }
            ?? false
    }

    func removeDraft(_ field: FieldName, of id: RecordID) throws {
        try execute(
            "DELETE FROM draft WHERE record_id = ? AND name = ?",
            [.text(id.rawValue), .text(field)])
    }
}
