internal import Coding
package import Forms
internal import Inspections
package import Replication
internal import SQLite

/// Moving an inspection to another version of its form (F37). What it does to the answers says `FormMove`;
/// here it is looked at beforehand, or written.
extension DeviceStore {
    /// What a move would do; nothing is written.
    /// - Parameter version: nil for the newest that is open.
    /// - Throws: what `move` does.
    package func plannedMove(of id: RecordID, to version: String? = nil) throws -> FormMove {
        try read { database in
            let (stored, filling, target) = try beginning(of: id, to: version, database)
            let rowIDs = try database.formRowIDs(in: id, target)
            return FormMove(
                filling, to: target, hasBegun: stored.hasBegun, laidID: rowIDs.laid,
                countedID: rowIDs.counted)
        }
    }

    /// Moves an inspection and its rows, reckons anew what the version reckons, lays down the defaults of
    /// what it asks for the first time, and raises what fails first by its rules: all of it in one transaction
    /// and one mutation a record.
    ///
    /// Rows whose repeat the version does not have stay in theirs, with their answers.
    /// - Throws: `StoreError.refused` where answers are closed; `unknownForm` where the version is not here;
    ///   `MoveRefusal`.
    @discardableResult
    package func move(_ id: RecordID, to version: String? = nil) throws -> FormMove {
        try edit { database in
            let (stored, filling, target) = try beginning(of: id, to: version, database)
            let rowIDs = try database.formRowIDs(in: id, target)
            let move = FormMove(
                filling, to: target, hasBegun: stored.hasBegun, laidID: rowIDs.laid,
                countedID: rowIDs.counted)
            let rows = stored.answers.rows.filter { move.filling.hasPlace(forRow: $0.id) }
            let records = [id] + rows.map { RecordID($0.id) }
            try database.move(records, to: target.version)
            if stored.hasBegun {
                var work = Answering(
                    move.filling, over: stored.answers, since: filling, rowIDs: rowIDs)
                work.settleMove()
                var moved = try answers(of: id, database)
                try write(work, over: &moved, on: id, database)
            }
            for record in records {
                try absorbFailure(of: [BuiltInField.formVersion], in: record, database)
            }
            return move
        }
    }

    /// The newest open version of an inspection's form, where that is another and newer one.
    package func newerVersion(for id: RecordID) throws -> String? {
        try read { database in
            let fields = try database.fields(of: id)
            guard case .string(let form)? = fields[BuiltInField.form],
                case .string(let version)? = fields[BuiltInField.formVersion],
                let newest = try database.newestVersion(ofForm: form),
                FormVersion.precedes(version, newest)
            else { return nil }
            return newest
        }
    }

    private func answers(of id: RecordID, _ database: Connection) throws -> InspectionAnswers {
        InspectionAnswers(
            id, fields: try database.fields(of: id), rows: try database.rows(below: id))
    }

    private func beginning(
        of id: RecordID, to version: String?, _ database: Connection
    ) throws -> (InspectionAnswers, FormFilling, FormDefinition) {
        try database.requireRecord(id, table: RecordTable.inspection)
        let fields = try database.fields(of: id)
        let (form, from) = (
            fields[BuiltInField.form]?.plainText ?? "",
            fields[BuiltInField.formVersion]?.plainText ?? ""
        )
        guard let to = try version ?? database.newestVersion(ofForm: form) else {
            throw MoveRefusal.noOpenVersion
        }
        if to == from { throw MoveRefusal.isThere(version: to) }
        let target = try formShelf.form(form, version: to, in: database)
        let before = try formShelf.form(of: fields, in: database)
        // Rows of a repeat that the present version does not have too: the other one may have it.
        let stored = try answers(of: id, database)
        try requireOpen(stored.fields)
        let filling = FormFilling(
            before, answers: stored.answers, in: try surroundings(of: id, by: target, database))
        return (stored, filling, target)
    }
}

/// Why an inspection is not moved.
package enum MoveRefusal: Error, Equatable, Sendable {
    /// All versions that are here are closed.
    case noOpenVersion
    case isThere(version: String)

    package var sentence: String {
        switch self {
        case .noOpenVersion: "no open version of its form is on this device; name one with --to"
        case .isThere(let version): "the inspection is in version \(version) already"
        }
    }
}

extension Connection {
    func newestVersion(ofForm id: String) throws -> String? {
        try query(
            """
            SELECT version FROM form
            WHERE id = ? AND state = 'open' AND definition IS NOT NULL
            """, [.text(id)]
        ) { try $0.text(0) }.max(by: FormVersion.precedes)
    }

    /// Writes the version of records; the triggers take no other word for it.
    func move(_ records: [RecordID], to version: String) throws {
        try setMetadata("moving", .integer(1))
        for id in records where try value(of: BuiltInField.formVersion, in: id) != .string(version)
        {
            try write(.string(version), to: BuiltInField.formVersion, of: id)
        }
        try setMetadata("moving", .integer(0))
    }
}
