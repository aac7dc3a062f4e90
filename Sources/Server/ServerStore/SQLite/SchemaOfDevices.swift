extension Schema {
    /// A device takes another node when it turns out to be a copy; its past stays its own.
    ///
    /// No baton is taken over: a node without one may begin with any. A delivery stays when a cursor
    /// has passed it, because a device that is restored from a backup asks for it again.
    static let nodes = """
        CREATE TABLE device_node (
            node TEXT PRIMARY KEY,
            device_id TEXT NOT NULL REFERENCES device (id),
            registered_at INTEGER NOT NULL,
            last_pull_at INTEGER,
            pull_position INTEGER NOT NULL     -- of the cursor that it brought last
        ) WITHOUT ROWID;
        CREATE INDEX device_node_by_device ON device_node (device_id);
        INSERT INTO device_node (node, device_id, registered_at, last_pull_at, pull_position)
            SELECT node, id, enrolled_at, last_pull_at, pull_position FROM device;

        CREATE TABLE baton (
            node TEXT PRIMARY KEY REFERENCES device_node (node),
            current TEXT NOT NULL,
            previous TEXT,                     -- that the last request brought; NULL where none
            answered TEXT NOT NULL,            -- mutations sent with it, a blank between two
            answered_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        ALTER TABLE delivery ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
        """

    /// What a device counts beside `pending`, which holds these too; NULL where it does not say.
    static let reports = """
        ALTER TABLE device ADD COLUMN failed INTEGER;
        ALTER TABLE device ADD COLUMN conflict INTEGER;
        ALTER TABLE device ADD COLUMN in_review INTEGER;
        ALTER TABLE device ADD COLUMN reported_at INTEGER;
        """
}
