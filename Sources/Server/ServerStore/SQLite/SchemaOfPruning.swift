extension Schema {
    /// The ids of records whose tombstones are gone, as `PrunedID` makes them, for ever.
    static let pruning = """
        CREATE TABLE pruned (id BLOB PRIMARY KEY) WITHOUT ROWID;

        CREATE INDEX record_by_parent ON record (parent_id);
        CREATE INDEX record_tombstones ON record (deleted_at) WHERE is_deleted = 1;
        """
}
