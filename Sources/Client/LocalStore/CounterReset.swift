internal import Replication
internal import SQLite

extension Connection {
    /// The server does not believe this device's Lamport counter: it is further ahead than any
    /// device gets by working. The counts of what waits begin anew behind the server's, in the order
    /// that they had, so that the same mutations can be taken; ids and contents stay.
    func restartCounter(after serverLamport: Int64) throws {
        let entries = try query(
            """
            SELECT record_id, name, seq_id, lamport FROM __sync_waiting WHERE lamport > ?
            """, [.integer(serverLamport)]
        ) { row in
            (
                key: [row.value(0), row.value(1)], sequence: row.value(2),
                lamport: try row.integer(3)
            )
        }
        let rows = try query(
            """
            SELECT seq_id, lamport FROM __sync_outbox
            WHERE status <> 'ACKNOWLEDGED' AND lamport > ?
            """, [.integer(serverLamport)]
        ) { (sequence: $0.value(0), lamport: try $0.integer(1)) }
        let counts = Set(entries.map(\.lamport) + rows.map(\.lamport)).sorted()
        let renewed = Dictionary(
            uniqueKeysWithValues: counts.enumerated().map { index, count in
                (count, DatabaseValue.integer(serverLamport + Int64(index) + 1))
            })
        for row in rows {
            try execute(
                "UPDATE __sync_outbox SET lamport = ? WHERE seq_id = ?",
                [renewed[row.lamport] ?? .null, row.sequence])
        }
        for entry in entries {
            let count = renewed[entry.lamport] ?? .null
            try execute(
                "UPDATE __sync_outbox_field SET lamport = ? WHERE seq_id = ? AND name = ?",
                [count, entry.sequence, entry.key[1]])
            try execute(
                "UPDATE field SET lamport = ? WHERE record_id = ? AND name = ? AND lamport = ?",
                [count] + entry.key + [.integer(entry.lamport)])
        }
        try execute(
            """
            UPDATE __sync_metadata
            SET value = max(?, ifnull((SELECT max(lamport) FROM __sync_outbox_field), 0))
            WHERE key = 'lamport'
            """, [.integer(serverLamport + Int64(counts.count))])
    }
}
