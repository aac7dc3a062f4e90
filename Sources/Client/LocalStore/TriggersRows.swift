/// Rows of repeats are records below their inspection, and share its state.
extension Triggers {
    /// Rows in rows in rows: no form nests deeper than these, and the store's own edits look at the
    /// inspection itself. (A recursive question would say it shorter; no trigger may ask one.)
    private static let deepestRow = 5

    /// A record, and the records that it stands in as far as they are rows of an inspection.
    private static func around(_ record: String) -> String {
        let above = (1...deepestRow).map { depth -> String in
            let joins = (1..<depth).map {
                " JOIN record AS r\($0 + 1) ON r\($0 + 1).id = r\($0).parent_id"
            }
            let rows = (1...depth).map { " AND r\($0).table_name = 'repeat'" }
            return """
                (SELECT r\(depth).parent_id FROM record AS r1\(joins.joined())
                        WHERE r1.id = \(record)\(rows.joined()))
                """
        }
        return ([record] + above).joined(separator: ",\n                    ")
    }

    /// Refuses where an inspection, or the one that a row stands in, is complete or approved.
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

    static let newRowRules = """
            SELECT raise(ABORT, 'walkdown:row')
            WHERE NEW.table_name = 'repeat' AND NOT EXISTS (
                SELECT 1 FROM record
                WHERE id = NEW.parent_id AND is_deleted = 0
                    AND table_name IN ('inspection', 'repeat'));
        \(refusal(ifClosed: "NEW.parent_id", "NEW.table_name = 'repeat'"))
        """

    static let rowDeletionRules = refusal(ifClosed: "NEW.id", "NEW.table_name = 'repeat'")
}
