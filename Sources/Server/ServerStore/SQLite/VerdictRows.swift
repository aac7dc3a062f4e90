internal import Coding
internal import Replication
internal import SQLite

/// A verdict that stands: the answer to the same mutation, however often it is sent.
struct StoredVerdict {
    let node: NodeID
    let contentHash: [UInt8]
    let record: RecordID
    let status: Verdict.Status
    let version: Int64
    let conflicts: [FieldConflict]
}

extension StoredVerdict {
    /// What a supervisor has left to decide. A conflict that the inspector settles was answered
    /// with the push and has gone its own way since.
    fileprivate var supervised: StoredVerdict {
        let waiting = conflicts.filter(\.isSupervised)
        return StoredVerdict(
            node: node, contentHash: contentHash, record: record,
            status: waiting.isEmpty ? .merged : .quarantined, version: version,
            conflicts: waiting)
    }

    /// The status once some columns are decided.
    static func status(with conflicts: [FieldConflict]) -> Verdict.Status {
        if conflicts.isEmpty { return .merged }
        return conflicts.allSatisfy(\.isSupervised) ? .quarantined : .conflict
    }
}

extension Connection {
    func verdict(on id: MutationID) throws -> StoredVerdict? {
        try first(
            """
            SELECT node, content_hash, record_id, status, version, conflicts
            FROM verdict WHERE mutation_id = ?
            """, [.text(id.rawValue)]
        ) { row in
            guard let status = Verdict.Status(rawValue: try row.text(3)) else {
                throw SQLiteError(.columnType, "a stored verdict of a kind that is unknown here")
            }
            return StoredVerdict(
                node: NodeID(try row.text(0)), contentHash: try row.blob(1),
                record: RecordID(try row.text(2)), status: status, version: try row.integer(4),
                conflicts: try FieldConflict.list(in: row.text(5)))
        }
    }

    /// The mutation that holds this place in its node's sequence.
    func mutation(of node: NodeID, epoch: Int64, sequence: Int64) throws -> MutationID? {
        try first(
            "SELECT mutation_id FROM verdict WHERE node = ? AND epoch = ? AND sequence = ?",
            [.text(node.rawValue), .integer(epoch), .integer(sequence)]
        ) { MutationID(try $0.text(0)) }
    }

    /// The verdict as it is answered now: with the current record, so that a device that missed the
    /// first answer is not sent back in time. Without it where the record has left the device's
    /// scope since.
    func current(
        _ stored: StoredVerdict, on id: MutationID, for device: Device
    ) throws -> Verdict {
        let scope = Scope(team: device.team)
        let found = try record(stored.record)
        let record = try found.flatMap { try scope.contains($0.site, in: self) ? $0 : nil }
        return Verdict(
            mutationId: id, status: stored.status, version: record?.version ?? stored.version,
            record: record?.wire, conflicts: stored.conflicts,
            decisions: record == nil ? try decisions(on: id, of: found) : []
        ).readable
    }

    /// What was decided otherwise than the device had entered it, for one that may not see the record:
    /// of all that stands there it is told only what answers it.
    private func decisions(
        on id: MutationID, of record: StoredRecord?
    ) throws -> [FieldDecision] {
        let decided = try query(
            """
            SELECT name, decision = 'value', decided_by FROM review
            WHERE mutation_id = ? AND kind IN ('field', 'scope')
                AND decision IN ('theirs', 'value')
            ORDER BY name
            """, [.text(id.rawValue)]
        ) { row in
            (
                column: try row.text(0), isValue: try row.flag(1),
                supervisor: Supervisor(name: try row.optionalText(2) ?? "")
            )
        }
        guard !decided.isEmpty else { return [] }
        let fields = try record.map { try self.fields(of: $0.id) } ?? [:]
        return decided.map { decision in
            let register = fields[decision.column]
            let stands = decision.isValue && register?.stamp.node == decision.supervisor.node
            return FieldDecision(
                column: decision.column, value: stands ? register?.value : nil)
        }
    }

    /// Which mutations of a device, whatever its node was then, were decided after their push, and when, as the feed counts.
    func deliveries(
        to device: Device, after start: Int64, through end: Int64, limit: Int
    ) throws -> [(mutation: MutationID, position: Int64)] {
        try query(
            """
            SELECT mutation_id, position FROM delivery
            WHERE node IN (SELECT node FROM device_node WHERE device_id = ?)
                AND position > ? AND position <= ?
            ORDER BY position LIMIT ?
            """,
            [
                .text(device.id), .integer(start), .integer(end),
                .integer(Int64(limit)),
            ]
        ) { (mutation: MutationID(try $0.text(0)), position: try $0.integer(1)) }
    }

    /// The verdict that came about after its push, as it stands now.
    func decision(on id: MutationID, for device: Device) throws -> Verdict? {
        try verdict(on: id).map { try current($0.supervised, on: id, for: device) }
    }
}

extension WriteSession {
    func store(
        _ verdict: Verdict, on mutation: Mutation, by node: NodeID, epoch: Int64
    ) throws {
        try connection.execute(
            """
            INSERT INTO verdict (mutation_id, node, epoch, sequence, content_hash, record_id,
                status, version, conflicts, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(mutation.id.rawValue), .text(node.rawValue), .integer(epoch),
                .integer(mutation.sequence), .blob(mutation.contentHash),
                .text(mutation.record.rawValue), .text(verdict.status.rawValue),
                .integer(verdict.version ?? 0), .text(FieldConflict.text(of: verdict.conflicts)),
                .integer(now),
            ])
    }

    /// What a person decided changes the verdict, and the node that waits for it hears of it with
    /// its next pull.
    func settle(
        _ id: MutationID, _ status: Verdict.Status, conflicts: [FieldConflict], version: Int64,
        deliverTo node: NodeID
    ) throws {
        try connection.execute(
            "UPDATE verdict SET status = ?, version = ?, conflicts = ? WHERE mutation_id = ?",
            [
                .text(status.rawValue), .integer(version),
                .text(FieldConflict.text(of: conflicts)), .text(id.rawValue),
            ])
        try connection.execute(
            "INSERT INTO delivery (position, node, mutation_id, at) VALUES (?, ?, ?, ?)",
            [.integer(advance()), .text(node.rawValue), .text(id.rawValue), .integer(now)])
    }
}

extension FieldConflict {
    /// Whether it waits in the review queue rather than on the device.
    fileprivate var isSupervised: Bool {
        [MergeRule.quarantine, .unknownRecord, .scope].map(\.rawValue).contains(rule)
    }

    static func list(in text: String) throws -> [FieldConflict] {
        guard text != "[]" else { return [] }
        return try JSON.parse(Array(text.utf8)).asArray().map { try FieldConflict(json: $0) }
    }

    static func text(of conflicts: [FieldConflict]) -> String {
        JSON.array(conflicts.map(\.json)).text()
    }
}
