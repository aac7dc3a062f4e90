internal import Coding
internal import Forms
internal import Inspections
package import Replication
internal import SQLite

extension SQLiteStore {
    package func importSites(_ rows: [SiteRow]) throws -> ImportReport {
        try importing(rows) { row, session in
            let team = try session.connection.requireTeam(named: row.team)
            let id = ImportedID.site(try required(row.id, "id"))
            let outcome = try session.put(
                id, table: RecordTable.site, parent: nil,
                [BuiltInField.title: .string(try checkedName(row.name))])
            let moved = try session.assign(site: id, to: team)
            return outcome == .unchanged && moved ? .updated : outcome
        }
    }

    package func importAssets(_ rows: [AssetRow]) throws -> ImportReport {
        try importing(rows) { row, session in
            let id = ImportedID.asset(try required(row.id, "id"))
            let site = ImportedID.site(try required(row.site, "site"))
            guard try session.connection.record(site) != nil else {
                throw RowFault("there is no site '\(row.site)'; import sites first")
            }
            if let known = try session.connection.record(id), known.parent != site {
                throw RowFault("asset '\(row.id)' stands at another site; give it a new id there")
            }
            return try session.put(
                id, table: RecordTable.asset, parent: site,
                [
                    BuiltInField.tag: .string(try checkedName(row.tag)),
                    BuiltInField.title: try optional(row.name),
                    BuiltInField.model: try optional(row.model),
                    BuiltInField.serial: try optional(row.serial),
                ])
        }
    }

    /// Makes the one shared inspection of each assignment; one that was begun is left as it is, and
    /// one that was deleted stays deleted, also when nothing but its id is left.
    package func importAssignments(_ rows: [AssignmentRow]) throws -> ImportReport {
        try importing(rows) { row, session in
            let asset = ImportedID.asset(try required(row.asset, "asset"))
            guard let record = try session.connection.record(asset), !record.isDeleted else {
                throw RowFault("there is no asset '\(row.asset)'; import assets first")
            }
            guard let version = try session.connection.newestVersion(ofForm: row.form) else {
                throw RowFault("there is no open form '\(row.form)'; publish it first")
            }
            guard CivilDate(row.due) != nil else { throw RowFault("due is not a day, YYYY-MM-DD") }
            let id = ImportedID.inspection(asset: row.asset, form: row.form, due: row.due)
            guard try session.connection.record(id) == nil, try !session.connection.isPruned(id)
            else { return .unchanged }
            return try session.put(
                id, table: RecordTable.inspection, parent: asset,
                [
                    BuiltInField.form: .string(row.form),
                    BuiltInField.formVersion: .string(version),
                    BuiltInField.asset: record.value(BuiltInField.tag),
                    BuiltInField.due: .string(row.due),
                    BuiltInField.state: .string(InspectionState.assigned.rawValue),
                ])
        }
    }

    /// A file is taken whole or not at all, so that a corrected one can simply be imported again.
    private func importing<Row>(
        _ rows: [Row], _ take: (Row, WriteSession) throws -> WriteSession.PutOutcome
    ) throws -> ImportReport {
        try write { session in
            var report = ImportReport()
            for (index, row) in rows.enumerated() {
                do {
                    switch try take(row, session) {
                    case .created: report.created += 1
                    case .updated: report.updated += 1
                    case .unchanged: report.unchanged += 1
                    }
                } catch let fault as RowFault {
                    throw refusal(.importRefused, row: index, fault.message)
                } catch let error as ServerStoreError {
                    throw refusal(error.code, row: index, error.message)
                }
            }
            return report
        }
    }
}

/// The ids of what outside systems call by their own.
package enum ImportedID {
    package static func site(_ id: String) -> RecordID {
        RecordID(UUIDText.derived("site", id))
    }

    package static func asset(_ id: String) -> RecordID {
        RecordID(UUIDText.derived("asset", id))
    }

    package static func inspection(asset: String, form: String, due: String) -> RecordID {
        RecordID(UUIDText.derived("inspection", asset, form, due))
    }
}

/// What is wrong with one row; the importer adds which one.
private struct RowFault: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Rows are counted as a person sees them in the file: after the line of headings.
private func refusal(
    _ code: ServerStoreError.Code, row index: Int, _ message: String
) -> ServerStoreError {
    ServerStoreError(code, "row \(index + 2): \(message)")
}

private func required(_ text: String, _ column: String) throws -> String {
    guard text.contains(where: { !$0.isWhitespace }) else { throw RowFault("\(column) is empty") }
    return text
}

private func optional(_ text: String) throws -> FieldValue {
    guard text.contains(where: { !$0.isWhitespace }) else { return .null }
    return .string(try checkedName(text))
}
