import Coding
import Forms
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

@Suite("SQL on the unlocked store")
struct SQLTests {
    @Test("A form's view reads like a table")
    func viewReads() throws {
        let device = try Device()
        let id = try device.newInspection()
        try device.store.set(
            [("pressure", .double(160.5)), ("health", .string("OPTIMAL"))], on: id)
        let result = try device.store.sql(
            "SELECT id, pressure, health, doors, \"@state\" FROM cold_chain_equipment",
            write: false)
        #expect(result.columns == ["id", "pressure", "health", "doors", "@state"])
        #expect(
            result.rows == [
                [.text(id.rawValue), .real(160.5), .text("OPTIMAL"), .null, "inProgress"]
            ])
        try device.finish()
    }

    @Test("What is written through a view is captured and refused like a key press")
    func viewWrites() throws {
        let device = try Device()
        let id = try device.acceptedInspection([
            ("pressure", .integer(150)), ("doors", .integer(1)),
        ])
        let edit = try device.store.sql(
            "UPDATE cold_chain_equipment SET pressure = 160, notes = 'x', doors = 1 WHERE id = '\(id)'",
            write: true)
        // The doors stay as they were: two changes.
        #expect(edit.captured == 2)
        #expect(try device.queue(id) == ["UPDATE PENDING notes=x on -@0 pressure=160 on 150@1"])
        #expect(throws: StoreError.refused(.limit, field: nil)) {
            try device.store.sql("UPDATE cold_chain_equipment SET pressure = 900", write: true)
        }
        _ = try device.store.sql(
            "UPDATE cold_chain_equipment SET \"@state\" = 'complete', doors = 2", write: true)
        #expect(try device.value("doors", of: id) == .integer(2))
        _ = try device.store.sql(
            "UPDATE cold_chain_equipment SET \"@state\" = 'inProgress', doors = 3", write: true)
        #expect(try device.value("doors", of: id) == .integer(3))
        _ = try device.store.sql("DELETE FROM cold_chain_equipment", write: true)
        #expect(try device.queue(id).last == "DELETE PENDING @deleted=1 on -@1")
        try device.finish()
    }

    @Test("An inspection begins through a view as well")
    func viewInserts() throws {
        let device = try Device()
        _ = try device.store.sql(
            "INSERT INTO cold_chain_equipment (pressure, notes) VALUES (12, 'new')", write: true)
        let id = try device.store.sql("SELECT id FROM cold_chain_equipment", write: false).rows[0][
            0]
        guard case .text(let id) = id else { throw StoreError.damaged("no id") }
        #expect(
            try device.queue(RecordID(id)) == [
                """
                INSERT PENDING @form=cold_chain_equipment on -@0 @formVersion=1 on -@0 \
                @state=inProgress on -@0 notes=new on -@0 pressure=12 on -@0
                """
            ])
        try device.finish()
    }

    private func put(_ id: RecordID, tag: String, in store: DeviceStore) throws {
        try store.edit { database in
            try database.insertRecord(id, table: RecordTable.asset, parent: nil)
            try database.write(.string(tag), to: "@tag", of: id)
        }
    }

    @Test("An inspection of an asset keeps the asset's tag, however it begins")
    func assetTag() throws {
        let device = try Device()
        try put("asset-1", tag: "EQ-1", in: device.store)
        for (id, tag) in [("asset-2", "EQ-2"), ("asset-3", "EQ-2")] {
            try put(RecordID(id), tag: tag, in: device.store)
        }
        let own = try device.store.createInspection(
            form: TestForm.id, version: "1", asset: "asset-1")
        #expect(try device.value("@asset", of: own) == .string("EQ-1"))
        for named in ["EQ-1", "asset-1", "asset-2"] {
            _ = try device.store.sql(
                "INSERT INTO cold_chain_equipment (id, \"@asset\") VALUES ('i \(named)', '\(named)')",
                write: true)
        }
        for (id, tag) in [("i EQ-1", "EQ-1"), ("i asset-1", "EQ-1"), ("i asset-2", "EQ-2")] {
            #expect(try device.value("@asset", of: RecordID(id)) == .string(tag))
            #expect(try device.store.inspection(RecordID(id)).summary.asset == tag)
        }
        for stranger in ["EQ-2", "nobody"] {
            #expect(throws: StoreError.refused(.asset, field: nil)) {
                try device.store.sql(
                    "INSERT INTO cold_chain_equipment (\"@asset\") VALUES ('\(stranger)')",
                    write: true)
            }
        }
        try device.finish()
    }

    private func form(_ id: String, question: String) throws -> FormDefinition {
        try FormDefinition(
            id: id, version: "1", title: id,
            sections: [
                Section(
                    name: "main", title: "Main",
                    questions: [
                        Question(path: question, label: question, type: .text(multiline: false))
                    ])
            ])
    }

    @Test(
        "Forms whose ids differ in case have a view each, with the same names in any order",
        arguments: [
            ["cold", "COLD", "Cold"], ["COLD", "Cold", "cold"], ["Cold", "cold", "COLD"],
        ])
    func viewsOfCases(order: [String]) throws {
        let device = try Device()
        for id in order { try device.store.store(form: form(id, question: "of_" + id)) }
        let views = ["cold": "cold", "Cold": "form_Cold", "COLD": "form_COLD_2"]
        for (id, view) in views {
            let result = try device.store.sql("SELECT * FROM \(view)", write: false)
            #expect(result.columns.contains("of_" + id), "\(id) in \(result.columns)")
            _ = try device.store.sql("INSERT INTO \(view) (of_\(id)) VALUES ('x')", write: true)
        }
        #expect(
            try device.number(
                "SELECT count(DISTINCT value) FROM field WHERE name = '@form'") == 3)
        try device.finish()
    }

    @Test("A form that is called like a table, or like the view of one, has a view of its own")
    func namesOfViews() {
        let ids = ["field", "Field", "form_field", "__sync_x", "plain"]
        let names = SQLViewNames(
            forms: Dictionary(uniqueKeysWithValues: ids.map { ($0, []) }),
            others: ["field", "form"])
        #expect(
            names.forms == [
                "field": "form_field_2", "Field": "form_Field_3", "form_field": "form_field",
                "__sync_x": "form___sync_x", "plain": "plain",
            ])
    }

    @Test(
        "Neither the queue nor the file itself is open to statements",
        arguments: [
            "DELETE FROM __sync_outbox", "UPDATE __sync_metadata SET value = 1",
            "WITH a AS (SELECT 1) DELETE FROM __sync_shadow", "PRAGMA key = 'x'",
            "ATTACH 'other.db' AS other", "DROP TABLE field", "BEGIN", "COMMIT", "VACUUM", "",
            "SELECT 1; DELETE FROM field", "SELECT ?",
        ])
    func forbidden(statement: String) throws {
        let device = try Device()
        _ = try device.newInspection()
        for write in [true, false] {
            #expect(throws: StoreError.self) { try device.store.sql(statement, write: write) }
        }
        #expect(try device.waiting == 1)
        try device.finish()
    }

    @Test(
        "Reading refuses to write",
        arguments: [
            "UPDATE field SET value = 1", "WITH a AS (SELECT 1) DELETE FROM draft",
        ])
    func readingOnly(statement: String) throws {
        let device = try Device()
        _ = try device.newInspection()
        #expect(throws: StoreError.self) { try device.store.sql(statement, write: false) }
        try device.finish()
    }

    @Test(
        "No comment, quote or alias hides what a statement would do",
        arguments: [
            "/*select*/DROP TRIGGER field_updated", "-- select\nDROP TRIGGER field_updated",
            ";DROP TRIGGER field_updated", "/*select*/DELETE FROM __sync_outbox",
            "DELETE FROM \"__sync\u{5f}outbox\"", "DELETE FROM main.[__SYNC_OUTBOX]",
            "/*select*/UPDATE __sync_metadata SET value = 1 WHERE key = 'applying'",
            "DELETE FROM __sync_outbox_field", "DELETE FROM question", "DELETE FROM form",
            "UPDATE question_choice SET name = 'x'", "INSERT INTO draft VALUES ('a', 'b', 'c', 1)",
            "INSERT INTO __sync_waiting (record_id) VALUES ('a')",
            "UPDATE field SET lamport = 9", "UPDATE record SET digest = NULL",
            "UPDATE record SET is_deleted = 1, server_updated_at = 'x'",
            "/*select*/ATTACH 'other.db' AS other", "/*select*/PRAGMA rekey = 'x'",
            "/*select*/PRAGMA recursive_triggers = 0", "CREATE TABLE t (a)",
            "CREATE TEMP TRIGGER t AFTER INSERT ON field BEGIN DELETE FROM __sync_outbox; END",
            "CREATE VIEW v AS SELECT 1", "ALTER TABLE field ADD COLUMN x", "REINDEX", "ANALYZE",
            "SAVEPOINT a", "DROP VIEW cold_chain_equipment", "DETACH other",
            "UPDATE sqlite_master SET sql = ''", "SELECT load_extension('x')",
            "SELECT sqlcipher_export('main')", "EXPLAIN DELETE FROM __sync_outbox",
        ])
    func hidden(statement: String) throws {
        let device = try Device()
        let id = try device.newInspection()
        for write in [true, false] {
            do {
                _ = try device.store.sql(statement, write: write)
                Issue.record("it ran")
            } catch let error as StoreError {
                guard case .statementNotAllowed(let why) = error else {
                    #expect(error.blamesStatement, "\(error)")
                    continue
                }
                #expect(!why.contains("SQLite"), "\(why)")
            }
        }
        #expect(try device.queue(id).count == 1)
        try device.store.set([("notes", .string("x"))], on: id)
        #expect(try device.queue(id).joined().contains("notes=x"))
        try device.finish()
    }

    @Test("What is refused is named")
    func named() throws {
        let device = try Device()
        for (statement, write, sentence) in [
            ("DELETE FROM record", false, "this would change record: edits need --write"),
            ("PRAGMA user_version", true, "PRAGMA is not allowed: only SELECT, INSERT, UPDATE"),
            ("DROP TABLE record", true, "the schema cannot be changed"),
            ("DELETE FROM __sync_outbox", true, "__sync_outbox cannot be changed by a statement"),
            ("UPDATE field SET node = 'x'", true, "field.node cannot be changed"),
            ("SELECT load_extension('x')", true, "the function load_extension cannot be called"),
        ] {
            #expect {
                try device.store.sql(statement, write: write)
            } throws: { error in
                guard case .statementNotAllowed(let why) = error as? StoreError else {
                    return false
                }
                return why.hasPrefix(sentence)
            }
        }
        try device.finish()
    }

    @Test("Comments, recursion and the tables of the queue are open to questions")
    func questions() throws {
        let device = try Device()
        _ = try device.newInspection()
        for write in [true, false] {
            let pending = try device.store.sql(
                "/* drop */ SELECT count(*) FROM __sync_outbox -- all", write: write)
            #expect(pending.rows == [[.integer(1)]])
            let five = try device.store.sql(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
                SELECT sum(i), upper('a') FROM n
                """, write: write)
            #expect(five.rows == [[.integer(15), .text("A")]])
        }
        try device.finish()
    }

    @Test("What goes back to the confirmed value leaves the queue, with its entries")
    func reverted() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1))])
        for (doors, captured) in [(2, Int64(1)), (1, 1)] {
            let result = try device.store.sql(
                "/* fix */ UPDATE cold_chain_equipment SET doors = \(doors)", write: true)
            #expect(result.captured == captured)
        }
        #expect(try device.queue(id) == [])
        _ = try device.store.sql(
            "WITH a AS (SELECT 3 AS n) UPDATE field SET value = (SELECT n FROM a)"
                + " WHERE name = 'doors'", write: true)
        #expect(try device.queue(id) == ["UPDATE PENDING doors=3 on 1@1"])
        #expect(throws: StoreError.refused(.version, field: nil)) {
            try device.store.sql("UPDATE field SET version = 9", write: true)
        }
        try device.finish()
    }

    @Test("The audit knows the triggers: one that is gone, changed or strange is named")
    func tamperedTriggers() throws {
        let device = try Device()
        let raw = try device.openRaw()
        try raw.run(
            script: """
                DROP TRIGGER field_updated;
                DROP TRIGGER field_key;
                CREATE TRIGGER field_key BEFORE UPDATE OF name ON field BEGIN SELECT 1; END;
                CREATE TRIGGER mine AFTER DELETE ON draft BEGIN SELECT 1; END;
                """)
        try raw.close()
        #expect(
            try device.store.audit() == [
                "a trigger is missing: field_updated",
                "a trigger is not one of this program: field_key",
                "a trigger is not one of this program: mine",
            ])
        try device.store.close()
    }

    @Test("A form that is called like a part of the queue takes nothing away")
    func reservedName() throws {
        let device = try Device()
        let form = try TestForm.coldChain
        let named = try FormDefinition(
            id: "__sync_waiting", version: "1", title: "Odd", sections: form.sections)
        try device.store.store(form: named)
        let id = try device.newInspection()
        try device.store.set([("notes", .string("x"))], on: id)
        #expect(
            try device.store.sql("SELECT count(*) FROM \"form___sync_waiting\"", write: false).rows
                == [[.integer(0)]])
        try device.finish()
    }

    @Test("A form is given back as it was stored, and its newer version takes over the view")
    func forms() throws {
        let device = try Device()
        let form = try TestForm.coldChain
        #expect(try device.store.form(TestForm.id, version: "1").definition == form)
        try device.store.store(form: form, state: "closed", etag: "e2")
        #expect(try device.store.form(TestForm.id, version: "1").etag == "e2")
        #expect(throws: StoreError.unknownForm(id: "none", version: "1")) {
            try device.store.form("none", version: "1")
        }
        #expect(throws: StoreError.unknownForm(id: "none", version: "1")) {
            try device.store.createInspection(form: "none", version: "1", asset: nil)
        }
        #expect(throws: StoreError.unknownRecord("no-asset")) {
            try device.store.createInspection(form: TestForm.id, version: "1", asset: "no-asset")
        }
        try device.finish()
    }
}

@Suite("A store that is closed")
struct ClosingTests {
    @Test("Late calls are told that the store is locked, not crashed")
    func lateCalls() throws {
        let device = try Device()
        let id = try device.newInspection()
        try device.store.close()
        #expect(throws: StoreError.closed) { try device.store.set([("doors", .null)], on: id) }
        #expect(throws: StoreError.closed) { try device.store.values(of: id) }
        #expect(throws: StoreError.closed) { try device.store.close() }
        try device.reopen(closed: true)
        try device.finish()
    }
}
