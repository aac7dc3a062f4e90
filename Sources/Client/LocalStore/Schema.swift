internal import Replication
package import SQLite

/// The tables of the encrypted database.
///
/// Everything that synchronises is a record with fields, one register per field, so a form of
/// 2,000 questions needs no DDL. Absent and NULL are the same. Tables whose names begin with
/// `__sync_` are written by triggers and by this module only.
package enum Schema {
    /// The number that mutations carry to the server: the meaning of tables and fields. Rows of the
    /// outbox keep the one that they were made under; with the first release that raises it, the
    /// triggers that capture have to name it, beside the column's default of 1.
    package static let version: Int64 = RecordTable.schemaVersion

    package static let migrations = Migrations([
        Migration("records") { try $0.run(script: records) },
        Migration("outbox") { try $0.run(script: outbox) },
        Migration("forms and drafts") { try $0.run(script: forms) },
        Migration("triggers") { try $0.run(script: Triggers.script) },
        // The rules of built-in fields, in a store that was made before them.
        Migration("built-in fields") { try $0.renewTriggers() },
        Migration("records out of scope") { try $0.run(script: outOfScope) },
        Migration("retention") { try $0.run(script: retention) },
        Migration("epochs of the server") { try $0.run(script: epochs) },
        Migration("records that a restored server lacks") { try $0.run(script: lost) },
        Migration("copies for a restored server") { try $0.run(script: copies) },
        Migration("answers that are wanted again") { try $0.run(script: wanted) },
        Migration("edits from before a loss of scope") { try $0.run(script: beforeLoss) },
        Migration("what is kept in part") { try $0.run(script: partial) },
        Migration("what stands in a bundle") { try $0.run(script: bundled) },
        Migration("copies that were refused alone") { try $0.run(script: refusedCopies) },
        Migration("finding what stands in a bundle") { try $0.run(script: findingBundled) },
        Migration("versions of what is offered again") { try $0.run(script: former) },
        Migration("reviews that are asked for again") { try $0.run(script: askedAgain) },
        Migration("values that are kept beside others") { try $0.run(script: beside) },
        Migration("questions of rows") { try $0.run(script: repeats) },
        Migration("rules of rows") { _ in },
        Migration("views of all versions") { _ in },
        // The last step that touches views makes them anew as this program has them.
        Migration("moves to another version") { try $0.renewFormViews() },
        Migration("rules of findings") { _ in },
        Migration("who raised a finding") { _ in },
        // The last step that touches triggers makes them anew as this program has them.
        Migration("choices made of rows") { try $0.renewTriggers() },
    ])

    /// `record.version` is the newest server version known, 0 = never accepted. `parent_id` never
    /// changes and is no foreign key: a child may come before its parent.
    ///
    /// While a local change of a field waits, `field.version` stays the version that it was based
    /// on; what the server confirmed meanwhile stands in `__sync_shadow`.
    static let records = """
        CREATE TABLE record (
            id TEXT PRIMARY KEY NOT NULL,
            table_name TEXT NOT NULL,
            parent_id TEXT,
            version INTEGER NOT NULL DEFAULT 0,
            is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
            local_updated_at TEXT,
            server_updated_at TEXT,
            digest BLOB
        ) WITHOUT ROWID;
        CREATE INDEX record_by_parent ON record (parent_id) WHERE parent_id IS NOT NULL;
        CREATE INDEX record_by_table ON record (table_name, id);

        CREATE TABLE field (
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            value,
            lamport INTEGER NOT NULL DEFAULT 0,
            node TEXT NOT NULL DEFAULT '',
            version INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (record_id, name)
        ) WITHOUT ROWID;

        CREATE TABLE __sync_shadow (
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            value,
            lamport INTEGER NOT NULL,
            node TEXT NOT NULL,
            version INTEGER NOT NULL,
            present INTEGER NOT NULL,
            PRIMARY KEY (record_id, name)
        ) WITHOUT ROWID;

        -- Fields that are on the screen: they count as waiting, so that no pull changes them there.
        CREATE TABLE __sync_held (
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (record_id, name)
        ) WITHOUT ROWID;

        CREATE TABLE __sync_digest (
            site_id TEXT PRIMARY KEY NOT NULL,
            digest BLOB NOT NULL
        ) WITHOUT ROWID;
        """

    /// `bytes` is about what the mutation weighs on the wire: at 256 KiB a new one is begun.
    /// `server_snapshot` is what a verdict of *conflict* brought: `{"conflicts": […], "record": …}`.
    static let outbox = """
        CREATE TABLE __sync_outbox (
            seq_id INTEGER PRIMARY KEY AUTOINCREMENT,
            mutation_id TEXT NOT NULL UNIQUE,
            table_name TEXT NOT NULL,
            record_id TEXT NOT NULL,
            operation TEXT NOT NULL CHECK (operation IN ('INSERT', 'UPDATE', 'DELETE')),
            status TEXT NOT NULL DEFAULT 'PENDING' CHECK (status IN (
                'PENDING', 'IN_FLIGHT', 'FAILED', 'CONFLICT', 'IN_REVIEW', 'ACKNOWLEDGED')),
            sealed INTEGER NOT NULL DEFAULT 0,
            lamport INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            schema_version INTEGER NOT NULL DEFAULT 1,
            retry_count INTEGER NOT NULL DEFAULT 0,
            next_attempt_at INTEGER,
            last_error TEXT,
            server_snapshot TEXT,
            created_at_utc TEXT NOT NULL
        );
        CREATE INDEX outbox_waiting ON __sync_outbox (status, seq_id)
            WHERE status <> 'ACKNOWLEDGED';
        CREATE INDEX outbox_by_record ON __sync_outbox (record_id, seq_id);

        CREATE TABLE __sync_outbox_field (
            seq_id INTEGER NOT NULL REFERENCES __sync_outbox (seq_id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            value,
            base_value,
            base_version INTEGER NOT NULL,
            lamport INTEGER NOT NULL,
            PRIMARY KEY (seq_id, name)
        ) WITHOUT ROWID;

        -- Every change of a field that the server has not settled.
        CREATE VIEW __sync_waiting AS
            SELECT record_id, entry.name AS name, outbox.seq_id AS seq_id, status,
                entry.value AS value, entry.lamport AS lamport, base_value, base_version
            FROM __sync_outbox AS outbox
            JOIN __sync_outbox_field AS entry ON entry.seq_id = outbox.seq_id
            WHERE status <> 'ACKNOWLEDGED';

        CREATE TABLE __sync_metadata (
            key TEXT PRIMARY KEY NOT NULL,
            value
        ) WITHOUT ROWID;
        INSERT INTO __sync_metadata (key, value) VALUES
            ('applying', 0), ('lamport', 0), ('waiting', 0), ('queue_limit', 1000),
            ('transaction_number', 0), ('node', NULL), ('cursor', NULL), ('server_epoch', 0),
            ('client_epoch', 0), ('baton', NULL), ('schema_version', 1), ('last_sync_utc', NULL),
            ('inserted_by_view', NULL);

        CREATE TABLE __sync_history (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            value,
            lamport INTEGER NOT NULL,
            node TEXT NOT NULL,
            rule TEXT NOT NULL,
            at_utc TEXT NOT NULL
        );
        CREATE INDEX history_by_record ON __sync_history (record_id, id);

        CREATE TABLE __sync_log (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at_utc TEXT NOT NULL,
            event TEXT NOT NULL,
            detail TEXT NOT NULL DEFAULT ''
        );
        """

    /// Records that left this device's scope while work on them waited.
    static let outOfScope = """
        CREATE TABLE __sync_left (record_id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
        """

    /// What tells how long something has been settled, by the server's clock in milliseconds, and
    /// which records are here without their answers.
    static let retention = """
        CREATE TABLE __sync_archived (record_id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;

        -- Since when an inspection has been finished as it is in this version.
        CREATE TABLE __sync_finished (
            record_id TEXT PRIMARY KEY NOT NULL,
            version INTEGER NOT NULL,
            since INTEGER NOT NULL
        ) WITHOUT ROWID;

        -- How far a table that only grows had grown at some time.
        CREATE TABLE __sync_mark (
            table_name TEXT NOT NULL,
            since INTEGER NOT NULL,
            last_id INTEGER NOT NULL,
            PRIMARY KEY (table_name, since)
        ) WITHOUT ROWID;

        ALTER TABLE __sync_outbox ADD COLUMN settled_since INTEGER;
        CREATE INDEX outbox_settled ON __sync_outbox (settled_since, seq_id)
            WHERE status = 'ACKNOWLEDGED';
        """

    /// Marks of a pull from the beginning, fields whose waiting change is based on a version of an
    /// older epoch, and mutations of which a part was settled before the rest.
    static let epochs = """
        CREATE TABLE __sync_unseen (
            record_id TEXT PRIMARY KEY NOT NULL,
            is_old INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE __sync_old_base (
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (record_id, name)
        ) WITHOUT ROWID;
        ALTER TABLE __sync_outbox ADD COLUMN is_part INTEGER NOT NULL DEFAULT 0;
        """

    /// What was confirmed of records that a restored server no longer has. `server_epoch` is the first
    /// that lacked them, `version` is of the epoch before; `lost_since` is of the server's clock in
    /// milliseconds. A record that is still here because work on it waits is kept so afterwards.
    static let lost = """
        CREATE TABLE __sync_lost (
            record_id TEXT PRIMARY KEY NOT NULL,
            table_name TEXT NOT NULL,
            parent_id TEXT,
            version INTEGER NOT NULL,
            server_updated_at TEXT,
            server_epoch INTEGER NOT NULL,
            lost_at_utc TEXT NOT NULL,
            lost_since INTEGER
        ) WITHOUT ROWID;
        CREATE TABLE __sync_lost_field (
            record_id TEXT NOT NULL REFERENCES __sync_lost (record_id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            value,
            lamport INTEGER NOT NULL,
            node TEXT NOT NULL,
            PRIMARY KEY (record_id, name)
        ) WITHOUT ROWID;
        ALTER TABLE __sync_left ADD COLUMN is_lost INTEGER NOT NULL DEFAULT 0;
        """

    /// What is kept is offered to the server: the version says what its author had seen, and a refusal
    /// that it need not be offered again in this epoch.
    static let copies = """
        ALTER TABLE __sync_lost_field ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE __sync_lost_field ADD COLUMN refusal TEXT;
        """

    /// Of what a restored server lacks, a record whose answers had gone from here by retention.
    static let partial = """
        ALTER TABLE __sync_lost ADD COLUMN is_partial INTEGER NOT NULL DEFAULT 0;
        """

    /// 1 for a mutation that was sealed for a bundle, or that says what one did; NULL else, so that rows
    /// of a journal before it are what they were.
    static let bundled = """
        ALTER TABLE __sync_outbox ADD COLUMN in_bundle INTEGER;
        """

    /// For each discard that is shown.
    static let findingBundled = """
        CREATE INDEX outbox_bundled ON __sync_outbox (record_id)
            WHERE in_bundle IS NOT NULL AND status <> 'ACKNOWLEDGED';
        """

    /// Of each change that is offered again to a restored server, the version that it had as what was
    /// confirmed, in the epoch of the old cursor; 0 where that is not known. Not in the journal: without
    /// it the server may ask a person once too often.
    static let former = """
        CREATE TABLE __sync_former (
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            lamport INTEGER NOT NULL,
            version INTEGER NOT NULL,
            PRIMARY KEY (record_id, name, lamport)
        ) WITHOUT ROWID;
        """

    /// PENDING mutations that were in review before the server was restored: a conflict or a failure of
    /// their record does not keep them back. Not in the journal: without it they wait for that.
    static let askedAgain = """
        CREATE TABLE __sync_asked_again (seq_id INTEGER PRIMARY KEY);
        """

    /// What was lost by one restore of a field of which something lost by an earlier one is kept still: it
    /// takes that one's turn when the server has that or refuses it. Counters of two epochs tell no order.
    static let beside = """
        CREATE TABLE __sync_lost_beside (
            record_id TEXT NOT NULL REFERENCES __sync_lost (record_id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            value,
            lamport INTEGER NOT NULL,
            node TEXT NOT NULL,
            version INTEGER NOT NULL,
            refusal TEXT,
            PRIMARY KEY (record_id, name, lamport, node)
        ) WITHOUT ROWID;
        """

    /// How often a copy was refused alone, so that it goes behind the others, and how often of these the
    /// server failed over it or refused others as well, so that some time it is set aside.
    static let refusedCopies = """
        ALTER TABLE __sync_lost ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE __sync_lost ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        """

    /// Archived records that changed wait for the answers of those that belong to them.
    static let wanted = """
        ALTER TABLE __sync_archived ADD COLUMN is_wanted INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX record_deleted ON record (id) WHERE is_deleted = 1;
        """

    /// What was entered before this device heard that its record had left the scope is sent under the
    /// cursor of that time; NULL for everything else.
    static let beforeLoss = """
        ALTER TABLE __sync_outbox ADD COLUMN pull_position TEXT;
        """

    /// Which repeat a question stands in, under which question its list stands, and whether the form
    /// works the answer out by itself. Of forms that were stored before there were such questions
    /// the columns say that there are none.
    static let repeats = """
        ALTER TABLE question ADD COLUMN repetition TEXT;
        ALTER TABLE question ADD COLUMN list TEXT;
        ALTER TABLE question ADD COLUMN is_derived INTEGER NOT NULL DEFAULT 0;
        """

    static let forms = """
        CREATE TABLE form (
            id TEXT NOT NULL,
            version TEXT NOT NULL,
            title TEXT NOT NULL,
            state TEXT NOT NULL,
            definition TEXT,
            etag TEXT,
            PRIMARY KEY (id, version)
        ) WITHOUT ROWID;

        -- What the constraint triggers ask of an answer, of each published form.
        CREATE TABLE question (
            form TEXT NOT NULL,
            version TEXT NOT NULL,
            name TEXT NOT NULL,
            type TEXT NOT NULL,
            hard_min REAL,
            hard_max REAL,
            merge TEXT NOT NULL,
            PRIMARY KEY (form, version, name)
        ) WITHOUT ROWID;

        CREATE TABLE question_choice (
            form TEXT NOT NULL,
            version TEXT NOT NULL,
            question TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (form, version, question, name)
        ) WITHOUT ROWID;

        CREATE TABLE draft (
            record_id TEXT NOT NULL,
            name TEXT NOT NULL,
            text TEXT NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (record_id, name)
        ) WITHOUT ROWID;
        """
}

extension Connection {
    fileprivate func renewTriggers() throws {
        for name in Triggers.statements.keys {
            try execute("DROP TRIGGER IF EXISTS \(name)")
        }
        try run(script: Triggers.script)
    }
}
