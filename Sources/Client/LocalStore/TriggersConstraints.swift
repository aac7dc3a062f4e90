extension Triggers {
    /// What a local change of a record must be. Each code is one that `Refusal` turns into words.
    static let recordConstraints = """
        CREATE TRIGGER record_allowed BEFORE INSERT ON record
        WHEN \(notApplying)
        BEGIN
            SELECT raise(ABORT, 'walkdown:record')
            WHERE NEW.version <> 0 OR NEW.is_deleted <> 0 OR NEW.id = '' OR NEW.table_name = '';
        \(newPartRules)
            SELECT raise(ABORT, 'walkdown:queue_full')
            WHERE \(queueIsFull);
        END;

        CREATE TRIGGER record_deletion_allowed BEFORE UPDATE OF is_deleted ON record
        WHEN OLD.is_deleted IS NOT NEW.is_deleted AND \(notApplying)
        BEGIN
            SELECT raise(ABORT, 'walkdown:deleted')
            WHERE NEW.is_deleted IS NOT 1;
            SELECT raise(ABORT, 'walkdown:approved')
            WHERE EXISTS (
                SELECT 1 FROM field
                WHERE record_id = NEW.id AND name = '@state' AND value = 'approved');
        \(partDeletionRules)
            SELECT raise(ABORT, 'walkdown:queue_full')
            WHERE \(queueIsFull);
        END;
        """

    /// What a local change of a field must be, for an INSERT and for an UPDATE.
    static let fieldConstraints = [
        fieldConstraint(
            "field_insert_allowed", on: "INSERT", when: "NEW.value IS NOT NULL", oldValue: "NULL"),
        fieldConstraint(
            "field_update_allowed", on: "UPDATE OF value", when: "OLD.value IS NOT NEW.value",
            oldValue: "OLD.value"),
    ].joined(separator: "\n\n")

    private static func fieldConstraint(
        _ name: String, on event: String, when condition: String, oldValue: String
    ) -> String {
        """
        CREATE TRIGGER \(name) BEFORE \(event) ON field
        WHEN \(condition) AND \(notApplying)
        BEGIN
            SELECT raise(ABORT, 'walkdown:no_record')
            WHERE NOT EXISTS (SELECT 1 FROM record WHERE id = NEW.record_id AND is_deleted = 0);
            SELECT raise(ABORT, 'walkdown:type')
            WHERE typeof(NEW.value) = 'blob' OR (typeof(NEW.value) = 'real'
                AND NEW.value NOT BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308);
            SELECT raise(ABORT, 'walkdown:text')
            WHERE typeof(NEW.value) = 'text'
                AND walkdown_refuses_text(CAST(NEW.value AS BLOB));

        \(stateRules(oldValue: oldValue))

        \(builtInRules(oldValue: oldValue))

        \(questionRules)

            SELECT raise(ABORT, 'walkdown:queue_full')
            WHERE \(queueIsFull)
                AND NOT (\(newestIsAmendable)
                AND NOT (\(startsMutation(oldValue: oldValue))));
        END;
        """
    }

    /// Which state may follow which, for an inspector; answers are closed when an inspection is
    /// complete or approved, those of its rows and its findings too.
    private static func stateRules(oldValue: String) -> String {
        """
            SELECT raise(ABORT, 'walkdown:state')
            WHERE NEW.name = '@state' AND NOT coalesce(
                (\(oldValue) IS NULL AND NEW.value IN ('assigned', 'inProgress'))
                OR (\(oldValue) IN ('assigned', 'returned', 'complete')
                    AND NEW.value = 'inProgress')
                OR (\(oldValue) = 'inProgress' AND NEW.value = 'complete'), 0);
        \(refusal(ifClosed: "NEW.record_id", "NEW.name <> '@state'"))
        """
    }

    /// What the built-in fields hold. Form and version are what all answers are read by: without them
    /// nobody could work on the inspection any more, so they stay as they began. `move` alone brings
    /// another version, one of the same form that is here.
    private static func builtInRules(oldValue: String) -> String {
        """
            SELECT raise(ABORT, 'walkdown:form')
            WHERE NEW.name IN ('@form', '@formVersion') AND (
                \(oldValue) IS NOT NULL
                OR EXISTS (SELECT 1 FROM record WHERE id = NEW.record_id AND version > 0))
                AND NOT (NEW.name = '@formVersion'
                AND (SELECT value FROM __sync_metadata WHERE key = 'moving') IS 1
                AND EXISTS (
                    SELECT 1 FROM form WHERE version = NEW.value AND id = (
                        SELECT value FROM field
                        WHERE record_id = NEW.record_id AND name = '@form')));
            SELECT raise(ABORT, 'walkdown:type')
            WHERE CASE
                WHEN NEW.name IN ('@form', '@formVersion')
                    THEN typeof(NEW.value) <> 'text' OR NEW.value = ''
                WHEN NEW.name IN (
                    '@asset', '@title', '@assignee', '@comment', '@tag', '@model', '@serial')
                    THEN typeof(NEW.value) NOT IN ('text', 'null')
                WHEN NEW.name IN ('@owner', '@note') THEN typeof(NEW.value) NOT IN ('text', 'null')
                WHEN NEW.name = '@repeated' THEN NEW.value NOT IN (0, 1)
                WHEN NEW.name IN ('@question', '@row')
                    THEN typeof(NEW.value) <> 'text' OR NEW.value = ''
                WHEN NEW.name = '@repeat' THEN typeof(NEW.value) <> 'text' OR NEW.value = ''
                WHEN NEW.name = '@order' THEN typeof(NEW.value) NOT IN ('integer', 'real')
                ELSE 0 END;
            SELECT raise(ABORT, 'walkdown:key')
            WHERE NEW.name = '@repeat' AND \(oldValue) IS NOT NULL;
        \(findingRules(oldValue: oldValue))
            SELECT raise(ABORT, 'walkdown:day')
            WHERE NEW.name = '@due' AND NEW.value IS NOT NULL AND NOT (\(isDay("NEW.value")));
        """
    }

    /// True for a day that exists, written YYYY-MM-DD. Adding nothing to it makes SQLite count: of a
    /// 30th of February it becomes a day in March.
    static func isDay(_ value: String) -> String {
        """
        typeof(\(value)) = 'text'
                    AND \(value) GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'
                    AND \(value) >= '0001' AND \(value) IS date(\(value), '+0 days')
        """
    }

    static let queueIsFull = """
        (SELECT value FROM __sync_metadata WHERE key = 'waiting')
                >= (SELECT value FROM __sync_metadata WHERE key = 'queue_limit')
        """
}
