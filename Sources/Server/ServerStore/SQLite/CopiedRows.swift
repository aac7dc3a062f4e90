internal import Coding
internal import Replication
internal import SQLite

/// A mutation, and what of it is settled already: others brought a copy before it came, or what took
/// its place.
struct ReturnedPart {
    /// Without those fields.
    var rest: Mutation
    var stamps: [FieldName: Stamp] = [:]
}

extension Connection {
    func copies(of record: RecordID) throws -> [RecordHistory.Copy] {
        try query(
            """
            SELECT copied.name, copied.node, author.name, copied.lamport,
                copied.device_id, device.name, copied.at
            FROM copied LEFT JOIN device ON device.id = copied.device_id
            LEFT JOIN device_node ON device_node.node = copied.node
            LEFT JOIN device AS author ON author.id = device_node.device_id
            WHERE copied.record_id = ? AND is_own = 0 ORDER BY copied.id
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
    /// What a device offers again of its own, and what of that came back before: this stands, was
    /// overwritten, or waits for a supervisor, and nobody is to be asked about it twice. So is what
    /// had another one in its place before the restore, which is here again.
    func partReturned(
        _ mutation: Mutation, on record: StoredRecord?, by author: Author
    ) throws -> ReturnedPart {
        var part = ReturnedPart(rest: mutation)
        guard let record, let sender = author.sender, !author.isCopy,
            sender.standpoint.epoch != .current
        else { return part }
        for (name, change) in mutation.changes {
            let field = WireRecord.Field(
                value: change.value, stamp: Stamp(lamport: change.lamport, node: author.node),
                version: change.formerVersion)
            let stamps = try connection.stamps(of: field, name, record.id, from: sender)
            let here = try stamps.first {
                try connection.hasTrace(of: $0, field.value, on: name, of: record.id)
            }
            // What waits by scope is decided about the mutation that brought it; this one is judged anew.
            if try connection.waitsByScope(field, name, of: record.id) { continue }
            let isKnown =
                try stamps.count > 1
                || connection.returned(field.stamp, name, of: record.id) != nil
            if here == nil || !isKnown {
                guard try connection.hasSuccessor(of: field, name, record.id, from: sender)
                else { continue }
                if here == nil {
                    try keepReplaced(field, name, of: record.id, because: mutation.id)
                }
            }
            try noteReturned(change, name, of: record.id, by: author)
            part.rest.changes[name] = nil
            // Nothing is deleted by it any more.
            if name == Mutation.deletedField { part.rest.operation = .update }
            part.stamps[name] = here ?? field.stamp
        }
        return part
    }

    /// The verdict on the whole mutation. What a supervisor still has to decide of it is from now on
    /// decided about this mutation, so that its author hears of it.
    ///
    /// - Parameter isOutOfReach: where the record is another team's now, the author is not told what
    ///   stands in it.
    func answer(
        _ verdict: Verdict, with part: ReturnedPart, on record: StoredRecord?,
        isOutOfReach: Bool = false
    ) throws -> Verdict {
        var verdict = verdict
        for (name, stamp) in part.stamps.sorted(by: { $0.key < $1.key }) {
            if let conflict = try adopt(name, stamp, of: part.rest) {
                verdict.conflicts.append(isOutOfReach ? conflict.withoutTheirs : conflict)
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
}
