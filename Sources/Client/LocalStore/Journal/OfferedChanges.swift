package import Replication
internal import SQLite

/// A change that was on its way to the disk when the device stopped: nobody was told that it is saved,
/// and the database does not have it.
package struct OfferedChange: Sendable, Equatable {
    package var record: RecordID
    package var table: String
    package var operation: String
    package var fields: [FieldName]
    package var createdAtUtc: String

    init(_ mutation: JournalledMutation) {
        record = RecordID(mutation.record)
        table = mutation.table
        operation = mutation.operation
        fields = mutation.fields.keys.sorted()
        createdAtUtc = mutation.createdAt
    }
}

extension DeviceStore {
    /// What the journal offers, until a person takes or leaves it.
    package func offeredChanges() throws -> [OfferedChange] {
        try onJournal { journal, _ in journal.offered.map(OfferedChange.init) }
    }

    /// Makes the offered changes now, behind everything that waits. What is shown already is not
    /// changed again.
    package func takeOffered() throws {
        let offered = try onJournal { journal, _ in journal.offered }
        try settle { database in
            for mutation in offered {
                guard let news = try database.news(in: mutation) else { continue }
                try database.restore(news, asNew: sources.newID())
            }
        }
        try leaveOffered()
    }

    package func leaveOffered() throws {
        try onJournal { try $0.settleOffer($1) }
    }
}
