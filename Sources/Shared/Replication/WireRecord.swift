package import Coding

/// A record as it travels to a device: the confirmed state, one entry of `deltaRecords`.
package struct WireRecord: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var value: FieldValue
        package var stamp: Stamp
        package var version: Int64

        package init(value: FieldValue, stamp: Stamp, version: Int64) {
            self.value = value
            self.stamp = stamp
            self.version = version
        }
    }

    package var table: String
    package var id: RecordID
    package var parent: RecordID?
    package var version: Int64
    package var isDeleted: Bool
    package var fields: [FieldName: Field]
    package var updatedAtUtc: String

    package init(
        table: String, id: RecordID, parent: RecordID?, version: Int64, isDeleted: Bool = false,
        fields: [FieldName: Field], updatedAtUtc: String
    ) {
        self.table = table
        self.id = id
        self.parent = parent
        self.version = version
        self.isDeleted = isDeleted
        self.fields = fields
        self.updatedAtUtc = updatedAtUtc
    }
}

extension WireRecord {
    package init(json: JSON) throws(CodingError) {
        self.init(
            table: try json.read("tableName", FieldNames.read),
            id: try json.read("recordId", RecordID.init(json:)),
            parent: try json.readOptional("parentId", RecordID.init(json:)),
            version: try json.read("version", Count.read),
            isDeleted: try json.optionalBool("isDeleted") ?? false,
            fields: try json.optionalDictionary("fields", of: Field.init(json:)),
            updatedAtUtc: try json.readOptional("updatedAtUtc", ShortText.read) ?? "")
    }

    package var json: JSON {
        [
            "tableName": .string(table), "recordId": id.json, "parentId": JSON(parent?.rawValue),
            "version": .integer(version), "isDeleted": .bool(isDeleted),
            "fields": .object(fields.mapValues(\.json)), "updatedAtUtc": .string(updatedAtUtc),
        ]
    }
}

extension WireRecord.Field {
    package init(json: JSON) throws(CodingError) {
        self.init(
            value: try json.readOptional("value", FieldValue.init(json:)) ?? .null,
            stamp: Stamp(
                lamport: try json.read("lamport", Count.read),
                node: try json.read("node", NodeID.init(json:))),
            version: try json.read("version", Count.read))
    }

    package var json: JSON {
        [
            "value": value.json, "lamport": .integer(stamp.lamport), "node": stamp.node.json,
            "version": .integer(version),
        ]
    }
}
