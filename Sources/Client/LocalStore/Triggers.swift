/// The triggers that capture edits and refuse wrong ones. The whole script has
/// a golden file, `Tests/LocalStoreTests/Golden/triggers.sql`.
///
/// They hold under both settings of `recursive_triggers`, use the SQL of 3.15 and no OR clause: the
/// conflict policy of the statement that fired a trigger replaces every OR clause inside it, hence
/// `INSERT … SELECT … WHERE NOT EXISTS`, and a last statement that looks whether the outbox row
/// stands.
package enum Triggers {
    package static let script = [
        keyTriggers, recordConstraints, fieldConstraints, recordCapture, fieldCapture,
        counterTriggers,
    ].joined(separator: "\n\n")

    /// The script's statements by the names of their triggers, as `sqlite_master` keeps them.
    static let statements = Dictionary(
        uniqueKeysWithValues: script.split(separator: "\nEND;").map { part in
            let text = part.drop(while: \.isNewline) + "\nEND"
            // CREATE TRIGGER name …
            return (String(text.split(separator: " ", maxSplits: 3)[2]), String(text))
        })

    /// True unless this transaction applies what the server said, or settles what a person decided.
    static let notApplying =
        "(SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1"

    /// Keys never change, rows never vanish or get replaced; deletion is `is_deleted = 1`.
    static let keyTriggers = """
        CREATE TRIGGER record_replaced BEFORE INSERT ON record
        WHEN EXISTS (SELECT 1 FROM record WHERE id = NEW.id)
        BEGIN
            SELECT raise(ABORT, 'walkdown:exists');
        END;

        CREATE TRIGGER record_key BEFORE UPDATE OF id, table_name, parent_id ON record
        WHEN OLD.id IS NOT NEW.id OR OLD.table_name IS NOT NEW.table_name
            OR OLD.parent_id IS NOT NEW.parent_id
        BEGIN
            SELECT raise(ABORT, 'walkdown:key');
        END;

        CREATE TRIGGER record_version BEFORE UPDATE OF version ON record
        WHEN OLD.version IS NOT NEW.version AND \(notApplying)
        BEGIN
            SELECT raise(ABORT, 'walkdown:version');
        END;

        CREATE TRIGGER record_removed BEFORE DELETE ON record
        WHEN \(notApplying)
        BEGIN
            SELECT raise(ABORT, 'walkdown:delete');
        END;

        CREATE TRIGGER field_replaced BEFORE INSERT ON field
        WHEN EXISTS (SELECT 1 FROM field WHERE record_id = NEW.record_id AND name = NEW.name)
        BEGIN
            SELECT raise(ABORT, 'walkdown:exists');
        END;

        CREATE TRIGGER field_key BEFORE UPDATE OF record_id, name ON field
        WHEN OLD.record_id IS NOT NEW.record_id OR OLD.name IS NOT NEW.name
        BEGIN
            SELECT raise(ABORT, 'walkdown:key');
        END;

        CREATE TRIGGER field_version BEFORE UPDATE OF version ON field
        WHEN OLD.version IS NOT NEW.version AND \(notApplying)
            AND NEW.version IS NOT (
                SELECT version FROM __sync_shadow
                WHERE record_id = NEW.record_id AND name = NEW.name)
        BEGIN
            SELECT raise(ABORT, 'walkdown:version');
        END;

        CREATE TRIGGER field_removed BEFORE DELETE ON field
        WHEN \(notApplying)
        BEGIN
            SELECT raise(ABORT, 'walkdown:delete');
        END;
        """

    /// The queue limit counts what waits to be sent, by the counter row and not by count(*).
    static let counterTriggers = """
        CREATE TRIGGER outbox_entered AFTER INSERT ON __sync_outbox
        WHEN NEW.status IN ('PENDING', 'IN_FLIGHT')
        BEGIN
            UPDATE __sync_metadata SET value = value + 1 WHERE key = 'waiting';
        END;

        CREATE TRIGGER outbox_moved AFTER UPDATE OF status ON __sync_outbox
        WHEN (OLD.status IN ('PENDING', 'IN_FLIGHT')) <> (NEW.status IN ('PENDING', 'IN_FLIGHT'))
        BEGIN
            UPDATE __sync_metadata
            SET value = value + CASE WHEN NEW.status IN ('PENDING', 'IN_FLIGHT') THEN 1 ELSE -1 END
            WHERE key = 'waiting';
        END;

        CREATE TRIGGER outbox_left AFTER DELETE ON __sync_outbox
        WHEN OLD.status IN ('PENDING', 'IN_FLIGHT')
        BEGIN
            UPDATE __sync_metadata SET value = value - 1 WHERE key = 'waiting';
        END;
        """
}
