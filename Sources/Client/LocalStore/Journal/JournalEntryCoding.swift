internal import Replication
internal import SQLite

extension JournalEntry {
    /// Of the coding. A reader that does not know it leaves the entry alone and says so.
    /// The first had no bases of older epochs and no pull position; the second did not say why a change
    /// is offered; the third not which entries were let go.
    static let format: Int64 = 4

    func encoded() -> [UInt8] {
        var bytes = JournalBytes()
        bytes.append(Self.format)
        switch self {
        case .beginning(let origin, let since):
            bytes.append(0)
            bytes.append(origin)
            bytes.append(Int64(bitPattern: since))
        case .snapshot(let snapshot):
            bytes.append(1)
            bytes.append(snapshot.number)
            bytes.append(snapshot.position)
            bytes.append(snapshot.origin)
            bytes.append(list: snapshot.mutations) { $0.append($1) }
            bytes.append(list: snapshot.offered) { $0.append($1) }
        case .transaction(let transaction):
            bytes.append(2)
            bytes.append(transaction)
        case .confirmed(let number):
            bytes.append(3)
            bytes.append(number)
        case .letGo(let number):
            bytes.append(4)
            bytes.append(Int64(bitPattern: number))
        }
        return bytes.bytes
    }

    init(decoding bytes: [UInt8]) throws {
        var reader = JournalByteReader(bytes)
        let format = try reader.integer()
        guard (1...Self.format).contains(format) else { throw JournalFault.newerFormat(format) }
        reader.format = format
        switch try reader.integer() {
        case 0:
            self = .beginning(
                try reader.origin(), since: format > 3 ? try reader.entryNumber() : 0)
        case 1:
            self = .snapshot(
                JournalSnapshot(
                    number: try reader.integer(), position: try reader.position(),
                    origin: try reader.origin(), mutations: try reader.list { try $0.mutation() },
                    offered: try reader.list { try $0.offer() }))
        case 2: self = .transaction(try reader.transaction())
        case 3: self = .confirmed(try reader.integer())
        case 4: self = .letGo(before: try reader.entryNumber())
        default: throw JournalFault.malformed
        }
        guard reader.isAtEnd else { throw JournalFault.malformed }
    }
}

extension JournalledMutation {
    /// Its bytes in an entry. Equal mutations have equal ones.
    var packed: [UInt8] {
        var bytes = JournalBytes()
        bytes.append(self)
        return bytes.bytes
    }

    init(packed: [UInt8]) throws {
        var reader = JournalByteReader(packed)
        reader.format = JournalEntry.format
        self = try reader.mutation()
    }
}

extension JournalBytes {
    fileprivate mutating func append(_ origin: JournalOrigin) {
        append(named: origin.metadata) { $0.append($1) }
    }

    fileprivate mutating func append(_ position: JournalPosition) {
        append(position.lamport)
        append(position.sequence)
        append(position.serverEpoch)
        append(DatabaseValue(position.baton))
        append(DatabaseValue(position.pullPosition))
    }

    fileprivate mutating func append(_ transaction: JournalTransaction) {
        append(transaction.number)
        append(transaction.isDurable)
        append(transaction.position)
        append(transaction.origin != nil)
        if let origin = transaction.origin { append(origin) }
        append(list: transaction.changes) { bytes, change in
            switch change {
            case .settled(let id):
                bytes.append(0)
                bytes.append(id)
            case .standing(let mutation):
                bytes.append(1)
                bytes.append(mutation)
            case .amended(let mutation, let removed):
                bytes.append(2)
                bytes.append(mutation)
                bytes.append(list: removed) { $0.append($1) }
            }
        }
    }

    fileprivate mutating func append(_ offer: JournalledOffer) {
        append(offer.mutation)
        append(offer.doubt.rawValue)
    }

    fileprivate mutating func append(_ mutation: JournalledMutation) {
        for text in [
            mutation.id, mutation.table, mutation.record, mutation.operation, mutation.status,
            mutation.createdAt,
        ] {
            append(text)
        }
        for number in [
            mutation.sequence, mutation.lamport, mutation.bytes, mutation.schemaVersion,
            mutation.retryCount,
        ] {
            append(number)
        }
        append(mutation.isSealed)
        for value in [
            DatabaseValue(mutation.parent), DatabaseValue(mutation.nextAttempt),
            DatabaseValue(mutation.lastError), DatabaseValue(mutation.snapshot),
        ] {
            append(value)
        }
        append(named: mutation.others) { $0.append($1) }
        append(named: mutation.fields) { bytes, field in
            bytes.append(field.value)
            bytes.append(field.baseValue)
            bytes.append(field.baseVersion)
            bytes.append(field.lamport)
            bytes.append(field.isOldBase)
        }
    }
}

extension JournalByteReader {
    fileprivate mutating func entryNumber() throws -> UInt64 { UInt64(bitPattern: try integer()) }

    fileprivate mutating func origin() throws -> JournalOrigin {
        JournalOrigin(metadata: try named { try $0.value() })
    }

    fileprivate mutating func position() throws -> JournalPosition {
        JournalPosition(
            lamport: try integer(), sequence: try integer(), serverEpoch: try integer(),
            baton: try optionalText(), pullPosition: format > 1 ? try optionalText() : nil)
    }

    fileprivate mutating func transaction() throws -> JournalTransaction {
        JournalTransaction(
            number: try integer(), isDurable: try flag(), position: try position(),
            origin: try flag() ? try origin() : nil, changes: try list { try $0.change() })
    }

    private mutating func change() throws -> JournalChange {
        switch try integer() {
        case 0: .settled(try text())
        case 1: .standing(try mutation())
        case 2: .amended(try mutation(), removed: try list { try $0.text() })
        default: throw JournalFault.malformed
        }
    }

    fileprivate mutating func mutation() throws -> JournalledMutation {
        let (id, table, record) = (try text(), try text(), try text())
        let (operation, status, createdAt) = (try text(), try text(), try text())
        let (sequence, lamport, bytes) = (try integer(), try integer(), try integer())
        let (schemaVersion, retryCount) = (try integer(), try integer())
        let isSealed = try flag()
        return JournalledMutation(
            id: id, sequence: sequence, table: table, record: record, parent: try optionalText(),
            operation: operation, status: status, isSealed: isSealed, lamport: lamport,
            bytes: bytes, schemaVersion: schemaVersion, retryCount: retryCount,
            nextAttempt: try optionalInteger(), lastError: try optionalText(),
            snapshot: try optionalText(), createdAt: createdAt,
            others: try named { try $0.value() }, fields: try named { try $0.field() })
    }

    fileprivate mutating func offer() throws -> JournalledOffer {
        let mutation = try mutation()
        // Nothing but a last entry was offered most of the time.
        guard format > 2 else { return JournalledOffer(mutation: mutation, doubt: .unsaved) }
        guard let doubt = OfferedChange.Doubt(rawValue: try integer()) else {
            throw JournalFault.malformed
        }
        return JournalledOffer(mutation: mutation, doubt: doubt)
    }

    private mutating func field() throws -> JournalledMutation.Field {
        JournalledMutation.Field(
            value: try value(), baseValue: try value(), baseVersion: try integer(),
            lamport: try integer(), isOldBase: format > 1 ? try flag() : false)
    }

    private mutating func optionalText() throws -> String? {
        switch try value() {
        case .null: nil
        case .text(let text): text
        default: throw JournalFault.malformed
        }
    }

    private mutating func optionalInteger() throws -> Int64? {
        switch try value() {
        case .null: nil
        case .integer(let integer): integer
        default: throw JournalFault.malformed
        }
    }
}
