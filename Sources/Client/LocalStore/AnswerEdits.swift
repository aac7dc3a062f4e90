internal import Coding
package import Forms
internal import Inspections
package import Replication
internal import SQLite

/// Answers that people give: checked by the form, written with all that follows from them.
extension DeviceStore {
    /// An id for a row that is to be added.
    package func newRowID() -> String { sources.newID() }

    /// Changes answers and rows of an inspection, all of it or nothing, in one transaction: what the
    /// form works out, drops, lays down or counts as a consequence goes along in the same mutation.
    ///
    /// The first answer moves an assigned or returned inspection to *in progress*. What equals the stored
    /// answers changes nothing.
    /// - Parameter agreed: whether the person agreed that rows with answers are removed.
    /// - Returns: the inspection as it is filled in then, without drafts.
    /// - Throws: `AnswerRefusal`; `StoreError.refused` where answers are closed; `unknownForm`.
    @discardableResult
    package func change(
        _ id: RecordID, by changes: [AnswerChange], agreed: Bool = false
    ) throws -> FormFilling {
        try edit { database in
            try database.requireRecord(id, table: RecordTable.inspection)
            var (stored, filling) = try stored(id, database)
            try requireOpen(stored.fields)
            var work = Answering(
                filling, over: stored.answers,
                rowIDs: try database.formRowIDs(in: id, filling.form))
            if !changes.allSatisfy({ $0.isIdle(beside: stored.answers) }) {
                try work.make(changes, isBeginning: !stored.hasBegun, agreed: agreed)
                filling = work.filling
                try write(work, over: &stored, on: id, database)
                try database.noteSaved(id, by: filling.form.id)
            }
            for case .answer(let key, _) in changes {
                try database.removeDraft(key.path, of: key.row.map { RecordID($0) } ?? id)
            }
            return filling
        }
    }

    /// Writes what a new inspection begins with.
    func begin(
        _ id: RecordID, _ form: String, version: String, _ database: Connection
    ) throws {
        let form = try formShelf.form(form, version: version, in: database)
        let filling = FormFilling(form, in: try surroundings(of: id, by: form, database))
        var work = Answering(
            filling, over: FormAnswers(), rowIDs: try database.formRowIDs(in: id, form))
        try work.begin()
        var stored = InspectionAnswers(id, fields: try database.fields(of: id), rows: [])
        try write(work, over: &stored, on: id, database)
    }

    /// Writes what the form works out of the answers as they stand now: changes of others may have come in
    /// since somebody answered here.
    /// - Parameter isFinishing: whether that goes along which it sets when an inspection is completed.
    func reckon(_ id: RecordID, isFinishing: Bool, _ database: Connection) throws {
        let (before, filling) = try stored(id, database)
        var stored = before
        var work = Answering(
            filling, over: before.answers, rowIDs: try database.formRowIDs(in: id, filling.form))
        if isFinishing { work.finish() }
        // The last moment at which anybody can answer in them.
        try work.makeMissingRows(since: [:])
        try write(work, over: &stored, on: id, database)
    }

    func stored(
        _ id: RecordID, _ database: Connection
    ) throws -> (InspectionAnswers, FormFilling) {
        let own = try database.fields(of: id)
        let form = try formShelf.form(of: own, in: database)
        let rows = form.repetitions.isEmpty ? [] : try database.rows(below: id)
        let stored = InspectionAnswers(id, fields: own, rows: rows)
        let filling = FormFilling(
            form, answers: stored.answers, in: try surroundings(of: id, by: form, database))
        return (stored, filling)
    }

    /// Said before anything is worked out; the triggers say it as well.
    func requireOpen(_ fields: [FieldName: FieldValue]) throws {
        switch fields[BuiltInField.state] {
        case .string(InspectionState.complete.rawValue):
            throw StoreError.refused(.complete, field: nil)
        case .string(InspectionState.approved.rawValue):
            throw StoreError.refused(.approved, field: nil)
        default: return
        }
    }

    func write(
        _ work: Answering, over stored: inout InspectionAnswers, on id: RecordID,
        _ database: Connection
    ) throws {
        let filling = work.filling
        let before = stored.answers
        let writes = work.writes(on: id)
        let changed = Dictionary(grouping: writes, by: \.key.row)
        let failures = work.failures(writing: Set(writes.keys))
        let known = Set(before.rows.map(\.id))
        let kept = Set(filling.answers.rows.map(\.id))
        guard !changed.isEmpty || known != kept || !failures.isEmpty else { return }
        try database.beginWork(on: id)
        try write(changed[nil] ?? [], to: id, database)
        for row in filling.answers.rows {
            if !known.contains(row.id) {
                try add(row, to: id, among: filling.answers.rows, &stored, database)
            }
            let writes = changed[row.id] ?? []
            if !writes.isEmpty, stored.behind.contains(row.id), filling.hasPlace(forRow: row.id) {
                try database.move([RecordID(row.id)], to: filling.form.version)
            }
            try write(writes, to: RecordID(row.id), database)
        }
        // What stands in a row goes with it.
        for row in before.rows where !kept.contains(row.id) {
            if let parent = row.parent, !kept.contains(parent) { continue }
            try remove(RecordID(row.id), database)
        }
        try follow(
            failures, gone: known.subtracting(kept), in: filling,
            on: id, database
        ) { try database.counter(of: $0, on: id) }
    }

    private func write(
        _ answers: [(key: AnswerKey, value: FieldValue)], to id: RecordID, _ database: Connection
    ) throws {
        guard !answers.isEmpty else { return }
        for (key, value) in answers.sorted(by: { $0.key.path < $1.key.path }) {
            try database.write(value, to: key.path, of: id)
        }
        try absorbFailure(of: Set(answers.map(\.key.path)), in: id, database)
    }

    private func add(
        _ row: FormAnswers.Row, to inspection: RecordID, among rows: [FormAnswers.Row],
        _ stored: inout InspectionAnswers, _ database: Connection
    ) throws {
        let id = RecordID(row.id)
        try database.insertRecord(
            id, table: RecordTable.repetition,
            parent: row.parent.map { RecordID($0) } ?? inspection)
        let fields: [(FieldName, FieldValue)] = [
            (BuiltInField.form, stored.fields[BuiltInField.form] ?? .null),
            (BuiltInField.formVersion, stored.fields[BuiltInField.formVersion] ?? .null),
            (BuiltInField.repetition, .string(row.path)),
            (BuiltInField.order, stored.takeOrder(for: row, among: rows)),
        ]
        for (name, value) in fields { try database.write(value, to: name, of: id) }
    }

    /// What the form's expressions find on this device.
    /// - Parameter id: the inspection that is filled in; nil where several are looked at.
    func surroundings(
        of id: RecordID? = nil, _ database: Connection
    ) throws -> FillingSurroundings {
        let device = try database.metadataText("device_id") ?? ""
        let (newID, now, zone) = (sources.newID, sources.now, sources.zone)
        var surroundings = FillingSurroundings(
            now: sources.now, zone: sources.zone,
            randomFraction: { Self.fraction(newID()) }, uuid: newID,
            property: { name in
                switch name {
                case "deviceid": device
                case "instanceID": id.map { "uuid:" + $0.rawValue }
                case "now": Self.wallTime(now(), zone)
                case "today": String(Self.wallTime(now(), zone).prefix(10))
                // Who uses the device is not known to it yet.
                case "username", "userid", "email", "phonenumber", "simserial", "subscriberid": ""
                default: nil
                }
            })
        surroundings.inspection = id?.rawValue ?? ""
        return surroundings
    }

    /// `2026-03-14T09:30:00.000+01:00`
    private static func wallTime(_ now: Int64, _ zone: ExpressionZone) -> String {
        let offset = zone.offset(now / 1000)
        let wall = String(SyncTimestamp.text(now + Int64(offset) * 1000).dropLast())
        let minutes = abs(offset) / 60
        let digits = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return wall + (offset < 0 ? "-" : "+") + digits.joined(separator: ":")
    }

    /// The digits behind the last dash of a random UUID, as a number below 1.
    private static func fraction(_ uuid: String) -> Double {
        let digits = uuid.split(separator: "-").last ?? ""
        return Double(UInt64(digits, radix: 16) ?? 0) / 0x1p48
    }
}

extension AnswerChange {
    /// Whether what is given stands there already.
    fileprivate func isIdle(beside stored: FormAnswers) -> Bool {
        guard case .answer(let key, let value) = self else { return false }
        if let row = key.row, stored.row(row) == nil { return false }
        return stored[key] == value
    }
}

extension FormShelf {
    /// The form that an inspection or a row began with.
    /// - Parameter fields: of its record.
    func form(
        of fields: [FieldName: FieldValue], in database: Connection
    ) throws -> FormDefinition {
        try form(
            fields[BuiltInField.form]?.plainText ?? "",
            version: fields[BuiltInField.formVersion]?.plainText ?? "", in: database)
    }
}
