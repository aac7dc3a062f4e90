internal import Replication
internal import SQLite

/// Which mutations a transaction touches, as triggers of the writing connection note it in a temporary
/// table: whatever statement, trigger or foreign key changes the queue, nobody has to say so. The
/// table is part of the transaction, so that a rollback leaves it empty.
enum JournalMarks {
    /// A name of '' is the mutation itself; a mutation of '' stands for this device's own metadata.
    private static let table = """
        CREATE TEMP TABLE IF NOT EXISTS journal_mark (
            mutation_id TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (mutation_id, name)
        ) WITHOUT ROWID
        """

    static func install(on database: Connection) throws {
        try database.execute(table)
        for trigger in triggers { try database.execute(trigger) }
    }

    private static let triggers = [
        row("entered", "INSERT", "NEW"), row("changed", "UPDATE", "NEW"),
        row("left", "DELETE", "OLD"),
        row(
            "renamed", "UPDATE OF mutation_id", "OLD",
            when: "OLD.mutation_id IS NOT NEW.mutation_id"),
        field("entered", "INSERT", "NEW"), field("changed", "UPDATE", "NEW"),
        field("left", "DELETE", "OLD"),
        field("moved", "UPDATE OF seq_id, name", "OLD"),
        origin("entered", "INSERT"), origin("changed", "UPDATE OF value"),
        base("entered", "INSERT", "__sync_old_base", "NEW", "entry.name = NEW.name"),
        base("left", "DELETE", "__sync_old_base", "OLD", "entry.name = OLD.name"),
        base("shown", "DELETE", "__sync_unseen", "OLD", "OLD.is_old = 1"),
        base("unseen", "INSERT", "__sync_unseen", "NEW", "NEW.is_old = 1"),
    ]

    private static func row(
        _ name: String, _ event: String, _ side: String, when condition: String = "1"
    ) -> String {
        """
        CREATE TEMP TRIGGER IF NOT EXISTS journal_row_\(name) AFTER \(event) ON main.__sync_outbox
        WHEN \(condition)
        BEGIN
            INSERT INTO journal_mark (mutation_id, name)
            SELECT \(side).mutation_id, ''
            WHERE NOT EXISTS (
                SELECT 1 FROM journal_mark WHERE mutation_id = \(side).mutation_id AND name = '');
        END
        """
    }

    /// Of a mutation that is gone already (ON DELETE CASCADE) the row says enough.
    private static func field(_ name: String, _ event: String, _ side: String) -> String {
        """
        CREATE TEMP TRIGGER IF NOT EXISTS journal_field_\(name)
        AFTER \(event) ON main.__sync_outbox_field
        BEGIN
            INSERT INTO journal_mark (mutation_id, name)
            SELECT mutation_id, \(side).name FROM __sync_outbox AS marked
            WHERE seq_id = \(side).seq_id AND NOT EXISTS (
                SELECT 1 FROM journal_mark AS mark
                WHERE mark.mutation_id = marked.mutation_id AND mark.name = \(side).name);
        END
        """
    }

    /// What waits has a base of an older epoch from now on, or no more.
    private static func base(
        _ name: String, _ event: String, _ table: String, _ side: String, _ condition: String
    ) -> String {
        """
        CREATE TEMP TRIGGER IF NOT EXISTS journal_base_\(name) AFTER \(event) ON main.\(table)
        BEGIN
            INSERT INTO journal_mark (mutation_id, name)
            SELECT marked.mutation_id, entry.name FROM __sync_outbox AS marked
            JOIN __sync_outbox_field AS entry ON entry.seq_id = marked.seq_id
            WHERE marked.record_id = \(side).record_id AND marked.status <> 'ACKNOWLEDGED'
                AND \(condition) AND NOT EXISTS (
                    SELECT 1 FROM journal_mark AS mark
                    WHERE mark.mutation_id = marked.mutation_id AND mark.name = entry.name);
        END
        """
    }

    private static func origin(_ name: String, _ event: String) -> String {
        let keys = JournalOrigin.keys.map { "'\($0)'" }.joined(separator: ", ")
        // Most changes are of these two; a list is looked up more slowly.
        return """
            CREATE TEMP TRIGGER IF NOT EXISTS journal_origin_\(name)
            AFTER \(event) ON main.__sync_metadata
            WHEN NEW.key IS NOT 'lamport' AND NEW.key IS NOT 'waiting' AND NEW.key IN (\(keys))
            BEGIN
                INSERT INTO journal_mark (mutation_id, name)
                SELECT '', NEW.key WHERE NOT EXISTS (
                    SELECT 1 FROM journal_mark WHERE mutation_id = '' AND name = NEW.key);
            END
            """
    }
}

extension Connection {
    /// The fields that were touched, by mutation; an empty list where only its row was.
    func journalMarks() throws -> [String: [FieldName]] {
        var marks: [String: [FieldName]] = [:]
        try each("SELECT mutation_id, name FROM temp.journal_mark") { row in
            let name = try row.text(1)
            marks[try row.text(0), default: []] += name.isEmpty ? [] : [name]
        }
        if !marks.isEmpty { try execute("DELETE FROM temp.journal_mark") }
        return marks
    }
}
