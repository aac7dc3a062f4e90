extension Triggers {
    /// The record's newest mutation, whatever became of it.
    static let newest =
        "(SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id)"

    /// UTF-8 bytes at which a mutation takes no more changes.
    package static let longestMutation = 256 << 10

    /// True where the newest mutation of the record may still change: nobody has sent it.
    static let newestIsAmendable = """
        EXISTS (
                    SELECT 1 FROM __sync_outbox
                    WHERE seq_id = \(newest)
                        AND status = 'PENDING' AND sealed = 0 AND operation <> 'DELETE'
                        AND bytes < \(longestMutation))
        """

    /// This field, in a table or view of fields.
    static let thisField = "record_id = NEW.record_id AND name = NEW.name"

    /// This field's entry in the newest mutation.
    private static let thisEntry = "seq_id = \(newest) AND name = NEW.name"

    private static let confirmed = "(SELECT value FROM __sync_shadow WHERE \(thisField))"

    private static let isWaiting = "EXISTS (SELECT 1 FROM __sync_waiting WHERE \(thisField))"

    /// True where this change of an inspection's state, or of the version by which its answers are read,
    /// begins a mutation of its own: what was entered before it goes before it. The first one of a new
    /// record is no change, nor is taking an unsent one back.
    static func startsMutation(oldValue: String) -> String {
        """
        NEW.name IN ('@state', '@formVersion') AND \(oldValue) IS NOT NULL AND NOT (
                    NEW.value IS \(confirmed)
                    AND EXISTS (SELECT 1 FROM __sync_outbox_field WHERE \(thisEntry)))
        """
    }

    /// A new record is an INSERT; a deletion is a DELETE after whatever waits already.
    static let recordCapture = """
        CREATE TRIGGER record_inserted AFTER INSERT ON record
        WHEN \(notApplying)
        BEGIN
            UPDATE __sync_metadata SET value = value + 1 WHERE key = 'lamport';
        \(appendRecordMutation("INSERT"))
            UPDATE record SET local_updated_at = walkdown_now() WHERE id = NEW.id;
        \(recordMutationStands("INSERT"))
        END;

        CREATE TRIGGER record_deleted AFTER UPDATE OF is_deleted ON record
        WHEN OLD.is_deleted IS NOT NEW.is_deleted AND \(notApplying)
        BEGIN
            UPDATE __sync_metadata SET value = value + 1 WHERE key = 'lamport';
        \(appendRecordMutation("DELETE"))
        \(deletionEntry)
            UPDATE record SET local_updated_at = walkdown_now() WHERE id = NEW.id;
        \(recordMutationStands("DELETE"))
        END;
        """

    private static func appendRecordMutation(_ operation: String) -> String {
        """
            INSERT INTO __sync_outbox
                (mutation_id, table_name, record_id, operation, lamport, created_at_utc)
            SELECT walkdown_uuid(), NEW.table_name, NEW.id, '\(operation)', \(lamport),
                walkdown_now();
        """
    }

    /// A deletion travels as a change of `@deleted`. Its base is the newest version of which nothing
    /// was hidden: what somebody else changed under a waiting edit, or changes later, was not seen
    /// by whoever deletes.
    private static let deletionEntry = """
            INSERT INTO __sync_outbox_field
                (seq_id, name, value, base_value, base_version, lamport)
            SELECT max(seq_id), '@deleted', 1, NULL,
                min(NEW.version, ifnull((
                    SELECT min(shadow.version) - 1 FROM __sync_shadow AS shadow
                    LEFT JOIN field ON field.record_id = shadow.record_id
                        AND field.name = shadow.name
                    WHERE shadow.record_id = NEW.id
                        AND shadow.version > ifnull(field.version, 0)
                        AND shadow.node <> '' AND shadow.node IS NOT (
                            SELECT value FROM __sync_metadata WHERE key = 'node')),
                    NEW.version)),
                \(lamport)
            FROM __sync_outbox WHERE record_id = NEW.id;
        """

    private static func recordMutationStands(_ operation: String) -> String {
        """
            SELECT raise(ABORT, 'walkdown:uncaptured')
            WHERE NOT EXISTS (
                SELECT 1 FROM __sync_outbox
                WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.id)
                    AND operation = '\(operation)' AND status = 'PENDING');
        """
    }

    private static let lamport = "(SELECT value FROM __sync_metadata WHERE key = 'lamport')"

    /// A changed field: shadow, counter, mutation, entry, or the entry's removal.
    static let fieldCapture = [
        captureTrigger(
            "field_inserted", on: "INSERT", when: "NEW.value IS NOT NULL",
            old: OldField(value: "NULL", lamport: "0", node: "''", version: "0", present: "0")),
        captureTrigger(
            "field_updated", on: "UPDATE OF value", when: "OLD.value IS NOT NEW.value",
            old: OldField(
                value: "OLD.value", lamport: "OLD.lamport", node: "OLD.node",
                version: "OLD.version", present: "1")),
    ].joined(separator: "\n\n")

    /// What stood in the field before, as SQL.
    private struct OldField {
        var value, lamport, node, version, present: String
    }

    private static func captureTrigger(
        _ name: String, on event: String, when condition: String, old: OldField
    ) -> String {
        """
        CREATE TRIGGER \(name) AFTER \(event) ON field
        WHEN \(condition) AND \(notApplying)
        BEGIN
            -- The first local change of a field: what the server confirmed goes to the shadow.
            INSERT INTO __sync_shadow (record_id, name, value, lamport, node, version, present)
            SELECT NEW.record_id, NEW.name, \(old.value), \(old.lamport), \(old.node),
                \(old.version), \(old.present)
            WHERE NOT EXISTS (SELECT 1 FROM __sync_shadow WHERE \(thisField));

            UPDATE __sync_metadata SET value = value + 1 WHERE key = 'lamport';

            -- A new mutation, unless the newest one is unsent.
            INSERT INTO __sync_outbox
                (mutation_id, table_name, record_id, operation, created_at_utc)
            SELECT walkdown_uuid(), table_name, id, 'UPDATE', walkdown_now()
            FROM record
            WHERE id = NEW.record_id
                AND NOT (\(newestIsAmendable)
                AND NOT (\(startsMutation(oldValue: old.value))));

        \(entrySteps(old: old))

        \(revertSteps)

        \(entryStands)
        END;
        """
    }

    /// The entry in the mutation. Its base is what the field was when it first changed: while a
    /// change waits, `field.version` stays what it was.
    private static func entrySteps(old: OldField) -> String {
        """
            UPDATE __sync_outbox
            SET lamport = \(lamport),
                bytes = bytes + 64 + \(length("NEW.name")) + \(length("NEW.value"))
                    - coalesce((
                        SELECT 64 + \(length("name")) + \(length("value"))
                        FROM __sync_outbox_field
                        WHERE \(thisEntry)), 0)
            WHERE seq_id = \(newest);

            UPDATE __sync_outbox_field
            SET value = NEW.value, lamport = \(lamport)
            WHERE \(thisEntry);

            INSERT INTO __sync_outbox_field
                (seq_id, name, value, base_value, base_version, lamport)
            SELECT \(newest),
                NEW.name, NEW.value, \(old.value), \(old.version), \(lamport)
            WHERE NOT EXISTS (
                SELECT 1 FROM __sync_outbox_field
                WHERE \(thisEntry));

            UPDATE field
            SET lamport = \(lamport),
                node = (SELECT value FROM __sync_metadata WHERE key = 'node')
            WHERE \(thisField);

            UPDATE record SET local_updated_at = walkdown_now() WHERE id = NEW.record_id;
        """
    }

    private static func length(_ value: String) -> String {
        "ifnull(length(CAST(\(value) AS BLOB)), 0)"
    }

    /// An unsent edit back to the confirmed value leaves nothing to send: its entry goes, an empty
    /// UPDATE goes, and the field is the confirmed one again. (A row value would say the UPDATE
    /// shorter; SQLite 3.15.2 crashes on one inside a trigger.)
    private static let revertSteps = """
            DELETE FROM __sync_outbox_field
            WHERE \(thisEntry)
                AND NEW.value IS \(confirmed)
                AND NOT EXISTS (
                    SELECT 1 FROM __sync_waiting
                    WHERE \(thisField)
                        AND seq_id <> \(newest));

            UPDATE field
            SET lamport = (SELECT lamport FROM __sync_shadow WHERE \(thisField)),
                node = (SELECT node FROM __sync_shadow WHERE \(thisField)),
                version = (SELECT version FROM __sync_shadow WHERE \(thisField))
            WHERE \(thisField)
                AND NEW.value IS \(confirmed)
                AND NOT \(isWaiting);

            DELETE FROM __sync_shadow
            WHERE \(thisField)
                AND NEW.value IS value
                AND NOT \(isWaiting)
                AND NOT EXISTS (SELECT 1 FROM __sync_held WHERE \(thisField));

            DELETE FROM __sync_outbox
            WHERE seq_id = \(newest)
                AND operation = 'UPDATE' AND status = 'PENDING'
                AND NOT EXISTS (
                    SELECT 1 FROM __sync_outbox_field
                    WHERE seq_id = \(newest));
        """

    /// The change stands in the newest mutation, or it was taken back: then nothing waits for the
    /// field, and a shadow that is still there has the field's value.
    private static let entryStands = """
            SELECT raise(ABORT, 'walkdown:uncaptured')
            WHERE NOT EXISTS (
                    SELECT 1 FROM __sync_waiting
                    WHERE \(thisField)
                        AND seq_id = \(newest)
                        AND status = 'PENDING' AND value IS NEW.value)
                AND (\(isWaiting)
                    OR EXISTS (
                        SELECT 1 FROM __sync_shadow
                        WHERE \(thisField) AND value IS NOT NEW.value));
        """
}
