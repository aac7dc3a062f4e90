package import Replication
internal import SQLite

/// A device whose past was lived twice: its home was copied to another machine, or put back from a
/// copy. Both go on, each as a node of its own, and what was made before the parting is known to the
/// server by its ids.
extension DeviceStore {
    /// Gives this device a new node id, in one transaction. What no answer has settled keeps its ids
    /// and contents: what the server has of it already, it recognises; the rest it judges under the
    /// new node. The Lamport counter goes on.
    @discardableResult
    package func takeNewNode() throws -> NodeID {
        let node = NodeID(sources.newID())
        let now = SyncTimestamp.text(sources.now())
        try settle { database in
            try database.part(as: node)
            try database.log(
                "identity", "a copy of this device is known to the server; it is a new node now",
                nowUtc: now)
        }
        return node
    }

    /// The server knows this device no more, because it was restored from a backup of before the
    /// enrolment, and has enrolled it anew, as `node`. In one transaction, and where it throws nothing has
    /// changed; everything that waits keeps its ids and contents, and goes under the new node.
    package func enrolAgain(_ enrolment: Enrolment, as node: NodeID) throws {
        let now = SyncTimestamp.text(sources.now())
        try settle { database in
            try database.keep(enrolment)
            try database.setMetadata("retry_floor", .null)
            try database.noteRevoked(false)
            try database.part(as: node)
            try database.log(
                "identity", "enrolled anew: the server did not know this device any more",
                nowUtc: now)
        }
    }
}

extension Connection {
    /// From now on this device is `node`.
    fileprivate func part(as node: NodeID) throws {
        let last = try first("SELECT max(seq_id) FROM __sync_outbox") { row in
            try row.optionalInteger(0)
        }
        try setMetadata("node", .text(node.rawValue))
        // The baton is the other copy's, or from before a copy that was put back.
        try setMetadata("baton", .null)
        try setMetadata("goes_first", .null)
        try forgetUnheard()
        try setMetadata("parted_at", DatabaseValue(last ?? nil))
        try execute(
            "UPDATE __sync_outbox SET status = 'PENDING', next_attempt_at = NULL"
                + " WHERE status = 'IN_FLIGHT'")
        for (mutation, record) in try acknowledgedUnderWaiting() {
            try raiseBases(over: mutation, on: record)
        }
        for (record, field) in try waitingFields() {
            try showConfirmedOrNewest(field, of: record)
        }
    }
}

extension Connection {
    /// The last mutation from before this device took its node; 0 where it has its first.
    func partedAt() throws -> Int64 { try metadataInteger("parted_at") ?? 0 }

    /// A change that the server has from this device under its former node is no stranger's: whoever
    /// changed the field again here had it in view. Later changes get its version for their base,
    /// or they would conflict with their own past.
    func raiseBases(over mutation: Int64, on record: RecordID) throws {
        try execute(
            """
            UPDATE __sync_outbox_field SET base_version = max(base_version, (
                SELECT version FROM __sync_shadow
                WHERE record_id = ?2 AND name = __sync_outbox_field.name))
            WHERE seq_id IN (
                    SELECT seq_id FROM __sync_outbox
                    WHERE record_id = ?2 AND seq_id > ?1 AND status <> 'ACKNOWLEDGED')
                AND name IN (
                    SELECT mine.name FROM __sync_outbox_field AS mine
                    JOIN __sync_shadow AS shadow
                        ON shadow.record_id = ?2 AND shadow.name = mine.name
                    WHERE mine.seq_id = ?1 AND shadow.lamport = mine.lamport
                        AND shadow.value IS mine.value AND shadow.node IS NOT (
                            SELECT value FROM __sync_metadata WHERE key = 'node'))
            """, [.integer(mutation), .text(record.rawValue)])
    }

    /// Acknowledged mutations of records of which a later one waits.
    fileprivate func acknowledgedUnderWaiting() throws -> [(mutation: Int64, record: RecordID)] {
        try query(
            """
            SELECT seq_id, record_id FROM __sync_outbox AS done
            WHERE status = 'ACKNOWLEDGED' AND record_id IN (
                SELECT record_id FROM __sync_outbox AS waiting
                WHERE status <> 'ACKNOWLEDGED' AND waiting.seq_id > done.seq_id)
            """
        ) { (try $0.integer(0), RecordID(try $0.text(1))) }
    }

    fileprivate func waitingFields() throws -> [(record: RecordID, field: FieldName)] {
        try query("SELECT DISTINCT record_id, name FROM __sync_waiting") { row in
            (RecordID(try row.text(0)), try row.text(1))
        }
    }
}
