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

/// A mutation, and of which of its fields others brought a copy before it came.
struct CopiedPart {
    /// Without those fields.
    var rest: Mutation
    var stamps: [FieldName: Stamp] = [:]
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

    /// What a device offers again of its own, and what of that came back as a copy before: this stands,
    /// was overwritten, or waits for a supervisor, and nobody is to be asked about it twice.
    func partCopied(
        _ mutation: Mutation, on record: StoredRecord?, by author: Author
    ) throws -> CopiedPart {
        var part = CopiedPart(rest: mutation)
        guard let record, let sender = author.sender, !author.isCopy,
            sender.standpoint.epoch != .current
        else { return part }
        for (name, change) in mutation.changes {
            let field = WireRecord.Field(
                value: change.value, stamp: Stamp(lamport: change.lamport, node: author.node),
                version: 0)
            guard try connection.copied(field.stamp, name, of: record.id) != nil,
                try connection.hasTrace(of: field, on: name, of: record.id)
            else { continue }
            part.rest.changes[name] = nil
            part.stamps[name] = field.stamp
        }
        return part
    }

    /// The verdict on the whole mutation. What a supervisor still has to decide of it is from now on
    /// decided about this mutation, so that its author hears of it.
    func answer(
        _ verdict: Verdict, with part: CopiedPart, on record: StoredRecord?
    ) throws -> Verdict {
        var verdict = verdict
        for (name, stamp) in part.stamps.sorted(by: { $0.key < $1.key }) {
            if let conflict = try adopt(name, stamp, of: part.rest) {
                verdict.conflicts.append(conflict)
                if verdict.status != .conflict { verdict.status = .quarantined }
            } else if record?.fields[name]?.stamp != stamp, verdict.status == .applied {
                verdict.status = .merged
            }
        }
        return verdict
    }

    /// - Returns: what the supervisor has to decide; nil where nothing of it waits.
    private func adopt(
        _ name: FieldName, _ stamp: Stamp, of mutation: Mutation
    ) throws -> FieldConflict? {
        let waiting = """
            record_id = ?1 AND name = ?2 AND mine_lamport = ?3 AND mine_node = ?4
                AND kind = 'field' AND decision IS NULL
            """
        let key: [DatabaseValue] = [
            .text(mutation.record.rawValue), .text(name), .integer(stamp.lamport),
            .text(stamp.node.rawValue),
        ]
        let conflict = try connection.first(
            "SELECT base, mine, theirs, theirs_node, rule FROM review WHERE \(waiting)", key
        ) { row in
            FieldConflict(
                column: name, base: try row.fieldValue(0), mine: try row.fieldValue(1),
                theirs: try row.fieldValue(2),
                theirsNode: try row.optionalText(3).map { NodeID($0) }, rule: try row.text(4))
        }
        guard let conflict else { return nil }
        try connection.execute(
            "UPDATE review SET mutation_id = ?5 WHERE \(waiting)",
            key + [.text(mutation.id.rawValue)])
        return conflict
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
                : copied.isBase(of: change, over: register, in: sender.standpoint.cursor?.epoch)
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

    /// Whether a change was made on it: on its value, later, and on its version where that says something.
    /// A value alone says little where there are few to choose from.
    func isBase(
        of change: FieldChange, over register: FieldRegister, in epoch: Int64?
    ) -> Bool {
        guard !register.value.isNull, change.baseValue == register.value,
            change.lamport > register.stamp.lamport
        else { return false }
        return self.epoch == 0 || self.epoch != epoch || version <= change.baseVersion
    }

    /// Whether it took the place of one that had this version.
    func isNewer(than version: Int64, in epoch: Int64) -> Bool {
        self.epoch > 0 && self.epoch == epoch && self.version > version
    }
}
