internal import Replication
internal import SQLite

/// Records stand below others: findings and repeats below inspections, inspections below assets.
extension Connection {
    /// Parents above parents. No form nests deeper, and a circle, which no server of ours makes, ends
    /// here.
    static let deepestFamily = 32

    /// A record and everything below it that is here, from the top down.
    func family(of id: RecordID) throws -> [RecordID] {
        try query(
            """
            WITH RECURSIVE family (id, depth) AS (
                SELECT ?, 0
                UNION
                SELECT record.id, depth + 1
                FROM record JOIN family ON record.parent_id = family.id
                WHERE depth < \(Self.deepestFamily)
            )
            SELECT id FROM family GROUP BY id ORDER BY min(depth)
            """, [.text(id.rawValue)]
        ) { RecordID(try $0.text(0)) }
    }
}
