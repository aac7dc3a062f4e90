internal import SQLite

/// The server's tables. Written in the SQL that SQLite 3.15 knows, because the tests also run on the
/// client's older library. Migrations are named, ordered and forward-only: a change is a new one.
enum Schema {
    static let migrations = Migrations(steps)

    static let steps = [
        Migration("records, their feed and their history") { try $0.run(script: records) },
        Migration("verdicts, reviews and deliveries") { try $0.run(script: verdicts) },
        Migration("teams, sites, devices and forms") { try $0.run(script: administration) },
        Migration("nodes of a device, and batons") { try $0.run(script: nodes) },
        Migration("epochs of the server") { try $0.run(script: epochs) },
        Migration("pruned tombstones") { try $0.run(script: pruning) },
        Migration("edits from before a scope was lost") { try $0.run(script: parking) },
        Migration("reviews of a record") {
            try $0.run(script: "CREATE INDEX review_by_record ON review (record_id, name);")
        },
        Migration("what devices report") { try $0.run(script: reports) },
        Migration("ages of what is kept, and answers by number") { try $0.run(script: retention) },
        Migration("values of records that are gone") { try $0.run(script: rescue) },
        Migration("what each node has in review of records that are not here") {
            try $0.run(
                script: """
                    CREATE INDEX review_unknown_by_node ON review (mine_node)
                        WHERE decision IS NULL AND kind = 'unknownRecord';
                    """)
        },
        Migration("who offered which copy") { try $0.run(script: copied) },
        Migration("what came back from its own author") { try $0.run(script: returned) },
        Migration("views of forms") { try $0.run(script: views) },
    ]

    /// `record` is also the change feed: `position` is where the record changed last, taken from the
    /// counter row by the transaction that changes it, so the positions have no gap that a poller
    /// could step over.
    private static let records = """
        CREATE TABLE counter (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) WITHOUT ROWID;
        INSERT INTO counter (name, value) VALUES ('position', 0), ('lamport', 0), ('pruned', 0);

        CREATE TABLE identity (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE record (
            id TEXT PRIMARY KEY,
            table_name TEXT NOT NULL,
            parent_id TEXT,
            site_id TEXT NOT NULL,          -- the site at the root of its parents; '' has none
            team_id TEXT NOT NULL,          -- who made a record without a site; '' where the site decides
            version INTEGER NOT NULL,
            position INTEGER NOT NULL UNIQUE,
            is_deleted INTEGER NOT NULL,
            deleted_at INTEGER,
            epoch_version INTEGER NOT NULL DEFAULT 0,  -- never written: the table record_epoch
            digest BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX record_by_site ON record (site_id, team_id, position);
        CREATE INDEX record_by_table ON record (table_name, id);

        CREATE TABLE field (
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            value,
            lamport INTEGER NOT NULL,
            node TEXT NOT NULL,
            version INTEGER NOT NULL,
            foreign_version INTEGER NOT NULL,  -- newest version at which another node changed it
            PRIMARY KEY (record_id, name)
        ) WITHOUT ROWID;

        CREATE TABLE history (
            id INTEGER PRIMARY KEY,
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            value,
            lamport INTEGER NOT NULL,
            node TEXT NOT NULL,
            version INTEGER NOT NULL,          -- 0 for a value that never stood in the record
            rule TEXT NOT NULL,
            mutation_id TEXT NOT NULL,         -- whose arrival moved it here
            at INTEGER NOT NULL
        );
        CREATE INDEX history_by_record ON history (record_id, name);

        CREATE TABLE site_digest (
            site_id TEXT NOT NULL,
            team_id TEXT NOT NULL,
            sum BLOB NOT NULL,
            PRIMARY KEY (site_id, team_id)
        ) WITHOUT ROWID;
        """

    private static let verdicts = """
        CREATE TABLE verdict (
            mutation_id TEXT PRIMARY KEY,
            node TEXT NOT NULL,
            epoch INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            content_hash BLOB NOT NULL,
            record_id TEXT NOT NULL,
            status TEXT NOT NULL,
            version INTEGER NOT NULL,
            conflicts TEXT NOT NULL,
            at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX verdict_by_sequence ON verdict (node, epoch, sequence);

        CREATE TABLE batch (
            node TEXT NOT NULL,
            key TEXT NOT NULL,
            content_hash BLOB NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (node, key)
        ) WITHOUT ROWID;

        CREATE TABLE review (
            id TEXT PRIMARY KEY,
            mutation_id TEXT NOT NULL,
            record_id TEXT NOT NULL,
            kind TEXT NOT NULL,                -- field, deletion, unknownRecord, scope
            name TEXT NOT NULL,
            base,
            mine,
            theirs,
            mine_node TEXT NOT NULL,
            mine_lamport INTEGER NOT NULL,
            theirs_node TEXT,
            rule TEXT NOT NULL,
            opened_at INTEGER NOT NULL,
            decision TEXT,                     -- mine, theirs, value; NULL while open
            decided_by TEXT,
            comment TEXT,
            decided_at INTEGER
        ) WITHOUT ROWID;
        CREATE INDEX review_open ON review (opened_at, id) WHERE decision IS NULL;
        CREATE INDEX review_by_mutation ON review (mutation_id);
        CREATE INDEX review_open_by_record ON review (record_id) WHERE decision IS NULL;

        CREATE TABLE delivery (
            position INTEGER PRIMARY KEY,
            node TEXT NOT NULL,
            mutation_id TEXT NOT NULL
        );
        CREATE INDEX delivery_by_node ON delivery (node, position);
        """

    private static let administration = """
        CREATE TABLE team (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            scope_version INTEGER NOT NULL,    -- rises when a site joins or leaves
            created_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE site_team (
            site_id TEXT PRIMARY KEY,
            team_id TEXT NOT NULL REFERENCES team (id),
            since INTEGER NOT NULL             -- scope version of the team at which it joined
        ) WITHOUT ROWID;
        CREATE INDEX site_team_by_team ON site_team (team_id, since);

        CREATE TABLE site_departure (
            team_id TEXT NOT NULL,
            site_id TEXT NOT NULL,
            at_version INTEGER NOT NULL,
            PRIMARY KEY (team_id, site_id)
        ) WITHOUT ROWID;

        CREATE TABLE enrolment_code (
            secret_hash BLOB PRIMARY KEY,
            team_id TEXT NOT NULL REFERENCES team (id),
            name TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            used_at INTEGER,
            device_id TEXT
        ) WITHOUT ROWID;

        CREATE TABLE device (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            team_id TEXT NOT NULL REFERENCES team (id),
            node TEXT NOT NULL UNIQUE,         -- that it enrolled under; all of them: device_node
            state TEXT NOT NULL,
            token_hash BLOB NOT NULL UNIQUE,
            public_key TEXT NOT NULL,
            enrolled_at INTEGER NOT NULL,
            last_push_at INTEGER,
            last_pull_at INTEGER,
            pull_position INTEGER NOT NULL DEFAULT 0,
            pending INTEGER,
            oldest_unsynced TEXT,
            epoch INTEGER NOT NULL DEFAULT 0,
            baton TEXT,                        -- this and what follows: the table baton now
            previous_baton TEXT,
            last_batch_hash BLOB
        ) WITHOUT ROWID;

        CREATE TABLE form (
            id TEXT NOT NULL,
            version TEXT NOT NULL,
            title TEXT NOT NULL,
            state TEXT NOT NULL,
            definition TEXT NOT NULL,
            etag TEXT NOT NULL,
            published_order INTEGER NOT NULL UNIQUE,
            published_at INTEGER NOT NULL,
            PRIMARY KEY (id, version)
        ) WITHOUT ROWID;
        """
}
