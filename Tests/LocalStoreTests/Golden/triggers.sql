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
WHEN OLD.version IS NOT NEW.version AND (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    SELECT raise(ABORT, 'walkdown:version');
END;

CREATE TRIGGER record_removed BEFORE DELETE ON record
WHEN (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
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
WHEN OLD.version IS NOT NEW.version AND (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
    AND NEW.version IS NOT (
        SELECT version FROM __sync_shadow
        WHERE record_id = NEW.record_id AND name = NEW.name)
BEGIN
    SELECT raise(ABORT, 'walkdown:version');
END;

CREATE TRIGGER field_removed BEFORE DELETE ON field
WHEN (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    SELECT raise(ABORT, 'walkdown:delete');
END;

CREATE TRIGGER record_allowed BEFORE INSERT ON record
WHEN (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    SELECT raise(ABORT, 'walkdown:record')
    WHERE NEW.version <> 0 OR NEW.is_deleted <> 0 OR NEW.id = '' OR NEW.table_name = '';
    SELECT raise(ABORT, 'walkdown:row')
    WHERE NEW.table_name = 'repeat' AND NOT EXISTS (
        SELECT 1 FROM record
        WHERE id = NEW.parent_id AND is_deleted = 0
            AND table_name IN ('inspection', 'repeat'));
    SELECT raise(ABORT, 'walkdown:finding')
    WHERE NEW.table_name = 'finding' AND NOT EXISTS (
        SELECT 1 FROM record
        WHERE id = NEW.parent_id AND is_deleted = 0 AND table_name = 'inspection');
    SELECT CASE value
        WHEN 'complete' THEN raise(ABORT, 'walkdown:complete')
        ELSE raise(ABORT, 'walkdown:approved') END
    FROM field
    WHERE NEW.table_name IN ('repeat', 'finding') AND name = '@state' AND value IN ('complete', 'approved')
        AND record_id IN (
            NEW.parent_id,
                    (SELECT r1.parent_id FROM record AS r1
        WHERE r1.id = NEW.parent_id AND r1.table_name IN ('repeat', 'finding')),
                    (SELECT r2.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id
        WHERE r1.id = NEW.parent_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat'),
                    (SELECT r3.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id
        WHERE r1.id = NEW.parent_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat'),
                    (SELECT r4.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id JOIN record AS r4 ON r4.id = r3.parent_id
        WHERE r1.id = NEW.parent_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat' AND r4.table_name = 'repeat'),
                    (SELECT r5.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id JOIN record AS r4 ON r4.id = r3.parent_id JOIN record AS r5 ON r5.id = r4.parent_id
        WHERE r1.id = NEW.parent_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat' AND r4.table_name = 'repeat' AND r5.table_name = 'repeat'));
    SELECT raise(ABORT, 'walkdown:queue_full')
    WHERE (SELECT value FROM __sync_metadata WHERE key = 'waiting')
        >= (SELECT value FROM __sync_metadata WHERE key = 'queue_limit');
END;

CREATE TRIGGER record_deletion_allowed BEFORE UPDATE OF is_deleted ON record
WHEN OLD.is_deleted IS NOT NEW.is_deleted AND (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    SELECT raise(ABORT, 'walkdown:deleted')
    WHERE NEW.is_deleted IS NOT 1;
    SELECT raise(ABORT, 'walkdown:approved')
    WHERE EXISTS (
        SELECT 1 FROM field
        WHERE record_id = NEW.id AND name = '@state' AND value = 'approved');
    SELECT CASE value
        WHEN 'complete' THEN raise(ABORT, 'walkdown:complete')
        ELSE raise(ABORT, 'walkdown:approved') END
    FROM field
    WHERE NEW.table_name IN ('repeat', 'finding') AND name = '@state' AND value IN ('complete', 'approved')
        AND record_id IN (
            NEW.id,
                    (SELECT r1.parent_id FROM record AS r1
        WHERE r1.id = NEW.id AND r1.table_name IN ('repeat', 'finding')),
                    (SELECT r2.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id
        WHERE r1.id = NEW.id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat'),
                    (SELECT r3.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id
        WHERE r1.id = NEW.id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat'),
                    (SELECT r4.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id JOIN record AS r4 ON r4.id = r3.parent_id
        WHERE r1.id = NEW.id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat' AND r4.table_name = 'repeat'),
                    (SELECT r5.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id JOIN record AS r4 ON r4.id = r3.parent_id JOIN record AS r5 ON r5.id = r4.parent_id
        WHERE r1.id = NEW.id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat' AND r4.table_name = 'repeat' AND r5.table_name = 'repeat'));
    SELECT raise(ABORT, 'walkdown:queue_full')
    WHERE (SELECT value FROM __sync_metadata WHERE key = 'waiting')
        >= (SELECT value FROM __sync_metadata WHERE key = 'queue_limit');
END;

CREATE TRIGGER field_insert_allowed BEFORE INSERT ON field
WHEN NEW.value IS NOT NULL AND (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    SELECT raise(ABORT, 'walkdown:no_record')
    WHERE NOT EXISTS (SELECT 1 FROM record WHERE id = NEW.record_id AND is_deleted = 0);
    SELECT raise(ABORT, 'walkdown:type')
    WHERE typeof(NEW.value) = 'blob' OR (typeof(NEW.value) = 'real'
        AND NEW.value NOT BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308);
    SELECT raise(ABORT, 'walkdown:text')
    WHERE typeof(NEW.value) = 'text'
        AND walkdown_refuses_text(CAST(NEW.value AS BLOB));

    SELECT raise(ABORT, 'walkdown:state')
    WHERE NEW.name = '@state' AND NOT coalesce(
        (NULL IS NULL AND NEW.value IN ('assigned', 'inProgress'))
        OR (NULL IN ('assigned', 'returned', 'complete')
            AND NEW.value = 'inProgress')
        OR (NULL = 'inProgress' AND NEW.value = 'complete'), 0);
    SELECT CASE value
        WHEN 'complete' THEN raise(ABORT, 'walkdown:complete')
        ELSE raise(ABORT, 'walkdown:approved') END
    FROM field
    WHERE NEW.name <> '@state' AND name = '@state' AND value IN ('complete', 'approved')
        AND record_id IN (
            NEW.record_id,
                    (SELECT r1.parent_id FROM record AS r1
        WHERE r1.id = NEW.record_id AND r1.table_name IN ('repeat', 'finding')),
                    (SELECT r2.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id
        WHERE r1.id = NEW.record_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat'),
                    (SELECT r3.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id
        WHERE r1.id = NEW.record_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat'),
                    (SELECT r4.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id JOIN record AS r4 ON r4.id = r3.parent_id
        WHERE r1.id = NEW.record_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat' AND r4.table_name = 'repeat'),
                    (SELECT r5.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id JOIN record AS r4 ON r4.id = r3.parent_id JOIN record AS r5 ON r5.id = r4.parent_id
        WHERE r1.id = NEW.record_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat' AND r4.table_name = 'repeat' AND r5.table_name = 'repeat'));

    SELECT raise(ABORT, 'walkdown:form')
    WHERE NEW.name IN ('@form', '@formVersion') AND (
        NULL IS NOT NULL
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
    WHERE NEW.name = '@repeat' AND NULL IS NOT NULL;
    SELECT raise(ABORT, 'walkdown:key')
    WHERE NEW.name IN ('@question', '@row') AND (
        NULL IS NOT NULL
        OR EXISTS (SELECT 1 FROM record WHERE id = NEW.record_id AND version > 0));
    SELECT raise(ABORT, 'walkdown:word')
    WHERE NEW.name IN ('@severity', '@status', '@raisedBy') AND NOT CASE NEW.name
        WHEN '@severity' THEN NEW.value IN ('minor', 'major', 'critical')
        WHEN '@raisedBy' THEN NEW.value IN ('answer', 'hand')
        ELSE NEW.value IN ('pending', 'corrected', 'closed') END IS 1;
    SELECT raise(ABORT, 'walkdown:question')
    WHERE NEW.name = '@question' AND EXISTS (
        SELECT 1 FROM record
        JOIN field AS form ON form.record_id = record.parent_id AND form.name = '@form'
        JOIN field AS version
            ON version.record_id = record.parent_id AND version.name = '@formVersion'
        WHERE record.id = NEW.record_id
            AND EXISTS (
                SELECT 1 FROM question
                WHERE question.form = form.value AND question.version = version.value)
            AND NOT EXISTS (
                SELECT 1 FROM question
                WHERE question.form = form.value AND question.version = version.value
                    AND question.name = NEW.value));
    SELECT raise(ABORT, 'walkdown:day')
    WHERE NEW.name = '@due' AND NEW.value IS NOT NULL AND NOT (typeof(NEW.value) = 'text'
            AND NEW.value GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'
            AND NEW.value >= '0001' AND NEW.value IS date(NEW.value, '+0 days'));

    SELECT raise(ABORT, 'walkdown:question')
    WHERE substr(NEW.name, 1, 1) <> '@'
        AND EXISTS (
            SELECT 1 FROM question
            WHERE form = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@form') AND version = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@formVersion'))
        AND NOT EXISTS (
            SELECT 1 FROM question
            WHERE form = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@form') AND version = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@formVersion')
                AND name = NEW.name AND repetition IS (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@repeat'));
    SELECT CASE
        WHEN type = 'note' OR NOT (CASE type
            WHEN 'integer' THEN typeof(NEW.value) IN ('integer', 'real')
                AND NEW.value = CAST(NEW.value AS INTEGER)
            WHEN 'decimal' THEN typeof(NEW.value) IN ('integer', 'real')
            WHEN 'date' THEN typeof(NEW.value) = 'text'
            AND NEW.value GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'
            AND NEW.value >= '0001' AND NEW.value IS date(NEW.value, '+0 days')
            ELSE typeof(NEW.value) = 'text' END)
            THEN raise(ABORT, 'walkdown:type')
        WHEN type IN ('time', 'dateTime', 'point', 'trace', 'shape', 'acknowledge')
            AND walkdown_misfits(type, NEW.value)
            THEN raise(ABORT, 'walkdown:type')
        WHEN type IN ('choice', 'verdict') AND EXISTS (SELECT 1 FROM question_choice AS choice WHERE choice.form = question.form AND choice.version = question.version
                AND choice.question = coalesce(question.list, question.name)) AND NOT EXISTS (
            SELECT 1 FROM question_choice AS choice
            WHERE choice.form = question.form AND choice.version = question.version
                AND choice.question = coalesce(question.list, question.name) AND choice.name = NEW.value)
            THEN raise(ABORT, 'walkdown:choice')
        WHEN type IN ('choices', 'ranking') AND EXISTS (SELECT 1 FROM question_choice AS choice WHERE choice.form = question.form AND choice.version = question.version
                AND choice.question = coalesce(question.list, question.name))
            AND (
            SELECT count(*) FROM question_choice AS choice
            WHERE choice.form = question.form AND choice.version = question.version
                AND choice.question = coalesce(question.list, question.name)
                AND instr(' ' || NEW.value || ' ', ' ' || choice.name || ' ') > 0) <> length(NEW.value) - length(replace(NEW.value, ' ', '')) + 1
            THEN raise(ABORT, 'walkdown:choice')
        WHEN type IN ('integer', 'decimal')
            AND (NEW.value < hard_min OR NEW.value > hard_max)
            THEN raise(ABORT, 'walkdown:limit')
        END
    FROM question
    WHERE NEW.value IS NOT NULL AND name = NEW.name AND is_derived = 0
        AND form = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@form') AND version = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@formVersion');

    SELECT raise(ABORT, 'walkdown:queue_full')
    WHERE (SELECT value FROM __sync_metadata WHERE key = 'waiting')
        >= (SELECT value FROM __sync_metadata WHERE key = 'queue_limit')
        AND NOT (EXISTS (
            SELECT 1 FROM __sync_outbox
            WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id)
                AND status = 'PENDING' AND sealed = 0 AND operation <> 'DELETE'
                AND bytes < 262144)
        AND NOT (NEW.name IN ('@state', '@formVersion') AND NULL IS NOT NULL AND NOT (
            NEW.value IS (SELECT value FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
            AND EXISTS (SELECT 1 FROM __sync_outbox_field WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name))));
END;

CREATE TRIGGER field_update_allowed BEFORE UPDATE OF value ON field
WHEN OLD.value IS NOT NEW.value AND (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    SELECT raise(ABORT, 'walkdown:no_record')
    WHERE NOT EXISTS (SELECT 1 FROM record WHERE id = NEW.record_id AND is_deleted = 0);
    SELECT raise(ABORT, 'walkdown:type')
    WHERE typeof(NEW.value) = 'blob' OR (typeof(NEW.value) = 'real'
        AND NEW.value NOT BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308);
    SELECT raise(ABORT, 'walkdown:text')
    WHERE typeof(NEW.value) = 'text'
        AND walkdown_refuses_text(CAST(NEW.value AS BLOB));

    SELECT raise(ABORT, 'walkdown:state')
    WHERE NEW.name = '@state' AND NOT coalesce(
        (OLD.value IS NULL AND NEW.value IN ('assigned', 'inProgress'))
        OR (OLD.value IN ('assigned', 'returned', 'complete')
            AND NEW.value = 'inProgress')
        OR (OLD.value = 'inProgress' AND NEW.value = 'complete'), 0);
    SELECT CASE value
        WHEN 'complete' THEN raise(ABORT, 'walkdown:complete')
        ELSE raise(ABORT, 'walkdown:approved') END
    FROM field
    WHERE NEW.name <> '@state' AND name = '@state' AND value IN ('complete', 'approved')
        AND record_id IN (
            NEW.record_id,
                    (SELECT r1.parent_id FROM record AS r1
        WHERE r1.id = NEW.record_id AND r1.table_name IN ('repeat', 'finding')),
                    (SELECT r2.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id
        WHERE r1.id = NEW.record_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat'),
                    (SELECT r3.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id
        WHERE r1.id = NEW.record_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat'),
                    (SELECT r4.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id JOIN record AS r4 ON r4.id = r3.parent_id
        WHERE r1.id = NEW.record_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat' AND r4.table_name = 'repeat'),
                    (SELECT r5.parent_id FROM record AS r1 JOIN record AS r2 ON r2.id = r1.parent_id JOIN record AS r3 ON r3.id = r2.parent_id JOIN record AS r4 ON r4.id = r3.parent_id JOIN record AS r5 ON r5.id = r4.parent_id
        WHERE r1.id = NEW.record_id AND r1.table_name = 'repeat' AND r2.table_name = 'repeat' AND r3.table_name = 'repeat' AND r4.table_name = 'repeat' AND r5.table_name = 'repeat'));

    SELECT raise(ABORT, 'walkdown:form')
    WHERE NEW.name IN ('@form', '@formVersion') AND (
        OLD.value IS NOT NULL
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
    WHERE NEW.name = '@repeat' AND OLD.value IS NOT NULL;
    SELECT raise(ABORT, 'walkdown:key')
    WHERE NEW.name IN ('@question', '@row') AND (
        OLD.value IS NOT NULL
        OR EXISTS (SELECT 1 FROM record WHERE id = NEW.record_id AND version > 0));
    SELECT raise(ABORT, 'walkdown:word')
    WHERE NEW.name IN ('@severity', '@status', '@raisedBy') AND NOT CASE NEW.name
        WHEN '@severity' THEN NEW.value IN ('minor', 'major', 'critical')
        WHEN '@raisedBy' THEN NEW.value IN ('answer', 'hand')
        ELSE NEW.value IN ('pending', 'corrected', 'closed') END IS 1;
    SELECT raise(ABORT, 'walkdown:question')
    WHERE NEW.name = '@question' AND EXISTS (
        SELECT 1 FROM record
        JOIN field AS form ON form.record_id = record.parent_id AND form.name = '@form'
        JOIN field AS version
            ON version.record_id = record.parent_id AND version.name = '@formVersion'
        WHERE record.id = NEW.record_id
            AND EXISTS (
                SELECT 1 FROM question
                WHERE question.form = form.value AND question.version = version.value)
            AND NOT EXISTS (
                SELECT 1 FROM question
                WHERE question.form = form.value AND question.version = version.value
                    AND question.name = NEW.value));
    SELECT raise(ABORT, 'walkdown:day')
    WHERE NEW.name = '@due' AND NEW.value IS NOT NULL AND NOT (typeof(NEW.value) = 'text'
            AND NEW.value GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'
            AND NEW.value >= '0001' AND NEW.value IS date(NEW.value, '+0 days'));

    SELECT raise(ABORT, 'walkdown:question')
    WHERE substr(NEW.name, 1, 1) <> '@'
        AND EXISTS (
            SELECT 1 FROM question
            WHERE form = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@form') AND version = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@formVersion'))
        AND NOT EXISTS (
            SELECT 1 FROM question
            WHERE form = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@form') AND version = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@formVersion')
                AND name = NEW.name AND repetition IS (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@repeat'));
    SELECT CASE
        WHEN type = 'note' OR NOT (CASE type
            WHEN 'integer' THEN typeof(NEW.value) IN ('integer', 'real')
                AND NEW.value = CAST(NEW.value AS INTEGER)
            WHEN 'decimal' THEN typeof(NEW.value) IN ('integer', 'real')
            WHEN 'date' THEN typeof(NEW.value) = 'text'
            AND NEW.value GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]'
            AND NEW.value >= '0001' AND NEW.value IS date(NEW.value, '+0 days')
            ELSE typeof(NEW.value) = 'text' END)
            THEN raise(ABORT, 'walkdown:type')
        WHEN type IN ('time', 'dateTime', 'point', 'trace', 'shape', 'acknowledge')
            AND walkdown_misfits(type, NEW.value)
            THEN raise(ABORT, 'walkdown:type')
        WHEN type IN ('choice', 'verdict') AND EXISTS (SELECT 1 FROM question_choice AS choice WHERE choice.form = question.form AND choice.version = question.version
                AND choice.question = coalesce(question.list, question.name)) AND NOT EXISTS (
            SELECT 1 FROM question_choice AS choice
            WHERE choice.form = question.form AND choice.version = question.version
                AND choice.question = coalesce(question.list, question.name) AND choice.name = NEW.value)
            THEN raise(ABORT, 'walkdown:choice')
        WHEN type IN ('choices', 'ranking') AND EXISTS (SELECT 1 FROM question_choice AS choice WHERE choice.form = question.form AND choice.version = question.version
                AND choice.question = coalesce(question.list, question.name))
            AND (
            SELECT count(*) FROM question_choice AS choice
            WHERE choice.form = question.form AND choice.version = question.version
                AND choice.question = coalesce(question.list, question.name)
                AND instr(' ' || NEW.value || ' ', ' ' || choice.name || ' ') > 0) <> length(NEW.value) - length(replace(NEW.value, ' ', '')) + 1
            THEN raise(ABORT, 'walkdown:choice')
        WHEN type IN ('integer', 'decimal')
            AND (NEW.value < hard_min OR NEW.value > hard_max)
            THEN raise(ABORT, 'walkdown:limit')
        END
    FROM question
    WHERE NEW.value IS NOT NULL AND name = NEW.name AND is_derived = 0
        AND form = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@form') AND version = (SELECT value FROM field WHERE record_id = NEW.record_id AND name = '@formVersion');

    SELECT raise(ABORT, 'walkdown:queue_full')
    WHERE (SELECT value FROM __sync_metadata WHERE key = 'waiting')
        >= (SELECT value FROM __sync_metadata WHERE key = 'queue_limit')
        AND NOT (EXISTS (
            SELECT 1 FROM __sync_outbox
            WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id)
                AND status = 'PENDING' AND sealed = 0 AND operation <> 'DELETE'
                AND bytes < 262144)
        AND NOT (NEW.name IN ('@state', '@formVersion') AND OLD.value IS NOT NULL AND NOT (
            NEW.value IS (SELECT value FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
            AND EXISTS (SELECT 1 FROM __sync_outbox_field WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name))));
END;

CREATE TRIGGER record_inserted AFTER INSERT ON record
WHEN (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    UPDATE __sync_metadata SET value = value + 1 WHERE key = 'lamport';
    INSERT INTO __sync_outbox
        (mutation_id, table_name, record_id, operation, lamport, created_at_utc)
    SELECT walkdown_uuid(), NEW.table_name, NEW.id, 'INSERT', (SELECT value FROM __sync_metadata WHERE key = 'lamport'),
        walkdown_now();
    UPDATE record SET local_updated_at = walkdown_now() WHERE id = NEW.id;
    SELECT raise(ABORT, 'walkdown:uncaptured')
    WHERE NOT EXISTS (
        SELECT 1 FROM __sync_outbox
        WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.id)
            AND operation = 'INSERT' AND status = 'PENDING');
END;

CREATE TRIGGER record_deleted AFTER UPDATE OF is_deleted ON record
WHEN OLD.is_deleted IS NOT NEW.is_deleted AND (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    UPDATE __sync_metadata SET value = value + 1 WHERE key = 'lamport';
    INSERT INTO __sync_outbox
        (mutation_id, table_name, record_id, operation, lamport, created_at_utc)
    SELECT walkdown_uuid(), NEW.table_name, NEW.id, 'DELETE', (SELECT value FROM __sync_metadata WHERE key = 'lamport'),
        walkdown_now();
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
        (SELECT value FROM __sync_metadata WHERE key = 'lamport')
    FROM __sync_outbox WHERE record_id = NEW.id;
    UPDATE record SET local_updated_at = walkdown_now() WHERE id = NEW.id;
    SELECT raise(ABORT, 'walkdown:uncaptured')
    WHERE NOT EXISTS (
        SELECT 1 FROM __sync_outbox
        WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.id)
            AND operation = 'DELETE' AND status = 'PENDING');
END;

CREATE TRIGGER field_inserted AFTER INSERT ON field
WHEN NEW.value IS NOT NULL AND (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    -- The first local change of a field: what the server confirmed goes to the shadow.
    INSERT INTO __sync_shadow (record_id, name, value, lamport, node, version, present)
    SELECT NEW.record_id, NEW.name, NULL, 0, '',
        0, 0
    WHERE NOT EXISTS (SELECT 1 FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name);

    UPDATE __sync_metadata SET value = value + 1 WHERE key = 'lamport';

    -- A new mutation, unless the newest one is unsent.
    INSERT INTO __sync_outbox
        (mutation_id, table_name, record_id, operation, created_at_utc)
    SELECT walkdown_uuid(), table_name, id, 'UPDATE', walkdown_now()
    FROM record
    WHERE id = NEW.record_id
        AND NOT (EXISTS (
            SELECT 1 FROM __sync_outbox
            WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id)
                AND status = 'PENDING' AND sealed = 0 AND operation <> 'DELETE'
                AND bytes < 262144)
        AND NOT (NEW.name IN ('@state', '@formVersion') AND NULL IS NOT NULL AND NOT (
            NEW.value IS (SELECT value FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
            AND EXISTS (SELECT 1 FROM __sync_outbox_field WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name))));

    UPDATE __sync_outbox
    SET lamport = (SELECT value FROM __sync_metadata WHERE key = 'lamport'),
        bytes = bytes + 64 + ifnull(length(CAST(NEW.name AS BLOB)), 0) + ifnull(length(CAST(NEW.value AS BLOB)), 0)
            - coalesce((
                SELECT 64 + ifnull(length(CAST(name AS BLOB)), 0) + ifnull(length(CAST(value AS BLOB)), 0)
                FROM __sync_outbox_field
                WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name), 0)
    WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id);

    UPDATE __sync_outbox_field
    SET value = NEW.value, lamport = (SELECT value FROM __sync_metadata WHERE key = 'lamport')
    WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name;

    INSERT INTO __sync_outbox_field
        (seq_id, name, value, base_value, base_version, lamport)
    SELECT (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id),
        NEW.name, NEW.value, NULL, 0, (SELECT value FROM __sync_metadata WHERE key = 'lamport')
    WHERE NOT EXISTS (
        SELECT 1 FROM __sync_outbox_field
        WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name);

    UPDATE field
    SET lamport = (SELECT value FROM __sync_metadata WHERE key = 'lamport'),
        node = (SELECT value FROM __sync_metadata WHERE key = 'node')
    WHERE record_id = NEW.record_id AND name = NEW.name;

    UPDATE record SET local_updated_at = walkdown_now() WHERE id = NEW.record_id;

    DELETE FROM __sync_outbox_field
    WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name
        AND NEW.value IS (SELECT value FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
        AND NOT EXISTS (
            SELECT 1 FROM __sync_waiting
            WHERE record_id = NEW.record_id AND name = NEW.name
                AND seq_id <> (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id));

    UPDATE field
    SET lamport = (SELECT lamport FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name),
        node = (SELECT node FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name),
        version = (SELECT version FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
    WHERE record_id = NEW.record_id AND name = NEW.name
        AND NEW.value IS (SELECT value FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
        AND NOT EXISTS (SELECT 1 FROM __sync_waiting WHERE record_id = NEW.record_id AND name = NEW.name);

    DELETE FROM __sync_shadow
    WHERE record_id = NEW.record_id AND name = NEW.name
        AND NEW.value IS value
        AND NOT EXISTS (SELECT 1 FROM __sync_waiting WHERE record_id = NEW.record_id AND name = NEW.name)
        AND NOT EXISTS (SELECT 1 FROM __sync_held WHERE record_id = NEW.record_id AND name = NEW.name);

    DELETE FROM __sync_outbox
    WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id)
        AND operation = 'UPDATE' AND status = 'PENDING'
        AND NOT EXISTS (
            SELECT 1 FROM __sync_outbox_field
            WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id));

    SELECT raise(ABORT, 'walkdown:uncaptured')
    WHERE NOT EXISTS (
            SELECT 1 FROM __sync_waiting
            WHERE record_id = NEW.record_id AND name = NEW.name
                AND seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id)
                AND status = 'PENDING' AND value IS NEW.value)
        AND (EXISTS (SELECT 1 FROM __sync_waiting WHERE record_id = NEW.record_id AND name = NEW.name)
            OR EXISTS (
                SELECT 1 FROM __sync_shadow
                WHERE record_id = NEW.record_id AND name = NEW.name AND value IS NOT NEW.value));
END;

CREATE TRIGGER field_updated AFTER UPDATE OF value ON field
WHEN OLD.value IS NOT NEW.value AND (SELECT value FROM __sync_metadata WHERE key = 'applying') IS NOT 1
BEGIN
    -- The first local change of a field: what the server confirmed goes to the shadow.
    INSERT INTO __sync_shadow (record_id, name, value, lamport, node, version, present)
    SELECT NEW.record_id, NEW.name, OLD.value, OLD.lamport, OLD.node,
        OLD.version, 1
    WHERE NOT EXISTS (SELECT 1 FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name);

    UPDATE __sync_metadata SET value = value + 1 WHERE key = 'lamport';

    -- A new mutation, unless the newest one is unsent.
    INSERT INTO __sync_outbox
        (mutation_id, table_name, record_id, operation, created_at_utc)
    SELECT walkdown_uuid(), table_name, id, 'UPDATE', walkdown_now()
    FROM record
    WHERE id = NEW.record_id
        AND NOT (EXISTS (
            SELECT 1 FROM __sync_outbox
            WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id)
                AND status = 'PENDING' AND sealed = 0 AND operation <> 'DELETE'
                AND bytes < 262144)
        AND NOT (NEW.name IN ('@state', '@formVersion') AND OLD.value IS NOT NULL AND NOT (
            NEW.value IS (SELECT value FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
            AND EXISTS (SELECT 1 FROM __sync_outbox_field WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name))));

    UPDATE __sync_outbox
    SET lamport = (SELECT value FROM __sync_metadata WHERE key = 'lamport'),
        bytes = bytes + 64 + ifnull(length(CAST(NEW.name AS BLOB)), 0) + ifnull(length(CAST(NEW.value AS BLOB)), 0)
            - coalesce((
                SELECT 64 + ifnull(length(CAST(name AS BLOB)), 0) + ifnull(length(CAST(value AS BLOB)), 0)
                FROM __sync_outbox_field
                WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name), 0)
    WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id);

    UPDATE __sync_outbox_field
    SET value = NEW.value, lamport = (SELECT value FROM __sync_metadata WHERE key = 'lamport')
    WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name;

    INSERT INTO __sync_outbox_field
        (seq_id, name, value, base_value, base_version, lamport)
    SELECT (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id),
        NEW.name, NEW.value, OLD.value, OLD.version, (SELECT value FROM __sync_metadata WHERE key = 'lamport')
    WHERE NOT EXISTS (
        SELECT 1 FROM __sync_outbox_field
        WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name);

    UPDATE field
    SET lamport = (SELECT value FROM __sync_metadata WHERE key = 'lamport'),
        node = (SELECT value FROM __sync_metadata WHERE key = 'node')
    WHERE record_id = NEW.record_id AND name = NEW.name;

    UPDATE record SET local_updated_at = walkdown_now() WHERE id = NEW.record_id;

    DELETE FROM __sync_outbox_field
    WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id) AND name = NEW.name
        AND NEW.value IS (SELECT value FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
        AND NOT EXISTS (
            SELECT 1 FROM __sync_waiting
            WHERE record_id = NEW.record_id AND name = NEW.name
                AND seq_id <> (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id));

    UPDATE field
    SET lamport = (SELECT lamport FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name),
        node = (SELECT node FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name),
        version = (SELECT version FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
    WHERE record_id = NEW.record_id AND name = NEW.name
        AND NEW.value IS (SELECT value FROM __sync_shadow WHERE record_id = NEW.record_id AND name = NEW.name)
        AND NOT EXISTS (SELECT 1 FROM __sync_waiting WHERE record_id = NEW.record_id AND name = NEW.name);

    DELETE FROM __sync_shadow
    WHERE record_id = NEW.record_id AND name = NEW.name
        AND NEW.value IS value
        AND NOT EXISTS (SELECT 1 FROM __sync_waiting WHERE record_id = NEW.record_id AND name = NEW.name)
        AND NOT EXISTS (SELECT 1 FROM __sync_held WHERE record_id = NEW.record_id AND name = NEW.name);

    DELETE FROM __sync_outbox
    WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id)
        AND operation = 'UPDATE' AND status = 'PENDING'
        AND NOT EXISTS (
            SELECT 1 FROM __sync_outbox_field
            WHERE seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id));

    SELECT raise(ABORT, 'walkdown:uncaptured')
    WHERE NOT EXISTS (
            SELECT 1 FROM __sync_waiting
            WHERE record_id = NEW.record_id AND name = NEW.name
                AND seq_id = (SELECT max(seq_id) FROM __sync_outbox WHERE record_id = NEW.record_id)
                AND status = 'PENDING' AND value IS NEW.value)
        AND (EXISTS (SELECT 1 FROM __sync_waiting WHERE record_id = NEW.record_id AND name = NEW.name)
            OR EXISTS (
                SELECT 1 FROM __sync_shadow
                WHERE record_id = NEW.record_id AND name = NEW.name AND value IS NOT NEW.value));
END;

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
