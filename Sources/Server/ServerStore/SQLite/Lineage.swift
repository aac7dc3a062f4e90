internal import Inspections
internal import Replication
internal import SQLite

/// A record as far as those below it depend on it.
struct Ancestor {
    let id: RecordID
    let table: String
    let isDeleted: Bool
    let isApproved: Bool
}

extension [Ancestor] {
    /// As far as the inspection, which what stands below it is a part of; without what it was made
    /// on.
    var upToInspection: ArraySlice<Ancestor> {
        if let index = firstIndex(where: { $0.table == RecordTable.inspection }) {
            return prefix(through: index)
        }
        return prefix { $0.table != RecordTable.asset }
    }
}

extension Connection {
    /// The record of this id and what stands above it, as far up as it is here. Reads what decides
    /// about those below, not their fields.
    func lineage(of id: RecordID?) throws -> [Ancestor] {
        var lineage: [Ancestor] = []
        var next = id
        while let id = next {
            let found = try first(
                """
                SELECT table_name, is_deleted, parent_id, (
                    SELECT value FROM field WHERE record_id = record.id AND name = ?)
                FROM record WHERE id = ?
                """, [.text(BuiltInField.state), .text(id.rawValue)]
            ) { row in
                let table = try row.text(0)
                let isApproved =
                    table == RecordTable.inspection
                    && row.value(3) == .text(InspectionState.approved.rawValue)
                let ancestor = Ancestor(
                    id: id, table: table, isDeleted: try row.flag(1), isApproved: isApproved)
                return (ancestor: ancestor, parent: try row.optionalText(2).map { RecordID($0) })
            }
            guard let found else { break }
            lineage.append(found.ancestor)
            next = found.parent
        }
        return lineage
    }

    /// Living records below another one, at whatever depth, that changed after a place in the feed.
    func living(below id: RecordID, changedAfter position: Int64) throws -> [RecordState] {
        var changed: [RecordState] = []
        var above = [id]
        while let parent = above.popLast() {
            try each(
                StoredRecord.select + " WHERE parent_id = ? AND is_deleted = 0 ORDER BY id",
                [.text(parent.rawValue)]
            ) { row in
                let record = try StoredRecord(row: row)
                above.append(record.id)
                if try row.integer(7) > position { changed.append(record.state) }
            }
        }
        for index in changed.indices { changed[index].fields = try fields(of: changed[index].id) }
        return changed
    }
}
