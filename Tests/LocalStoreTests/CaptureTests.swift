import Coding
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

@Suite("Capture by triggers")
struct CaptureTests {
    @Test("A new inspection and its answers are one INSERT")
    func insert() throws {
        let device = try Device()
        let id = try device.newInspection()
        try device.store.set([("pressure", .double(160.5)), ("doors", .integer(4))], on: id)
        #expect(
            try device.queue(id) == [
                """
                INSERT PENDING @form=cold_chain_equipment on -@0 @formVersion=1 on -@0 \
                @state=inProgress on -@0 doors=4 on -@0 pressure=160.5 on -@0
                """
            ])
        #expect(try device.waiting == 1)
        try device.finish()
    }

    @Test("The first change keeps what was confirmed as its base, later ones amend it")
    func amend() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("pressure", .integer(150))])
        for value in [151, 152, 153] {
            try device.store.set([("pressure", .integer(Int64(value)))], on: id)
        }
        try device.store.set([("notes", .string("frost"))], on: id)
        #expect(
            try device.queue(id) == ["UPDATE PENDING notes=frost on -@0 pressure=153 on 150@1"])
        try device.finish()
    }

    @Test("NULL to a value and a value to NULL are changes, the same value is none")
    func nulls() throws {
        let device = try Device()
        let id = try device.acceptedInspection([
            ("pressure", .integer(150)), ("doors", .integer(1)),
        ])
        try device.store.set([("pressure", .null), ("facility", .string("Depot"))], on: id)
        try device.store.set([("doors", .integer(1))], on: id)
        #expect(
            try device.queue(id) == ["UPDATE PENDING facility=Depot on -@0 pressure=- on 150@1"])
        #expect(try device.value("pressure", of: id) == .null)
        try device.finish()
    }

    @Test("An unsent edit back to the confirmed value leaves nothing to send")
    func revert() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("pressure", .integer(150))])
        try device.store.set([("pressure", .integer(160)), ("doors", .integer(2))], on: id)
        try device.store.set([("doors", .null)], on: id)
        #expect(try device.queue(id) == ["UPDATE PENDING pressure=160 on 150@1"])
        try device.store.set([("pressure", .integer(150))], on: id)
        #expect(try device.queue(id) == [])
        #expect(try device.waiting == 0)
        #expect(try device.number("SELECT count(*) FROM __sync_shadow") == 0)
        try device.finish()
    }

    @Test("T31 coalescing never touches an in-flight entry", arguments: [true, false])
    func inFlight(sealedOnly: Bool) throws {
        let device = try Device()
        let id = try device.acceptedInspection([("pressure", .integer(150))])
        try device.store.set([("pressure", .integer(160))], on: id)
        try device.mark(id, sealedOnly ? "PENDING" : "IN_FLIGHT")
        try device.store.set([("pressure", .integer(170))], on: id)
        try device.store.set([("pressure", .integer(150))], on: id)
        #expect(
            try device.queue(id) == [
                "UPDATE \(sealedOnly ? "PENDING" : "IN_FLIGHT") pressure=160 on 150@1",
                "UPDATE PENDING pressure=150 on 160@1",
            ])
        try device.finish()
    }

    @Test("T04 five quick edits while one is under way keep one base and the last value")
    func quickEdits() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("notes", .string("a"))])
        try device.store.set([("notes", .string("b"))], on: id)
        try device.mark(id, "IN_FLIGHT")
        for text in ["c", "d", "e", "f"] {
            try device.store.set([("notes", .string(text))], on: id)
        }
        #expect(
            try device.queue(id) == [
                "UPDATE IN_FLIGHT notes=b on a@1", "UPDATE PENDING notes=f on b@1",
            ])
        try device.finish()
    }

    @Test("A change of the state begins a mutation, which later answers may amend")
    func stateChange() throws {
        let device = try Device()
        let id = try device.acceptedInspection()
        try device.store.set([("doors", .integer(1))], on: id)
        try device.store.complete(id)
        #expect(
            try device.queue(id) == [
                "UPDATE PENDING doors=1 on -@0", "UPDATE PENDING @state=complete on inProgress@1",
            ])
        try device.store.reopen(id)
        #expect(try device.queue(id) == ["UPDATE PENDING doors=1 on -@0"])
        try device.store.complete(id)
        try device.mark(id, "IN_FLIGHT")
        try device.store.reopen(id)
        try device.store.set([("doors", .integer(2))], on: id)
        #expect(
            try device.queue(id).last
                == "UPDATE PENDING @state=inProgress on complete@1 doors=2 on 1@0")
        try device.finish()
    }

    @Test("The first answer on an assigned inspection moves it on in the same mutation")
    func assigned() throws {
        let device = try Device()
        let id = try assignedInspection(on: device)
        try device.store.set([("doors", .integer(1)), ("notes", .string("x"))], on: id)
        #expect(
            try device.queue(id) == [
                "UPDATE PENDING @state=inProgress on assigned@1 doors=1 on -@0 notes=x on -@0"
            ])
        #expect(try device.waiting == 1)
        try device.finish()
    }

    private func assignedInspection(on device: Device) throws -> RecordID {
        let id = try device.acceptedInspection()
        try device.store.settle { database in
            try database.execute(
                "UPDATE field SET value = 'assigned' WHERE record_id = ? AND name = '@state'",
                [.text(id.rawValue)])
        }
        return id
    }

    @Test("Each captured field takes the next Lamport count, and this device's name")
    func lamport() throws {
        let device = try Device()
        let id = try device.acceptedInspection()
        let before =
            try device.number("SELECT value FROM __sync_metadata WHERE key = 'lamport'") ?? 0
        try device.store.set([("doors", .integer(1)), ("notes", .string("x"))], on: id)
        try device.store.set([("doors", .integer(2))], on: id)
        #expect(
            try device.number("SELECT lamport FROM field WHERE name = 'notes' AND node = 'node-a'")
                == before + 2)
        #expect(
            try device.number("SELECT lamport FROM field WHERE name = 'doors' AND node = 'node-a'")
                == before + 3)
        #expect(
            try device.number("SELECT max(lamport) FROM __sync_outbox WHERE status = 'PENDING'")
                == before + 3)
        try device.finish()
    }

    @Test("T74 applied rows are not captured, and a crash inside leaves the guard down")
    func applyGuard() throws {
        struct Crash: Error {}
        let device = try Device()
        try device.store.settle { database in
            for number in 0..<1000 {
                let id = "pulled-\(number)"
                try database.execute(
                    "INSERT INTO record (id, table_name, version) VALUES (?, 'asset', 1)",
                    [.text(id)])
                try database.execute(
                    """
                    INSERT INTO field (record_id, name, value, lamport, node, version)
                    VALUES (?, '@tag', ?, 9, 'node-b', 1)
                    """, [.text(id), .text("T\(number)")])
            }
        }
        #expect(try device.number("SELECT count(*) FROM __sync_outbox") == 0)
        #expect(throws: Crash.self) { try device.store.settle { _ in throw Crash() } }
        try device.store.set([("@tag", .string("X"))], on: "pulled-7")
        #expect(try device.queue("pulled-7") == ["UPDATE PENDING @tag=X on T7@1"])
        try device.finish()
    }

    @Test("A mutation takes no more than 256 KiB, then another one begins")
    func size() throws {
        let device = try Device()
        let id = try device.acceptedInspection()
        let long = String(repeating: "x", count: 60_000)
        for field in ["notes", "facility", "@title", "@comment", "@assignee", "@asset"] {
            try device.store.set([(field, .string(long))], on: id)
        }
        #expect(try device.queue(id).count == 2)
        try device.finish()
    }

    @Test("Deleting: a tombstone after what waits; an unsent record vanishes with its children")
    func deletion() throws {
        let device = try Device()
        let sent = try device.acceptedInspection()
        try device.store.set([("doors", .integer(1))], on: sent)
        try device.store.delete(sent)
        #expect(
            try device.queue(sent) == [
                "UPDATE PENDING doors=1 on -@0", "DELETE PENDING @deleted=1 on -@1",
            ])
        let unsent = try device.newInspection()
        try device.store.edit { database in
            try database.insertRecord("finding-1", table: "finding", parent: unsent)
            try database.write(.string("leak"), to: "note", of: "finding-1")
        }
        try device.store.delete(unsent)
        #expect(try device.queue(unsent) + device.queue("finding-1") == [])
        #expect(try device.number("SELECT count(*) FROM record") == 1)
        #expect(
            try device.number(
                "SELECT count(*) FROM __sync_history WHERE record_id = 'finding-1'") == 1)
        try device.finish()
    }

    @Test("Edits, drafts and the queue survive the end of the process")
    func reopening() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("pressure", .integer(150))])
        try device.store.set([("pressure", .integer(160))], on: id)
        try device.store.saveDraft("fros", of: "notes", in: id)
        try device.reopen()
        #expect(try device.queue(id) == ["UPDATE PENDING pressure=160 on 150@1"])
        #expect(try device.store.draft(of: "notes", in: id)?.text == "fros")
        try device.store.set([("notes", .string("frost"))], on: id)
        #expect(try device.store.drafts(in: id) == [])
        try device.finish()
    }

    @Test("The SQL of the triggers is what was reviewed")
    func golden() {
        Golden(folder: "Golden").expect(Triggers.script + "\n", matches: "triggers.sql")
    }
}
