import Coding
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

@Suite("What the triggers refuse")
struct ConstraintTests {
    private func expect(
        _ refusal: Refusal, on device: Device, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) throws {
        let before = try device.number("SELECT count(*) FROM __sync_outbox_field")
        do {
            try body()
            Issue.record("was not refused as \(refusal)", sourceLocation: sourceLocation)
        } catch let error as StoreError {
            guard case .refused(let found, _) = error else {
                Issue.record("\(error)", sourceLocation: sourceLocation)
                return
            }
            #expect(found == refusal, sourceLocation: sourceLocation)
        }
        #expect(
            try device.number("SELECT count(*) FROM __sync_outbox_field") == before,
            sourceLocation: sourceLocation)
    }

    @Test(
        "Types, choices and hard limits of the form hold in the database too",
        arguments: [
            ("pressure", .string("160"), .type), ("pressure", .integer(501), .limit),
            ("pressure", .double(-0.5), .limit), ("doors", .double(1.5), .type),
            ("health", .string("GOOD"), .choice), ("health", .integer(1), .type),
            ("checked_on", .string("tomorrow"), .type), ("notes", .integer(5), .type),
            ("unknown", .integer(5), .question), ("notes", .string("a\0b"), .text),
            ("notes", .string(String(repeating: "é", count: 32_769)), .text),
            ("@state", .string("approved"), .state), ("@state", .null, .state),
            ("checked_on", .string("2026-13-45"), .type),
            ("checked_on", .string("2026-02-29"), .type),
            ("@state", .integer(1), .state), ("@state", .string("nonsense"), .state),
            ("@form", .null, .form), ("@form", .integer(5), .form), ("@form", .string("x"), .form),
            ("@formVersion", .null, .form), ("@formVersion", .integer(1), .form),
            ("@formVersion", .string("2"), .form), ("@formVersion", .string(""), .form),
            ("@due", .integer(5), .day), ("@due", .string(""), .day),
            ("@due", .string("2026-13-45"), .day), ("@due", .string("2026-02-29"), .day),
            ("@due", .string("2026-04-31"), .day), ("@due", .string("2026-3-9"), .day),
            ("@due", .string("0000-01-01"), .day), ("@due", .string("2026-03-09T00:00"), .day),
            ("@asset", .integer(5), .type), ("@title", .double(1.5), .type),
            ("@assignee", .integer(5), .type), ("@comment", .integer(5), .type),
        ] as [(FieldName, FieldValue, Refusal)])
    func answers(field: FieldName, value: FieldValue, refusal: Refusal) throws {
        let device = try Device()
        let id = try device.newInspection()
        try expect(refusal, on: device) { try device.store.set([(field, value)], on: id) }
        #expect(try device.value("notes", of: id) == .null)
        try device.finish()
    }

    @Test(
        "What the form allows is stored as it was given",
        arguments: [
            ("pressure", .integer(0)), ("pressure", .double(160.5)), ("pressure", .integer(500)),
            ("doors", .integer(.min)), ("health", .string("WARNING")),
            ("checked_on", .string("2026-03-14")), ("notes", .string("")),
            ("checked_on", .string("2028-02-29")), ("@due", .string("2028-02-29")),
            ("@due", .string("9999-12-31")), ("@title", .string("Round")),
            ("@asset", .string("EQ-1")),
            ("notes", .string(String(repeating: "x", count: 65_536))),
        ] as [(FieldName, FieldValue)])
    func allowed(field: FieldName, value: FieldValue) throws {
        let device = try Device()
        let id = try device.newInspection()
        try device.store.set([(field, value)], on: id)
        #expect(try device.value(field, of: id) == value)
        try device.finish()
    }

    @Test(
        "T28 F25 text is kept byte for byte or refused with words",
        arguments: [
            "\u{FFFE}", "\u{202E}right to left", "👩‍🔧 ❄️", "e\u{301}", "\u{E9}", "\u{10FFFF}",
            "\n\t", "\u{FEFF}x", "\u{2028}",
            "'; DROP TABLE field; --",
        ])
    func text(text: String) throws {
        let device = try Device()
        let id = try device.newInspection()
        try device.store.set([("notes", .string(text))], on: id)
        try device.reopen()
        #expect(try device.value("notes", of: id) == .string(text))
        try device.finish()
    }

    @Test(
        "T28 F25 controls, invalid UTF-8, lone surrogates, infinity and blobs cannot come in by SQL either"
    )
    func badValues() throws {
        let device = try Device()
        let id = try device.newInspection()
        let cases: [(String, Refusal)] = [
            ("CAST(x'ff41' AS TEXT)", .text), ("CAST(x'eda080' AS TEXT)", .text),
            ("CAST(x'4100' AS TEXT)", .text), ("'a' || char(13) || 'b'", .text),
            ("char(27) || '[2J'", .text), ("char(127)", .text), ("char(155)", .text),
            ("x'41'", .type), ("9e999", .type), ("-9e999", .type),
        ]
        for (literal, refusal) in cases {
            try expect(refusal, on: device) {
                _ = try device.store.sql(
                    """
                    INSERT INTO field (record_id, name, value)
                    VALUES ('\(id)', '@title', \(literal))
                    """, write: true)
            }
        }
        try device.finish()
    }

    @Test("Form and version stay as an inspection began, also where the server has it by now")
    func formIsKept() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1))])
        let view = "cold_chain_equipment"
        for value in ["NULL", "1", "'2'", "''"] {
            for column in ["@form", "@formVersion"] {
                try expect(.form, on: device) {
                    _ = try device.store.sql(
                        "UPDATE field SET value = \(value) WHERE name = '\(column)'", write: true)
                }
            }
            try expect(.form, on: device) {
                _ = try device.store.sql(
                    "UPDATE \(view) SET \"@formVersion\" = \(value)", write: true)
            }
        }
        for value in ["5", "''"] {
            try expect(.type, on: device) {
                _ = try device.store.sql(
                    "INSERT INTO \(view) (\"@formVersion\") VALUES (\(value))", write: true)
            }
        }
        try device.store.set([("@title", .string("x")), ("@due", .string("2026-03-09"))], on: id)
        try device.store.set([("@title", .null), ("@due", .null)], on: id)
        #expect(try device.queue(id) == [])
        try device.finish()
    }

    @Test("A store from before a rule gets it, with the views of its forms")
    func renewed() throws {
        let device = try Device()
        let id = try device.newInspection()
        try device.store.close()
        let old = try device.openRaw()
        for step in ["moves to another version", "choices made of rows"] {
            try old.execute("DELETE FROM schema_migration WHERE name = ?", [.text(step)])
        }
        try old.execute("DROP TRIGGER field_update_allowed")
        try old.execute("DROP VIEW cold_chain_equipment")
        try old.close()
        try device.reopen(closed: true)
        try expect(.form, on: device) {
            _ = try device.store.sql(
                "UPDATE cold_chain_equipment SET \"@formVersion\" = NULL", write: true)
        }
        #expect(try device.value("@formVersion", of: id) == .string("1"))
        try device.finish()
    }

    @Test("A refusal names the field only where its value is the matter")
    func sentences() {
        let full = StoreError.refused(.queueFull, field: "@state").description
        #expect(full == Refusal.queueFull.sentence)
        #expect(StoreError.refused(.limit, field: "doors").description.hasPrefix("doors: "))
    }

    @Test("T55 counters are whole numbers from end to end")
    func wholeCounters() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("pressure", .integer(1))])
        try device.store.set([("pressure", .double(2.5))], on: id)
        for column in ["field.lamport", "field.version", "__sync_outbox_field.base_version"] {
            let table = column.split(separator: ".")[0]
            #expect(
                try device.number(
                    "SELECT count(*) FROM \(table) WHERE typeof(\(column)) <> 'integer'") == 0)
        }
        try device.finish()
    }

    @Test(
        "T73 no statement replaces, deletes or re-keys a row past the capture",
        arguments: [
            (
                "INSERT OR REPLACE INTO field (record_id, name, value) VALUES (:id, 'doors', 9)",
                .exists
            ),
            ("REPLACE INTO record (id, table_name) VALUES (:id, 'inspection')", .exists),
            (
                "INSERT OR IGNORE INTO field (record_id, name, value) VALUES (:id, 'doors', 9)",
                .exists
            ),
            (
                "UPDATE OR REPLACE field SET name = 'doors' WHERE record_id = :id AND name = 'notes'",
                .key
            ),
            ("UPDATE OR IGNORE field SET record_id = 'other' WHERE record_id = :id", .key),
            ("UPDATE record SET id = 'other' WHERE id = :id", .key),
            ("UPDATE record SET parent_id = 'other' WHERE id = :id", .key),
            ("UPDATE record SET table_name = 'site' WHERE id = :id", .key),
            ("UPDATE record SET version = 9 WHERE id = :id", .version),
            ("UPDATE field SET version = 9 WHERE record_id = :id", .version),
            ("DELETE FROM field WHERE record_id = :id", .delete),
            ("DELETE FROM record WHERE id = :id", .delete),
            ("INSERT INTO record (id, table_name, version) VALUES ('x', 'asset', 3)", .record),
            ("INSERT INTO field (record_id, name, value) VALUES ('nobody', 'doors', 1)", .noRecord),
        ] as [(String, Refusal)])
    func keys(sql: String, refusal: Refusal) throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1)), ("notes", .string("n"))])
        let statement = sql.replacing(":id", with: "'\(id)'")
        for recursive in ["ON", "OFF"] {
            try device.store.writer.perform {
                try $0.run(script: "PRAGMA recursive_triggers = \(recursive)")
            }
            try expect(refusal, on: device) { _ = try device.store.sql(statement, write: true) }
        }
        #expect(try device.value("doors", of: id) == .integer(1))
        #expect(try device.queue(id) == [])
        try device.finish()
    }

    @Test("T73 every conflict clause of the outer statement leaves the capture whole")
    func outerClauses() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1))])
        for (number, clause) in ["ABORT", "FAIL", "IGNORE", "REPLACE", "ROLLBACK"].enumerated() {
            _ = try device.store.sql(
                "UPDATE OR \(clause) field SET value = \(number + 2) WHERE name = 'doors'",
                write: true)
            #expect(try device.queue(id) == ["UPDATE PENDING doors=\(number + 2) on 1@1"])
        }
        try device.finish()
    }

    @Test("A queue row that cannot stand undoes the edit, also under OR IGNORE")
    func uncaptured() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.writer.perform { database in
            try database.registerFunction("walkdown_uuid", arguments: 0, deterministic: false) {
                _ in
                // The id of a mutation that is in the queue already.
                .text("taken")
            }
        }
        try device.store.set([("notes", .string("first"))], on: id)
        try device.mark(id, "IN_FLIGHT")
        try expect(.uncaptured, on: device) {
            _ = try device.store.sql(
                "UPDATE OR IGNORE field SET value = 2 WHERE name = 'doors'", write: true)
        }
        #expect(try device.value("doors", of: id) == .integer(1))
        try device.finish()
    }

    @Test("Another program's write fails for want of our functions instead of going uncaptured")
    func foreignProgram() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.close()
        let other = try device.openRaw()
        #expect(throws: SQLiteError.self) {
            try other.execute("UPDATE field SET value = 2 WHERE name = 'doors'")
        }
        try other.close()
        try device.reopen(closed: true)
        #expect(try device.value("doors", of: id) == .integer(1))
        try device.finish()
    }

    @Test("A complete inspection takes no answers, an approved one nothing at all")
    func locked() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.complete(id)
        try expect(.complete, on: device) {
            try device.store.set([("doors", .integer(2))], on: id)
        }
        try device.accept(id, version: 2)
        try device.store.settle { database in
            try database.execute("UPDATE field SET value = 'approved' WHERE name = '@state'")
        }
        try expect(.approved, on: device) {
            try device.store.set([("doors", .integer(2))], on: id)
        }
        try expect(.state, on: device) { try device.store.reopen(id) }
        try expect(.approved, on: device) { try device.store.delete(id) }
        try device.finish()
    }

    @Test("At the queue limit nothing new begins, and what has begun goes on")
    func queueLimit() throws {
        let device = try Device()
        let first = try device.acceptedInspection()
        let second = try device.acceptedInspection()
        try device.store.setQueueLimit(1)
        #expect(try device.store.queueLimit() == 1)
        try device.store.set([("doors", .integer(1))], on: first)
        #expect(try device.store.waiting() == 1)
        try expect(.queueFull, on: device) {
            try device.store.set([("doors", .integer(1))], on: second)
        }
        try expect(.queueFull, on: device) { _ = try device.newInspection() }
        try expect(.queueFull, on: device) { try device.store.delete(second) }
        try device.store.set([("doors", .integer(2)), ("notes", .string("x"))], on: first)
        try device.mark(first, "FAILED")
        #expect(try device.waiting == 0)
        try device.store.set([("doors", .integer(1))], on: second)
        for mutation in try device.store.writer.read({ try $0.waitingMutations(of: first) }) {
            try device.store.retry(MutationID(mutation.id))
        }
        #expect(try device.waiting == 2)
        try device.finish()
    }

    @Test("A reader's store refuses edits and sees what is committed")
    func reader() throws {
        let device = try Device()
        let id = try device.newInspection()
        let reader = try device.openReader()
        #expect(throws: StoreError.readOnly) {
            try reader.set([("doors", .integer(1))], on: id)
        }
        try device.store.set([("doors", .integer(3))], on: id)
        #expect(try reader.values(of: id)["doors"] == .integer(3))
        try reader.close()
        try device.finish()
    }
}
