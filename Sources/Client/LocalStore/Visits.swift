internal import Coding
internal import Forms
package import Inspections
package import Replication
internal import SQLite

/// Earlier visits to the same equipment (M32): finished inspections, complete or approved, of one asset by
/// one form in whatever version.
///
/// **Their order asks no clock.** A visit has its place by the lowest Lamport counter among its answers,
/// which is when it was begun: counters go the way news goes, so whoever begins after his device has heard
/// of a visit has a higher one. A correction, an approval or a move to another version raises others and
/// leaves the place as it is. Of two visits neither of which had heard of the other the counters say the
/// same on every device, if not always what a clock would. Days are shown and compared by nobody.
///
/// What was answered and then not asked any more was not found: it stays in the record, and in no visit.
extension DeviceStore {
    /// The last visit before an inspection; before one that nobody has begun, the newest that there is.
    /// - Throws: `unknownRecord` of the inspection.
    package func previousVisit(of id: RecordID) throws -> Visit? {
        try read { database in
            try database.requireRecord(id, table: RecordTable.inspection)
            return try previousVisit(of: id, database)
        }
    }

    /// Finished visits before an inspection, the newest first.
    /// - Throws: `unknownRecord` of the inspection.
    package func visits(before id: RecordID, limit: Int) throws -> [Visit] {
        try read { database in
            try database.requireRecord(id, table: RecordTable.inspection)
            return try visits(before: id, limit: limit, database)
        }
    }

    func previousVisit(of id: RecordID, _ database: Connection) throws -> Visit? {
        try visits(before: id, limit: 1, database).first
    }

    private func visits(before id: RecordID, limit: Int, _ database: Connection) throws -> [Visit] {
        guard let asset = try database.asset(of: id),
            case .string(let form) = try database.value(of: BuiltInField.form, in: id)
        else { return [] }
        let place = try database.placeAmongVisits(of: id)
        return try database.visits(asset: asset, form: form, before: place, limit: limit)
            .map { try visit($0, form: form, database) }
    }

    private func visit(
        _ stored: StoredVisit, form: String, _ database: Connection
    ) throws -> Visit {
        let fields = try database.fields(of: stored.id)
        var answers = InspectionAnswers(
            stored.id, fields: fields, rows: try database.rows(below: stored.id)
        ).answers
        var day: String?
        if let form = try heldForm(of: fields, database) {
            day = form.day(of: answers)
            var surroundings = try surroundings(of: stored.id, database)
            surroundings.settle(for: .approved)
            answers = FormFilling(form, answers: answers, in: surroundings).askedAnswers
        }
        return Visit(
            inspection: stored.id.rawValue,
            formVersion: fields[BuiltInField.formVersion]?.plainText ?? "",
            day: day ?? stored.changedUtc.flatMap(self.day), answers: answers)
    }

    /// The form of an inspection, in its version; nil where that is not here, or not to be read.
    func heldForm(
        of fields: [FieldName: FieldValue], _ database: Connection
    ) throws -> FormDefinition? {
        do {
            return try formShelf.form(of: fields, in: database)
        } catch StoreError.unknownForm {
            return nil
        } catch is FormError {
            return nil
        } catch is CodingError {
            return nil
        }
    }

    /// On the wall where the device is; nil for what is no instant, as from a newer server.
    private func day(_ instant: String) -> String? {
        guard let milliseconds = try? SyncTimestamp.milliseconds(instant) else { return nil }
        let offset = Int64(sources.zone.offset(milliseconds / 1000)) * 1000
        return String(SyncTimestamp.text(milliseconds + offset).prefix(10))
    }
}

/// A finished inspection as it stands among the visits of its asset.
struct StoredVisit {
    var id: RecordID
    /// When it was last changed: by this device, else as the server said.
    var changedUtc: String?
}

/// Where an inspection stands among the visits.
struct VisitPlace {
    var begun: Int64
    /// Of two that were begun at the same counter.
    var id: String

    static let newest = VisitPlace(begun: .max, id: "")
}

extension Connection {
    /// The lowest counter among what stands in a record as an answer; NULL where nothing does.
    private static func lowest(of record: String) -> String {
        """
        SELECT min(answer.lamport) FROM field AS answer
        WHERE answer.record_id = \(record) AND answer.value IS NOT NULL
            AND answer.name NOT LIKE '@%'
        """
    }

    /// The same of an inspection, or of its rows where it has answers nowhere else.
    private static func begun(_ record: String) -> String {
        """
        coalesce((\(lowest(of: record))), (
            SELECT min(begun) FROM (
                SELECT (\(lowest(of: "part.id"))) AS begun FROM record AS part
                WHERE part.parent_id = \(record) AND part.table_name = 'repeat')))
        """
    }

    /// Of the records below the asset those that count, each looked at by its key; answers are read of
    /// them alone.
    static let visitsOfAsset = """
        SELECT id, changed FROM (
            SELECT record.id AS id,
                coalesce(record.local_updated_at, record.server_updated_at) AS changed,
                coalesce(\(begun("record.id")), form.lamport) AS begun
            FROM record
            CROSS JOIN field AS form ON form.record_id = record.id AND form.name = '@form'
                AND form.value = ?2
            CROSS JOIN field AS state ON state.record_id = record.id AND state.name = '@state'
                AND state.value IN ('complete', 'approved')
            WHERE record.parent_id = ?1 AND +record.table_name = 'inspection'
                AND +record.is_deleted = 0
                AND NOT EXISTS (SELECT 1 FROM __sync_archived WHERE record_id = record.id))
        WHERE begun < ?3 OR (begun = ?3 AND id < ?4)
        ORDER BY begun DESC, id DESC LIMIT ?5
        """

    func visits(
        asset: RecordID, form: String, before place: VisitPlace, limit: Int
    ) throws -> [StoredVisit] {
        try query(
            Self.visitsOfAsset,
            [
                .text(asset.rawValue), .text(form), .integer(place.begun), .text(place.id),
                .integer(Int64(limit)),
            ]
        ) { StoredVisit(id: RecordID(try $0.text(0)), changedUtc: try $0.optionalText(1)) }
    }

    func placeAmongVisits(of id: RecordID) throws -> VisitPlace {
        let begun = try first("SELECT \(Self.begun("?1"))", [.text(id.rawValue)]) {
            try $0.optionalInteger(0)
        }
        return VisitPlace(begun: (begun ?? nil) ?? .max, id: id.rawValue)
    }

    /// What an inspection stands below.
    func asset(of id: RecordID) throws -> RecordID? {
        try first("SELECT parent_id FROM record WHERE id = ?", [.text(id.rawValue)]) {
            try $0.optionalText(0).map { RecordID($0) }
        } ?? nil
    }

    /// Whether an inspection is the newest finished one of its asset and form that is here with its
    /// answers: what the next visit shows.
    func isLastVisit(_ id: RecordID) throws -> Bool {
        guard let asset = try asset(of: id),
            case .string(let form) = try value(of: BuiltInField.form, in: id)
        else { return false }
        return try visits(asset: asset, form: form, before: .newest, limit: 1).first?.id == id
    }
}
