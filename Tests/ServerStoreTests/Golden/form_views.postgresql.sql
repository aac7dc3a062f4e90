CREATE VIEW "Round" AS
SELECT record.id AS id,
    coalesce((SELECT value FROM field WHERE record_id = record.parent_id
        AND name = '@tag'), (SELECT value FROM field WHERE record_id = record.id AND name = '@asset')) AS "@asset",
    (SELECT value FROM field WHERE record_id = record.id AND name = '@state') AS "@state",
    (SELECT value FROM field WHERE record_id = record.id AND name = '@formVersion') AS "@formVersion",
    (SELECT value FROM field WHERE record_id = record.id AND name = '@title') AS "@title",
    (SELECT value FROM field WHERE record_id = record.id AND name = '@due') AS "@due",
    (SELECT value FROM field WHERE record_id = record.id AND name = '@assignee') AS "@assignee",
    (SELECT value FROM field WHERE record_id = record.id AND name = 'size') AS "size",
    (SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = record.id AND name = 'psi') AS "psi",
    (SELECT value FROM field WHERE record_id = record.id AND name = 'a/long_long_long_long_long_long_long_long_long_long_long_long_long_long_1') AS "long_long_long_long_long_long_long_long_long_long_long_long_l_1",
    (SELECT value FROM field WHERE record_id = record.id AND name = 'a/long_long_long_long_long_long_long_long_long_long_long_long_long_long_2') AS "long_long_long_long_long_long_long_long_long_long_long_long_l_2",
    (SELECT value FROM field WHERE record_id = record.id AND name = 'old') AS "old"
FROM record
WHERE record.table_name = 'inspection' AND NOT record.is_deleted
    AND (SELECT value FROM field WHERE record_id = record.id AND name = '@form') = 'Round';

CREATE VIEW "Round__pump" AS
SELECT record.id AS id,
    coalesce((SELECT above1.id FROM record AS above1
    WHERE above1.id = record.parent_id AND above1.table_name = 'inspection' AND NOT above1.is_deleted),
        NULL) AS inspection,
    record.parent_id AS parent,
    1 + (SELECT count(*) FROM record AS other
        WHERE other.parent_id = record.parent_id AND other.table_name = 'repeat'
            AND NOT other.is_deleted
            AND (SELECT value FROM field WHERE record_id = other.id AND name = '@repeat') = 'pump'
            AND (coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = other.id AND name = '@order'), double precision 'Infinity') < coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = record.id AND name = '@order'), double precision 'Infinity')
                OR coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = other.id AND name = '@order'), double precision 'Infinity') = coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = record.id AND name = '@order'), double precision 'Infinity') AND other.id < record.id)) AS position,
    (SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = record.id AND name = 'pump/psi') AS "psi"
FROM record
WHERE record.table_name = 'repeat' AND NOT record.is_deleted
    AND (SELECT value FROM field WHERE record_id = record.id AND name = '@form') = 'Round'
    AND (SELECT value FROM field WHERE record_id = record.id AND name = '@repeat') = 'pump'
    AND coalesce((SELECT above1.id FROM record AS above1
    WHERE above1.id = record.parent_id AND above1.table_name = 'inspection' AND NOT above1.is_deleted),
        NULL) IS NOT NULL;

CREATE VIEW "Round__pump_seal" AS
SELECT record.id AS id,
    coalesce((SELECT above1.id FROM record AS above1
    WHERE above1.id = record.parent_id AND above1.table_name = 'inspection' AND NOT above1.is_deleted),
        (SELECT above2.id FROM record AS above1 JOIN record AS above2 ON above2.id = above1.parent_id
    WHERE above1.id = record.parent_id AND above2.table_name = 'inspection' AND NOT above1.is_deleted AND NOT above2.is_deleted),
        NULL) AS inspection,
    record.parent_id AS parent,
    1 + (SELECT count(*) FROM record AS other
        WHERE other.parent_id = record.parent_id AND other.table_name = 'repeat'
            AND NOT other.is_deleted
            AND (SELECT value FROM field WHERE record_id = other.id AND name = '@repeat') = 'pump/seal'
            AND (coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = other.id AND name = '@order'), double precision 'Infinity') < coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = record.id AND name = '@order'), double precision 'Infinity')
                OR coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = other.id AND name = '@order'), double precision 'Infinity') = coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = record.id AND name = '@order'), double precision 'Infinity') AND other.id < record.id)) AS position,
    (SELECT value FROM field WHERE record_id = record.id AND name = 'pump/seal/state') AS "state"
FROM record
WHERE record.table_name = 'repeat' AND NOT record.is_deleted
    AND (SELECT value FROM field WHERE record_id = record.id AND name = '@form') = 'Round'
    AND (SELECT value FROM field WHERE record_id = record.id AND name = '@repeat') = 'pump/seal'
    AND coalesce((SELECT above1.id FROM record AS above1
    WHERE above1.id = record.parent_id AND above1.table_name = 'inspection' AND NOT above1.is_deleted),
        (SELECT above2.id FROM record AS above1 JOIN record AS above2 ON above2.id = above1.parent_id
    WHERE above1.id = record.parent_id AND above2.table_name = 'inspection' AND NOT above1.is_deleted AND NOT above2.is_deleted),
        NULL) IS NOT NULL;

CREATE VIEW "Round__seal" AS
SELECT record.id AS id,
    coalesce((SELECT above1.id FROM record AS above1
    WHERE above1.id = record.parent_id AND above1.table_name = 'inspection' AND NOT above1.is_deleted),
        NULL) AS inspection,
    record.parent_id AS parent,
    1 + (SELECT count(*) FROM record AS other
        WHERE other.parent_id = record.parent_id AND other.table_name = 'repeat'
            AND NOT other.is_deleted
            AND (SELECT value FROM field WHERE record_id = other.id AND name = '@repeat') = 'seal'
            AND (coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = other.id AND name = '@order'), double precision 'Infinity') < coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = record.id AND name = '@order'), double precision 'Infinity')
                OR coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = other.id AND name = '@order'), double precision 'Infinity') = coalesce((SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = record.id AND name = '@order'), double precision 'Infinity') AND other.id < record.id)) AS position,
    (SELECT CASE WHEN value ~ '^-?[0-9]{1,200}([.][0-9]{1,200})?(e[-+]?[0-9]{1,2})?$' THEN CAST(value AS double precision) END FROM field WHERE record_id = record.id AND name = 'seal/psi') AS "psi"
FROM record
WHERE record.table_name = 'repeat' AND NOT record.is_deleted
    AND (SELECT value FROM field WHERE record_id = record.id AND name = '@form') = 'Round'
    AND (SELECT value FROM field WHERE record_id = record.id AND name = '@repeat') = 'seal'
    AND coalesce((SELECT above1.id FROM record AS above1
    WHERE above1.id = record.parent_id AND above1.table_name = 'inspection' AND NOT above1.is_deleted),
        NULL) IS NOT NULL;
