extension Schema {
    /// How old things are found without reading all of them; what a supervisor needs to make a record
    /// anew whose tombstone is gone; how many answers a node has had.
    ///
    /// `pruned_at` is the newest instant at which the server was pruned, or, before it ever was, at
    /// which a device came: a clock that is far beyond it is not believed.
    static let retention = """
        CREATE INDEX batch_by_age ON batch (at);
        CREATE INDEX delivery_by_age ON delivery (at);
        CREATE INDEX delivery_by_mutation ON delivery (mutation_id);
        CREATE INDEX history_by_age ON history (at);
        CREATE INDEX review_decided ON review (decided_at) WHERE decision IS NOT NULL;

        INSERT INTO identity (name, value)
            SELECT 'pruned_at', ifnull(max(instant), 0) FROM (
                SELECT max(last_push_at) AS instant FROM device
                UNION ALL SELECT max(last_pull_at) FROM device
                UNION ALL SELECT max(began_at) FROM server_epoch) AS known;

        ALTER TABLE baton ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
        """

    static let rescue = """
        CREATE TABLE stranded (
            mutation_id TEXT PRIMARY KEY,
            document TEXT NOT NULL             -- the mutation as it came
        ) WITHOUT ROWID;

        CREATE TABLE rescue (
            record_id TEXT PRIMARY KEY,        -- that is gone
            new_id TEXT NOT NULL               -- of the one that a supervisor made in its place
        ) WITHOUT ROWID;
        """
}
