extension Schema {
    /// A restored server has forgotten what it had answered since its backup: versions and places in
    /// the feed that devices name are then others than its own.
    static let epochs = """
        CREATE TABLE server_epoch (
            epoch INTEGER PRIMARY KEY,
            began_at INTEGER NOT NULL
        );
        INSERT INTO server_epoch (epoch, began_at)
            SELECT value, value FROM identity WHERE name = 'epoch';

        CREATE TABLE record_epoch (
            record_id TEXT NOT NULL,
            epoch INTEGER NOT NULL,
            version INTEGER NOT NULL,          -- that the record had when the epoch began
            PRIMARY KEY (record_id, epoch)
        ) WITHOUT ROWID;

        CREATE TABLE offered_again (
            epoch INTEGER NOT NULL,            -- in which the changes came
            device_id TEXT NOT NULL REFERENCES device (id),
            mutations INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            PRIMARY KEY (epoch, device_id)
        ) WITHOUT ROWID;

        CREATE TABLE secret (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) WITHOUT ROWID;
        """

    /// What came back after a restore as a device's copy of it: a device may name any author within
    /// its scope, so that it stays known who offered what. `version` and `epoch` tell which of two
    /// copies had taken the other's place.
    static let copied = """
        CREATE TABLE copied (
            id INTEGER PRIMARY KEY,
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            lamport INTEGER NOT NULL,
            node TEXT NOT NULL,                -- who is said to have entered it
            version INTEGER NOT NULL,          -- that it had
            epoch INTEGER NOT NULL,            -- in which it had it; 0 where nobody knows
            device_id TEXT NOT NULL,           -- that offered it first
            at INTEGER NOT NULL,
            UNIQUE (record_id, name, lamport, node)
        );
        CREATE INDEX copied_by_age ON copied (at);
        """

    /// The same of what a device brought of its own from before a restore (`is_own`): by `version`, or
    /// by `base_version` where it never had one, later and earlier changes are told apart in whatever
    /// order they come.
    static let returned = """
        ALTER TABLE copied ADD COLUMN base_version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE copied ADD COLUMN is_own INTEGER NOT NULL DEFAULT 0;
        """
}
