internal import Inspections

/// Rows of repeats and findings are records below their inspection, and share its state.
extension Triggers {
    /// Rows in rows in rows: no form nests deeper than these, and the store's own edits look at the
    /// inspection itself. (A recursive question would say it shorter; no trigger may ask one.)
    private static let deepestRow = 5

    /// A record, and the records that it stands in as far as they are parts of an inspection.
    private static func around(_ record: String) -> String {
        let above = (1...deepestRow).map { depth -> String in
            let joins = (1..<depth).map {
                " JOIN record AS r\($0 + 1) ON r\($0 + 1).id = r\($0).parent_id"
            }
            // A finding stands in its inspection itself, whichever row it is about.
            let rows = (1...depth).map {
                depth == 1
                    ? " AND r\($0).table_name IN ('repeat', 'finding')"
                    : " AND r\($0).table_name = 'repeat'"
            }
            return """
                (SELECT r\(depth).parent_id FROM record AS r1\(joins.joined())
                        WHERE r1.id = \(record)\(rows.joined()))
                """
        }
        return ([record] + above).joined(separator: ",\n                    ")
    }

    /// Refuses where an inspection, or the one that a part of it stands in, is complete or approved.
    static func refusal(ifClosed record: String, _ condition: String) -> String {
        """
            SELECT CASE value
                WHEN 'complete' THEN raise(ABORT, 'walkdown:complete')
                ELSE raise(ABORT, 'walkdown:approved') END
            FROM field
            WHERE \(condition) AND name = '@state' AND value IN ('complete', 'approved')
                AND record_id IN (
                    \(around(record)));
        """
    }

    static let newPartRules = """
            SELECT raise(ABORT, 'walkdown:row')
            WHERE NEW.table_name = 'repeat' AND NOT EXISTS (
                SELECT 1 FROM record
                WHERE id = NEW.parent_id AND is_deleted = 0
                    AND table_name IN ('inspection', 'repeat'));
            SELECT raise(ABORT, 'walkdown:finding')
            WHERE NEW.table_name = 'finding' AND NOT EXISTS (
                SELECT 1 FROM record
                WHERE id = NEW.parent_id AND is_deleted = 0 AND table_name = 'inspection');
        \(refusal(ifClosed: "NEW.parent_id", isPart))
        """

    static let partDeletionRules = refusal(ifClosed: "NEW.id", isPart)

    private static let isPart = "NEW.table_name IN ('repeat', 'finding')"

    /// What the fields of a finding hold. Where it stands, it stays.
    static func findingRules(oldValue: String) -> String {
        """
            SELECT raise(ABORT, 'walkdown:key')
            WHERE NEW.name IN ('@question', '@row') AND (
                \(oldValue) IS NOT NULL
                OR EXISTS (SELECT 1 FROM record WHERE id = NEW.record_id AND version > 0));
            SELECT raise(ABORT, 'walkdown:word')
            WHERE NEW.name IN ('@severity', '@status', '@raisedBy') AND NOT CASE NEW.name
                WHEN '@severity' THEN NEW.value IN (\(words(of: Finding.Severity.self)))
                WHEN '@raisedBy' THEN NEW.value IN (\(words(of: Finding.Raiser.self)))
                ELSE NEW.value IN (\(words(of: Finding.Status.self))) END IS 1;
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
        """
    }

    private static func words<Word: CaseIterable & RawRepresentable<String>>(
        of type: Word.Type
    ) -> String {
        Word.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }
}
