internal import Coding
internal import Forms
internal import Inspections
internal import Replication
internal import SQLite

/// What a form finds of the inspection by it that was saved last on this device
/// (`jr://instance/last-saved`, `${last-saved#name}`).
///
/// As with ODK Collect a draft counts like a finished inspection. Here every answer is saved by itself, so the
/// last one is that in which something was answered or that was finished last, in whatever version; what other
/// devices did is not among it. An inspection never finds itself: a number that goes on from the last
/// would grow with each answer.
extension DeviceStore {
    /// What the expressions of an inspection's own form find on this device.
    func surroundings(
        of id: RecordID, by form: FormDefinition, _ database: Connection
    ) throws -> FillingSurroundings {
        var surroundings = try surroundings(of: id, database)
        let lists = form.lastSavedLists
        guard !lists.isEmpty, let last = try database.lastSaved(by: form.id, but: id) else {
            return surroundings
        }
        let stored = InspectionAnswers(
            last, fields: try database.fields(of: last), rows: try database.rows(below: last))
        var looking = surroundings
        looking.calculates = .none
        // Its answers as this version has them, which may be another than its own.
        let record = FormFilling(form, answers: stored.answers, in: looking).submission
        for list in lists { surroundings.instances[list] = record }
        return surroundings
    }
}

extension Connection {
    /// Of each form so many are remembered: the newest may be the one that asks, or be deleted since.
    private static let mostRemembered = 4

    private static func key(_ form: String) -> String { "last_saved \(form)" }

    /// That somebody worked on an inspection here.
    /// - Parameter form: its id; nil to look it up.
    func noteSaved(_ id: RecordID, by form: String? = nil) throws {
        let form = try form ?? value(of: BuiltInField.form, in: id).plainText
        let known = try saved(by: form)
        // Most answers are given in the inspection of the one before.
        guard known.first != id else { return }
        let kept = ([id] + known.filter { $0 != id }).prefix(Self.mostRemembered).map(\.rawValue)
        try setMetadata(Self.key(form), .text(kept.joined(separator: " ")))
    }

    fileprivate func lastSaved(by form: String, but id: RecordID) throws -> RecordID? {
        try saved(by: form).first {
            try $0 != id && isLive($0, table: RecordTable.inspection)
        }
    }

    /// The newest first.
    private func saved(by form: String) throws -> [RecordID] {
        try (metadataText(Self.key(form)) ?? "").split(separator: " ").map { RecordID(String($0)) }
    }
}
