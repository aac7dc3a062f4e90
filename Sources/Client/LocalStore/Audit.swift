internal import SQLite

/// What must be true of the store between any two transactions.
extension DeviceStore {
    /// Everything that is not as it must be, a line each; empty in a healthy store. Names records
    /// and fields, never a value.
    package func audit() throws -> [String] {
        try read { try $0.brokenRules() }
    }
}

/// What must be true of the rows of a store.
private struct Rule {
    var saying: String
    /// Selects what breaks the rule.
    var sql: String

    static let all = [
        Rule(
            saying: "a waiting change is not what its field shows",
            sql: """
                SELECT record_id, name FROM __sync_waiting AS waiting
                LEFT JOIN field USING (record_id, name)
                WHERE name <> '@deleted' AND field.value IS NOT waiting.value AND seq_id = (
                    SELECT seq_id FROM __sync_waiting AS other
                    WHERE other.record_id = waiting.record_id AND other.name = waiting.name
                    ORDER BY lamport DESC, seq_id DESC LIMIT 1)
                """),
        Rule(
            saying: "a waiting deletion is not what its record shows",
            sql: """
                SELECT record_id FROM __sync_waiting AS waiting JOIN record ON id = record_id
                WHERE name = '@deleted' AND is_deleted IS NOT (value IS 1) AND seq_id = (
                    SELECT seq_id FROM __sync_waiting AS other
                    WHERE other.record_id = waiting.record_id AND other.name = waiting.name
                    ORDER BY lamport DESC, seq_id DESC LIMIT 1)
                """),
        Rule(
            saying: "a waiting change has no shadow",
            sql: """
                SELECT record_id, name FROM __sync_waiting AS waiting
                WHERE name <> '@deleted' AND NOT EXISTS (
                    SELECT 1 FROM __sync_shadow AS shadow
                    WHERE shadow.record_id = waiting.record_id AND shadow.name = waiting.name)
                """),
        Rule(
            saying: "a shadow without a waiting change",
            sql: """
                SELECT record_id, name FROM __sync_shadow AS shadow
                WHERE NOT EXISTS (
                    SELECT 1 FROM __sync_held AS held
                    WHERE held.record_id = shadow.record_id AND held.name = shadow.name)
                AND NOT EXISTS (
                    SELECT 1 FROM __sync_waiting AS waiting
                    WHERE waiting.record_id = shadow.record_id AND waiting.name = shadow.name)
                """),
        Rule(
            saying: "a local value that no mutation carries",
            sql: """
                SELECT record_id, name FROM field
                WHERE version = 0 AND value IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM __sync_shadow AS shadow
                    WHERE shadow.record_id = field.record_id AND shadow.name = field.name)
                AND NOT EXISTS (
                    SELECT 1 FROM __sync_left AS gone WHERE gone.record_id = field.record_id)
                """),
        Rule(
            saying: "a local record that no mutation carries",
            sql: """
                SELECT id FROM record
                WHERE version = 0 AND server_updated_at IS NULL AND NOT EXISTS (
                    SELECT 1 FROM __sync_outbox
                    WHERE record_id = id AND operation = 'INSERT' AND status <> 'ACKNOWLEDGED')
                AND NOT EXISTS (SELECT 1 FROM __sync_left WHERE record_id = id)
                """),
        Rule(
            saying: "a record that is to go without work on it",
            sql: """
                SELECT record_id FROM __sync_left AS gone
                WHERE NOT EXISTS (
                    SELECT 1 FROM __sync_outbox AS waiting
                    WHERE waiting.record_id = gone.record_id AND status <> 'ACKNOWLEDGED')
                AND NOT EXISTS (SELECT 1 FROM draft WHERE draft.record_id = gone.record_id)
                """),
        Rule(
            saying: "a waiting mutation of a record that is not here",
            sql: """
                SELECT mutation_id FROM __sync_outbox
                WHERE status <> 'ACKNOWLEDGED'
                    AND NOT EXISTS (SELECT 1 FROM record WHERE id = record_id)
                """),
        Rule(
            saying: "an update without a field",
            sql: """
                SELECT mutation_id FROM __sync_outbox AS waiting
                WHERE status <> 'ACKNOWLEDGED' AND operation = 'UPDATE' AND NOT EXISTS (
                    SELECT 1 FROM __sync_outbox_field AS entry
                    WHERE entry.seq_id = waiting.seq_id)
                """),
        Rule(
            saying: "the waiting counter is off by",
            sql: """
                SELECT value - counted FROM __sync_metadata, (
                    SELECT count(*) AS counted FROM __sync_outbox
                    WHERE status IN ('PENDING', 'IN_FLIGHT'))
                WHERE key = 'waiting' AND value <> counted
                """),
        Rule(
            saying: "the apply guard is up",
            sql: "SELECT value FROM __sync_metadata WHERE key = 'applying' AND value IS NOT 0"),
        Rule(
            saying: "a change is younger than the Lamport clock",
            sql: """
                SELECT entry.name FROM __sync_outbox_field AS entry, __sync_metadata AS clock
                WHERE clock.key = 'lamport' AND entry.lamport > clock.value
                """),
    ]
}

extension Connection {
    func brokenRules() throws -> [String] {
        let broken = try Rule.all.flatMap { rule in
            try query(rule.sql) { row in
                rule.saying + ": " + row.values.map(\.auditText).joined(separator: " ")
            }
        }
        return try broken + digestFaults() + triggerFaults()
    }

    /// What captures and guards is exactly what this program made: without it edits would be shown
    /// that nothing carries to the server. The triggers of the forms' views write to the tables and
    /// are captured there.
    fileprivate func triggerFaults() throws -> [String] {
        let found = try query(
            """
            SELECT name, sql FROM sqlite_master
            WHERE type = 'trigger' AND tbl_name NOT IN (
                SELECT name FROM sqlite_master WHERE type = 'view')
            """
        ) { (try $0.text(0), try $0.text(1)) }
        let statements = Dictionary(found) { first, _ in first }
        let missing = Triggers.statements.keys.filter { statements[$0] == nil }
        let strange = statements.filter { Triggers.statements[$0.key] != $0.value }.keys
        return missing.sorted().map { "a trigger is missing: \($0)" }
            + strange.sorted().map { "a trigger is not one of this program: \($0)" }
    }
}

extension DatabaseValue {
    fileprivate var auditText: String {
        switch self {
        case .text(let text): text
        case .integer(let integer): String(integer)
        case .null, .real, .blob: "?"
        }
    }
}
