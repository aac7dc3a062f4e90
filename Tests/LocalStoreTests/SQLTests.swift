import Coding
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
