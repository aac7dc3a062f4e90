internal import Coding
internal import Replication
internal import SQLite

/// What is known of a change that came back as a copy.
struct Copied: Equatable {
    /// That it had when it was lost.
    let version: Int64
    /// Of the server, in which it had it; 0 where nobody knows.
    let epoch: Int64
}

extension Connection {
    /// - Returns: nil for a change that did not come as a copy.
    func copied(_ stamp: Stamp, _ field: FieldName, of record: RecordID) throws -> Copied? {
        try first(
            """
            SELECT version, epoch FROM copied
            WHERE record_id = ? AND name = ? AND lamport = ? AND node = ?
            """,
            [
                .text(record.rawValue), .text(field), .integer(stamp.lamport),
                .text(stamp.node.rawValue),
            ]
        ) { Copied(version: try $0.integer(0), epoch: try $0.integer(1)) }
    }

    func copies(of record: RecordID) throws -> [RecordHistory.Copy] {
        try query(
            """
            SELECT copied.name, copied.node, author.name, copied.lamport, copied.device_id,
                device.name, copied.at
            FROM copied LEFT JOIN device ON device.id = copied.device_id
            LEFT JOIN device_node ON device_node.node = copied.node
            LEFT JOIN device AS author ON author.id = device_node.device_id
            WHERE copied.record_id = ? ORDER BY copied.id
            """, [.text(record.rawValue)]
        ) { row in
            RecordHistory.Copy(
                column: try row.text(0), node: NodeID(try row.text(1)),
                device: try row.optionalText(2), lamport: try row.integer(3),
                offeredBy: try row.optionalText(5) ?? row.text(4), offeredAt: try row.integer(6))
        }
    }
}

extension WriteSession {
    /// Who offered it first stays known.
    func noteCopied(
        _ field: WireRecord.Field, _ name: FieldName, of record: RecordID, by sender: Sender
    ) throws {
        try connection.execute(
            """
            INSERT OR IGNORE INTO copied
                (record_id, name, lamport, node, version, epoch, device_id, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(record.rawValue), .text(name), .integer(field.stamp.lamport),
                .text(field.stamp.node.rawValue), .integer(field.version),
                .integer(sender.epochOfCopies), .text(sender.device.id), .integer(now),
            ])
    }

    /// What a device offers again of its own without what came back as a copy before: that stands, was
    /// overwritten, or waits for a supervisor, and nobody is to be asked about it twice.
    func withoutCopied(
        _ mutation: Mutation, on record: StoredRecord?, by author: Author
    ) throws -> Mutation {
        guard let record, let sender = author.sender, !author.isCopy,
            sender.standpoint.epoch != .current
        else { return mutation }
        var rest = mutation
        for (name, change) in mutation.changes {
            let field = WireRecord.Field(
                value: change.value, stamp: Stamp(lamport: change.lamport, node: author.node),
                version: 0)
            guard try connection.copied(field.stamp, name, of: record.id) != nil,
                try connection.hasTrace(of: field, on: name, of: record.id)
            else { continue }
            rest.changes[name] = nil
        }
        return rest
    }

    /// The mutation, `believed` as far as its versions can be, with the bases that show that its author
    /// had seen what came back as a copy: a copy by the version that this had, any other by the very
    /// value.
    func knowing(
        _ mutation: Mutation, believed: Mutation, on record: StoredRecord, by author: Author
    ) throws -> Mutation {
        guard let sender = author.sender, sender.standpoint.epoch != .current else {
            return believed
        }
        var known = believed
        for (name, change) in mutation.changes {
            guard let register = record.fields[name],
                believed.changes[name]?.baseVersion ?? 0
                    < register.newestChange(notBy: author.node),
                let copied = try connection.copied(register.stamp, name, of: record.id)
            else { continue }
            let hasSeen =
                author.isCopy
                ? copied.isSeen(at: change.baseVersion, in: sender.epochOfCopies)
                : !register.value.isNull && change.baseValue == register.value
            if hasSeen { known.changes[name]?.baseVersion = register.version }
        }
        return known
    }
}

extension Copied {
    /// Whether who had seen this version of the record had seen the change.
    func isSeen(at version: Int64, in epoch: Int64) -> Bool {
        self.epoch > 0 && self.epoch == epoch && self.version <= version
    }

    /// Whether it took the place of one that had this version.
    func isNewer(than version: Int64, in epoch: Int64) -> Bool {
        self.epoch > 0 && self.epoch == epoch && self.version > version
    }
}
