internal import Coding
package import Forms
internal import Inspections
package import Replication
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
        surroundings.remember(try database.lastSaved(by: form, but: id), by: form)
        return surroundings
    }

    /// The answers of the inspection by a form that was saved last on this device, as they are stored; nil
    /// where there is none, or where the form asks for none.
    /// - Parameter id: the one that asks.
    package func lastSaved(by form: FormDefinition, but id: RecordID) throws -> FormAnswers? {
        try read { try $0.lastSaved(by: form, but: id) }
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

    func lastSaved(by form: FormDefinition, but id: RecordID) throws -> FormAnswers? {
        guard !form.lastSavedLists.isEmpty else { return nil }
        let last = try saved(by: form.id).first {
            try $0 != id && isLive($0, table: RecordTable.inspection)
        }
        return try last.map {
            InspectionAnswers($0, fields: try fields(of: $0), rows: try rows(below: $0)).answers
        }
    }

    /// The newest first.
    private func saved(by form: String) throws -> [RecordID] {
        try (metadataText(Self.key(form)) ?? "").split(separator: " ").map { RecordID(String($0)) }
    }
}
