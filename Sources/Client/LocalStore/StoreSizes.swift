internal import Replication
internal import SQLite

/// How large the store is, and what of it will go by itself.
package struct StoreSizes: Sendable, Equatable {
    /// Bytes of the database without its log.
    package var bytes: Int64 = 0
    /// Of these, pages that upkeep gives back.
    package var freeBytes: Int64 = 0
    package var records: Int64 = 0
    /// Records whose answers are at the server only.
    package var archived: Int64 = 0
    package var acknowledged: Int64 = 0
    package var history: Int64 = 0
    package var log: Int64 = 0
    package var lastUpkeepUtc: String?
}

extension DeviceStore {
    package func sizes() throws -> StoreSizes {
        try read { database in
            let count = { (sql: String) in try database.first(sql) { try $0.integer(0) } ?? 0 }
            let file = try database.fileSize()
            return StoreSizes(
                bytes: file.bytes, freeBytes: file.freeBytes,
                records: try count("SELECT count(*) FROM record"),
                archived: try count("SELECT count(*) FROM __sync_archived"),
                acknowledged: try count(
                    "SELECT count(*) FROM __sync_outbox WHERE status = 'ACKNOWLEDGED'"),
                history: try count("SELECT count(*) FROM __sync_history"),
                log: try count("SELECT count(*) FROM __sync_log"),
                lastUpkeepUtc: try database.metadataInteger("upkeep_at").map(SyncTimestamp.text))
        }
    }
}
