internal import Coding
internal import Replication

extension StoredRecord {
    /// The record as devices see it. The deletion travels as the record's own flag.
    var wire: WireRecord {
        var shown: [FieldName: WireRecord.Field] = [:]
        shown.reserveCapacity(fields.count)
        for (name, register) in fields where name != Mutation.deletedField {
            shown[name] = WireRecord.Field(
                value: register.value, stamp: register.stamp, version: register.version)
        }
        return WireRecord(
            table: table, id: id, parent: parent, version: version, isDeleted: isDeleted,
            fields: shown, updatedAtUtc: SyncTimestamp.text(updatedAt))
    }

    /// Bytes of the record as JSON, from above.
    var estimatedBytes: Int {
        fields.reduce(300) { sum, field in
            var size = 150 + field.key.utf8.count + field.value.stamp.node.rawValue.utf8.count
            if case .string(let text) = field.value.value { size += jsonBytes(of: text) }
            return sum + size
        }
    }

    private func jsonBytes(of text: String) -> Int {
        text.utf8.reduce(0) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) }
    }

    /// Whether the record takes part in its site's digest.
    var counts: Bool { !isDeleted && version > 0 }

    /// Over what devices are told, so that both sides sum the same.
    var confirmedDigest: RecordDigest {
        let shown = fields.filter { $0.key != Mutation.deletedField }
        return RecordDigest(id: id, version: version, fields: shown.mapValues(\.value))
    }
}
