package import Coding
internal import Crypto

/// One entry of a device's outbox: what was done to one record, with the base of each field.
package struct Mutation: Hashable, Sendable {
    package enum Operation: String, Sendable {
        case insert = "INSERT"
        case update = "UPDATE"
        case delete = "DELETE"
    }

    package var id: MutationID
    /// Rises with every mutation of a device; unique together with node and client epoch.
    package var sequence: Int64
    package var table: String
    package var record: RecordID
    package var parent: RecordID?
    package var operation: Operation
    package var lamport: Int64
    package var changes: [FieldName: FieldChange]
    /// For people to read; orders nothing.
    package var createdAtUtc: String
    package var schemaVersion: Int64

    package init(
        id: MutationID, sequence: Int64, table: String, record: RecordID, parent: RecordID?,
        operation: Operation, lamport: Int64, changes: [FieldName: FieldChange],
        createdAtUtc: String, schemaVersion: Int64 = 1
    ) {
        self.id = id
        self.sequence = sequence
        self.table = table
        self.record = record
        self.parent = parent
        self.operation = operation
        self.lamport = lamport
        self.changes = changes
        self.createdAtUtc = createdAtUtc
        self.schemaVersion = schemaVersion
    }

    /// The field that says whether a record is deleted: 1 for a tombstone, absent or 0 for a living
    /// record. A deletion is a change of this field, so that it has a base and a counter like any
    /// other change, and so that an undo of it has them too. It travels as `isDeleted` in records.
    package static let deletedField: FieldName = "@deleted"

    package var columns: [FieldName] {
        changes.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether it makes a living record a tombstone.
    package var deletes: Bool { deletion != nil }

    /// The highest count in the mutation: what a clock has to have seen.
    package var highestLamport: Int64 {
        changes.values.reduce(lamport) { max($0, $1.lamport) }
    }

    /// SHA-256 of table, record, operation and the sorted values. Two mutations with the same id
    /// and the same hash are one mutation sent twice; bases and counters may differ.
    package var contentHash: [UInt8] {
        var bytes: [UInt8] = []
        Canonical.append(table, tag: "t", to: &bytes)
        Canonical.append(record.rawValue, tag: "r", to: &bytes)
        Canonical.append(operation.rawValue, tag: "o", to: &bytes)
        for column in columns {
            Canonical.append(column, tag: "f", to: &bytes)
            (changes[column]?.value ?? .null).appendCanonical(to: &bytes)
        }
        return SHA256.hash(bytes)
    }
}

extension Mutation {
    /// Fields of one mutation: a form may have 2,000 questions.
    package static let mostChanges = 4_096

    package init(json: JSON) throws(CodingError) {
        let columns = try json.array("changedColumns", of: FieldNames.read)
        guard columns.count <= Self.mostChanges else {
            throw CodingError(.tooLarge, path: "changedColumns", "too many columns")
        }
        let payload = try json.dictionary("payload") { value throws(CodingError) in
            try FieldValue(json: value)
        }
        guard Set(columns) == Set(payload.keys), columns.count == payload.count else {
            throw CodingError(.unexpected, path: "payload", "does not match changedColumns")
        }
        self.init(
            id: try json.read("mutationId", MutationID.init(json:)),
            sequence: try json.read("sequence", Count.read),
            table: try json.read("tableName", FieldNames.read),
            record: try json.read("recordId", RecordID.init(json:)),
            parent: try json.readOptional("parentId", RecordID.init(json:)),
            operation: try json.read("operation", Operation.init(json:)),
            lamport: try json.read("lamportClock", Count.read),
            changes: try Self.changes(payload, base: json.object("base")),
            createdAtUtc: try json.read("createdAtUtc", ShortText.read),
            schemaVersion: try json.readOptional("schemaVersion", Count.read) ?? 1)
    }

    private static func changes(
        _ payload: [FieldName: FieldValue], base: JSON
    ) throws(CodingError) -> [FieldName: FieldChange] {
        var changes: [FieldName: FieldChange] = [:]
        for (column, value) in payload {
            do {
                changes[column] = try base.read(column) { base throws(CodingError) in
                    FieldChange(
                        value: value,
                        baseValue: try base.readOptional("value", FieldValue.init(json:)) ?? .null,
                        baseVersion: try base.read("version", Count.read),
                        lamport: try base.read("lamport", Count.read),
                        formerVersion: try base.readOptional("formerVersion", Count.read) ?? 0,
                        hasExactBase: try base.optionalBool("exact") ?? false)
                }
            } catch {
                throw error.inside(key: "base")
            }
        }
        return changes
    }

    package var json: JSON {
        let base = changes.mapValues(\.baseJSON)
        return [
            "mutationId": id.json, "sequence": .integer(sequence), "tableName": .string(table),
            "recordId": record.json, "parentId": JSON(parent?.rawValue),
            "operation": .string(operation.rawValue), "lamportClock": .integer(lamport),
            "changedColumns": .array(columns.map(JSON.string)),
            "payload": .object(changes.mapValues(\.value.json)), "base": .object(base),
            "createdAtUtc": .string(createdAtUtc), "schemaVersion": .integer(schemaVersion),
        ]
    }
}

extension Mutation.Operation {
    init(json: JSON) throws(CodingError) {
        guard let operation = Self(rawValue: try json.asString()) else {
            throw CodingError(.unexpected, "expected INSERT, UPDATE or DELETE")
        }
        self = operation
    }
}

extension FieldChange {
    fileprivate var baseJSON: JSON {
        var members: [String: JSON] = [
            "value": baseValue.json, "version": .integer(baseVersion),
            "lamport": .integer(lamport),
        ]
        if formerVersion > 0 { members["formerVersion"] = .integer(formerVersion) }
        if hasExactBase { members["exact"] = .bool(true) }
        return .object(members)
    }
}
