package import Coding
package import Replication

/// What the screen shows: stored values under the edits that are still on their way to the disk.
/// Pure, so that every interleaving can be tested.
///
/// A failed edit is only taken out of the list. What is shown follows from the rest, so that no
/// edit after it, of the same field or another, is lost by the rollback.
package struct OptimisticPicture: Sendable, Equatable {
    package typealias EditID = Int

    private struct Edit: Sendable, Equatable {
        var id: EditID
        var record: RecordID
        var answers: [FieldName: FieldValue]
    }

    private var stored: [RecordID: [FieldName: FieldValue]] = [:]
    /// In the order in which they were made, which is the order in which they are written.
    private var waiting: [Edit] = []
    private var nextID: EditID = 1

    package init() {}

    /// Takes what the store holds of a record.
    package mutating func load(_ values: [FieldName: FieldValue], of record: RecordID) {
        stored[record] = values
    }

    /// Forgets a record that is not on the screen any more. Edits on their way stay.
    package mutating func unload(_ record: RecordID) { stored[record] = nil }

    package func isLoaded(_ record: RecordID) -> Bool { stored[record] != nil }

    package mutating func begin(
        _ answers: [(FieldName, FieldValue)], on record: RecordID
    ) -> EditID {
        defer { nextID += 1 }
        let last = Dictionary(answers.map { ($0.0, $0.1) }, uniquingKeysWith: { $1 })
        waiting.append(Edit(id: nextID, record: record, answers: last))
        return nextID
    }

    /// The edit is on the disk.
    package mutating func succeed(_ id: EditID) {
        guard let edit = remove(id) else { return }
        // A record that is not loaded is read whole when it is opened.
        stored[edit.record]?.merge(edit.answers) { $1 }
    }

    /// The edit was not written; it and nothing else disappears.
    package mutating func fail(_ id: EditID) { _ = remove(id) }

    package func shown(_ record: RecordID) -> [FieldName: FieldValue] {
        waiting.lazy.filter { $0.record == record }
            .reduce(into: stored[record] ?? [:]) { shown, edit in
                shown.merge(edit.answers) { $1 }
            }
    }

    /// True while what is shown is *typed* and not *saved*.
    package func isWaiting(_ field: FieldName, of record: RecordID) -> Bool {
        waiting.contains { $0.record == record && $0.answers[field] != nil }
    }

    package func isWaiting(_ record: RecordID) -> Bool {
        waiting.contains { $0.record == record }
    }

    private mutating func remove(_ id: EditID) -> Edit? {
        waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
    }
}
