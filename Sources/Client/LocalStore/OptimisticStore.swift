package import Coding
internal import Dispatch
package import Replication
internal import SQLite
internal import Synchronization

/// Where edits go: the device's store, or in a test one that fails.
package protocol AnswerStore: Sendable {
    func set(_ answers: [(FieldName, FieldValue)], on id: RecordID) throws
    func values(of id: RecordID) throws -> [FieldName: FieldValue]
}

extension DeviceStore: AnswerStore {
    /// All fields of a record that are not NULL, as they are stored.
    package func values(of id: RecordID) throws -> [FieldName: FieldValue] {
        let pairs = try read { database in
            try database.query(
                "SELECT name, value FROM field WHERE record_id = ? AND value IS NOT NULL",
                [.text(id.rawValue)]
            ) { (try $0.text(0), try $0.fieldValue(1)) }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

/// Shows an edit at once and writes it in the background, in order. Where the write fails, the
/// screen goes back to what is stored, is told why, and no other edit is lost by it.
package final class OptimisticStore: Sendable {
    package enum Outcome: Sendable {
        case saved
        case failed(any Error)
    }

    /// Called on the write queue after each edit, with the record and what became of the edit.
    package typealias Listener = @Sendable (RecordID, Outcome) -> Void

    private let store: any AnswerStore
    private let listener: Listener
    private let picture = Mutex(OptimisticPicture())
    private let queue = DispatchQueue(label: "walkdown.store.optimistic")

    package init(_ store: any AnswerStore, listener: @escaping Listener = { _, _ in }) {
        self.store = store
        self.listener = listener
    }

    /// Reads a record for the screen, after the edits that are under way.
    @discardableResult
    package func open(_ id: RecordID) throws -> [FieldName: FieldValue] {
        try queue.sync { try reload(id) }
        return shown(id)
    }

    package func leave(_ id: RecordID) {
        picture.withLock { $0.unload(id) }
    }

    /// What the screen shows of a record now.
    package func shown(_ id: RecordID) -> [FieldName: FieldValue] {
        picture.withLock { $0.shown(id) }
    }

    /// True while the field's value is *typed* and not *saved*.
    package func isWaiting(_ field: FieldName, of id: RecordID) -> Bool {
        picture.withLock { $0.isWaiting(field, of: id) }
    }

    /// Shows the answers at once and writes them behind.
    /// - Returns: the record as it is shown from now on.
    @discardableResult
    package func edit(
        _ answers: [(FieldName, FieldValue)], on id: RecordID
    ) -> [FieldName: FieldValue] {
        // The same lock for the picture and the queue: edits are written in the order shown.
        picture.withLock { picture in
            let edit = picture.begin(answers, on: id)
            queue.async { self.write(answers, on: id, edit) }
            return picture.shown(id)
        }
    }

    /// Waits until every edit so far is written or has failed.
    package func flush() { queue.sync {} }

    private func write(
        _ answers: [(FieldName, FieldValue)], on id: RecordID, _ edit: OptimisticPicture.EditID
    ) {
        do {
            try store.set(answers, on: id)
            picture.withLock { $0.succeed(edit) }
            refresh(id)
            listener(id, .saved)
        } catch {
            picture.withLock { $0.fail(edit) }
            listener(id, .failed(error))
        }
    }

    /// Shows what the edit changed beside its own fields, such as the state. Between two edits of a
    /// quick sequence there is nothing to see.
    private func refresh(_ id: RecordID) {
        let isSettled = picture.withLock { $0.isLoaded(id) && !$0.isWaiting(id) }
        guard isSettled else { return }
        // The edit is on the disk and in the picture: a failed look at the rest loses nothing, and
        // the next one that succeeds shows it.
        try? reload(id)
    }

    /// On the queue, so that no edit is between the read and the picture.
    private func reload(_ id: RecordID) throws {
        let values = try store.values(of: id)
        picture.withLock { $0.load(values, of: id) }
    }
}
