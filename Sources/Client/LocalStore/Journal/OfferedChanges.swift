package import Coding
package import Replication
internal import SQLite

/// A change that stands in the journal and not in the database.
package struct OfferedChange: Sendable, Equatable {
    /// Why nobody knows whether it counts.
    package enum Doubt: Int64, Sendable, CaseIterable {
        /// It was on its way to the disk when the device stopped: nobody was told that it is saved.
        case unsaved = 0
        /// The last one in the journal from which the database was made anew: whether it was called saved
        /// stood in the damaged database alone.
        case unknown = 1
        /// The database knows its transaction and has it otherwise: something has changed the database
        /// past Walkdown. What is shown may be the newer value.
        case otherwise = 2
    }

    package var doubt: Doubt
    package var record: RecordID
    package var table: String
    package var operation: String
    package var fields: [FieldName]
    package var createdAtUtc: String

    init(_ offer: JournalledOffer) {
        let mutation = offer.mutation
        doubt = offer.doubt
        record = RecordID(mutation.record)
        table = mutation.table
        operation = mutation.operation
        fields = mutation.fields.keys.sorted()
        createdAtUtc = mutation.createdAt
    }
}

/// An offered value beside the one that is shown, for who is to decide.
package struct OfferedValue: Sendable, Equatable {
    package var record: RecordID
    package var field: FieldName
    package var offered: FieldValue
    package var shown: FieldValue
}

extension DeviceStore {
    /// What the journal offers, until a person takes or leaves it.
    package func offeredChanges() throws -> [OfferedChange] {
        try onJournal { journal, _ in journal.offered.map(OfferedChange.init) }
    }

    /// What the journal has beside what is shown, field by field.
    package func offeredValues() throws -> [OfferedValue] {
        try onJournal { journal, database in
            try journal.offered.flatMap { try database.values(of: $0.mutation) }
        }
    }

    /// Makes the offered changes now, behind everything that waits. What is shown already is not
    /// changed again.
    package func takeOffered() throws {
        let offered = try onJournal { journal, _ in journal.offered.map(\.mutation) }
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

extension Connection {
    fileprivate func values(of mutation: JournalledMutation) throws -> [OfferedValue] {
        let record = RecordID(mutation.record)
        return try mutation.fields.sorted { $0.key < $1.key }.map { name, field in
            OfferedValue(
                record: record, field: name, offered: try FieldValue(stored: field.value),
                shown: try value(of: name, in: record))
        }
    }
}
