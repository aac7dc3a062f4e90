package import SQLite

/// Why a database's trigger refused a local change. The raw value is the code in its RAISE.
package enum Refusal: String, Sendable, CaseIterable {
    case exists, key, version, delete, record, deleted, approved, complete, state, type, text,
        question, choice, limit, uncaptured, form, day, asset, row, finding, word
    case noRecord = "no_record"
    case queueFull = "queue_full"

    /// The words for a screen or a terminal. Says nothing of the value.
    package var sentence: String {
        switch self {
        case .queueFull: "too many changes wait to be sent; synchronise first"
        case .approved: "the inspection is approved and locked"
        case .complete: "the inspection is complete; reopen it first"
        case .state: "the inspection cannot go from its state to this one"
        case .deleted: "the record is deleted"
        case .noRecord: "there is no such record here, or it is deleted"
        case .question: "the form has no such question"
        case .type: "the value is not of the type that belongs there"
        case .form: "an inspection keeps the form and version that it began with"
        case .day: "this is not a day, YYYY-MM-DD"
        case .asset: "there is no such asset here, or several have that tag"
        case .row: "there is no such inspection or row here for a row to stand in"
        case .finding: "there is no such inspection here for a finding to stand in"
        case .word:
            "a finding is minor, major or critical, and pending, corrected or closed"
        case .choice: "the value is not one of the question's choices"
        case .limit: "the value is beyond the question's limits"
        case .text:
            "the text holds control characters, is not UTF-8, or is longer than 65536 bytes"
        case .exists: "the row exists already; change it instead of replacing it"
        case .key: "keys, parent and table of a record never change"
        case .version: "versions are written by synchronisation only"
        case .delete: "rows are not deleted; set is_deleted to 1 instead"
        case .record: "a new record has an id, a table and no version"
        case .uncaptured: "the change could not be put into the queue and was undone"
        }
    }

    /// Whether it is about the value of one field. The others are about the whole edit, and naming
    /// the field at which it stopped would lead astray.
    var isAboutValue: Bool {
        switch self {
        case .type, .text, .question, .choice, .limit, .day, .asset, .word: true
        default: false
        }
    }
}

/// What the device's store refuses or cannot do. No case holds a value of a field or a key.
package enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A trigger refused the change; nothing of the edit was kept.
    case refused(Refusal, field: String?)
    case unknownRecord(String)
    /// It was deleted, and a decision of the inspector about it waits.
    case deletedUndecided(String)
    case unknownMutation(String)
    case unknownForm(id: String, version: String?)
    /// Retry, discard and resolve want a mutation of another status.
    case wrongStatus(mutation: String, status: String)
    /// A resolution left fields in conflict undecided.
    case unresolved([String])
    /// A resolution names fields that are not in conflict.
    case notInConflict([String])
    /// The other side of a conflict has changed since it was shown.
    case changedSinceShown([String])
    /// Changes of an inspection that the server has refused, by mutation: it cannot be finished.
    case changesRefused([String])
    /// A row holds what this program never writes.
    case damaged(String)
    /// The statement is not one that `sql` runs.
    case statementNotAllowed(String)
    /// The home was opened for reading only.
    case readOnly
    /// The store was closed: the device is locked.
    case closed
    /// The database itself: busy, full, input/output, damage.
    case storage(SQLiteError)
    /// The journal could not take the change; nothing of the edit was kept.
    case secondCopy(JournalFault)

    package var description: String {
        switch self {
        case .refused(let refusal, let field?) where refusal.isAboutValue:
            "\(field): \(refusal.sentence)"
        case .refused(let refusal, _): refusal.sentence
        case .unknownRecord(let id): "there is no record \(id) here"
        case .deletedUndecided(let id):
            "the record \(id) was deleted, and a conflict about it waits: resolve that first"
        case .unknownMutation(let id): "there is no mutation \(id) in the queue"
        case .unknownForm(let id, let version):
            "the form \(id)\(version.map { " version \($0)" } ?? "") is not on this device"
        case .wrongStatus(let mutation, let status): "the mutation \(mutation) is \(status)"
        case .unresolved(let fields): "still in conflict: \(fields.joined(separator: ", "))"
        case .notInConflict(let fields): "not in conflict: \(fields.joined(separator: ", "))"
        case .changedSinceShown(let fields):
            "changed again by somebody else: \(fields.joined(separator: ", "))"
        case .changesRefused(let ids):
            "the server has refused \(ids.count == 1 ? "a change" : "\(ids.count) changes") of it:"
                + " retry, edit or discard first"
        case .damaged(let what): "the store is damaged: \(what)"
        case .statementNotAllowed(let why): why
        case .readOnly: "another process holds this home; it can only be read"
        case .closed: "the store is locked"
        case .storage(let error): error.description
        case .secondCopy(let fault): fault.description
        }
    }
}

extension StoreError {
    /// The disk is full: nothing of the edit was kept, everything before is.
    package var isDiskFull: Bool {
        switch self {
        case .storage(let error): error.isFull
        case .secondCopy(let fault): fault.isDiskFull
        default: false
        }
    }

    package var isDiskFault: Bool {
        switch self {
        case .storage(let error): error.isIO
        case .secondCopy(.system): !isDiskFull
        default: false
        }
    }

    /// The database cannot be used any more; `DeviceStore.rebuild` makes it anew.
    package var isDamage: Bool {
        switch self {
        case .storage(let error):
            error.isNotADatabase || error.isCorrupt || error.reason == .truncated
        default: false
        }
    }

    /// What a trigger raised becomes a refusal; other errors of the engine stay what they are.
    static func translating<Result>(
        field: String? = nil, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreError(error, field: field)
        }
    }

    init(_ error: SQLiteError, field: String?) {
        if let message = error.constraintMessage, message.hasPrefix("walkdown:"),
            let refusal = Refusal(rawValue: String(message.dropFirst("walkdown:".count)))
        {
            self = .refused(refusal, field: field)
        } else if error.reason == .closed {
            self = .closed
        } else {
            self = .storage(error)
        }
    }
}
