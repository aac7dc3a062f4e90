import Coding
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

@Suite("Retry, discard, resolve")
struct DecisionTests {
    private func mutations(_ device: Device, _ id: RecordID) throws -> [MutationID] {
        try device.store.writer.read { database in
            try database.waitingMutations(of: id).map { MutationID($0.id) }
        }
    }

    /// Marks the newest mutation as in conflict with what the server has.
    private func conflict(
        _ device: Device, _ id: RecordID, _ field: FieldName, base: FieldValue, mine: FieldValue,
        theirs: FieldValue, version: Int64
    ) throws {
        try device.mark(id, "CONFLICT")
        let snapshot = ConflictSnapshot(
            conflicts: [
                FieldConflict(
                    column: field, base: base, mine: mine, theirs: theirs, theirsNode: "node-b",
                    rule: "ask")
            ],
            record: WireRecord(
                table: "inspection", id: id, parent: nil, version: version,
                fields: [
                    field: WireRecord.Field(
                        value: theirs, stamp: Stamp(lamport: 7, node: "node-b"), version: version)
                ], updatedAtUtc: ""))
        try device.store.settle { database in
            try database.execute(
                "UPDATE __sync_outbox SET server_snapshot = ? WHERE status = 'CONFLICT'",
                [.text(snapshot.stored)])
            try database.execute(
                """
                UPDATE __sync_shadow SET value = ?, version = ?, node = 'node-b', lamport = 7
                WHERE record_id = ? AND name = ?
                """,
                [DatabaseValue(theirs), .integer(version), .text(id.rawValue), .text(field)])
        }
    }

    @Test("A retry absorbs later unsent mutations into a new one, each field on its own base")
    func retry() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1)), ("notes", .string("a"))])
        try device.store.set([("doors", .integer(2))], on: id)
        let failed = try #require(try mutations(device, id).first)
        try device.mark(id, "FAILED")
        try device.store.set([("notes", .string("b"))], on: id)
        let renewed = try device.store.retry(failed)
        #expect(try device.queue(id) == ["UPDATE PENDING doors=2 on 1@1 notes=b on a@1"])
        #expect(try mutations(device, id) == [renewed].compactMap(\.self))
        #expect(renewed != failed)
        try device.finish()
    }

    @Test("An edit of a failed field is the retry")
    func editOfFailed() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.set([("doors", .integer(2))], on: id)
        try device.mark(id, "FAILED")
        try device.store.set([("doors", .integer(3))], on: id)
        #expect(try device.queue(id) == ["UPDATE PENDING doors=3 on 1@1"])
        #expect(try device.waiting == 1)
        try device.finish()
    }

    @Test("Only a failed mutation is retried")
    func retryOfPending() throws {
        let device = try Device()
        let id = try device.newInspection()
        let pending = try #require(try mutations(device, id).first)
        #expect(throws: StoreError.wrongStatus(mutation: pending.rawValue, status: "PENDING")) {
            try device.store.retry(pending)
        }
        #expect(throws: StoreError.unknownMutation("nothing")) {
            try device.store.retry("nothing")
        }
        try device.finish()
    }

    @Test("Discarding shows the confirmed value again, unless a later change names the field")
    func discard() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1)), ("notes", .string("a"))])
        try device.store.set([("doors", .integer(2)), ("notes", .string("b"))], on: id)
        let failed = try #require(try mutations(device, id).first)
        try device.mark(id, "IN_FLIGHT")
        try device.store.set([("notes", .string("c"))], on: id)
        try device.store.settle { database in
            try database.execute(
                "UPDATE __sync_outbox SET status = 'FAILED' WHERE status = 'IN_FLIGHT'")
        }
        try device.store.discard(failed)
        #expect(try device.value("doors", of: id) == .integer(1))
        #expect(try device.queue(id) == ["UPDATE PENDING notes=c on a@1"])
        #expect(
            try device.number("SELECT count(*) FROM __sync_history WHERE rule = 'discarded'") == 2)
        try device.finish()
    }

    @Test("Discarding a failed INSERT takes what hangs on it, and says so before")
    func discardInsert() throws {
        let device = try Device()
        let id = try device.newInspection()
        try device.store.edit { database in
            try database.insertRecord("finding-1", table: "finding", parent: id)
            try database.insertRecord("photo-1", table: "attachment", parent: "finding-1")
            try database.write(.string("leak"), to: "note", of: "finding-1")
        }
        try device.mark(id, "FAILED")
        let failed = try #require(try mutations(device, id).first)
        #expect(
            try device.store.recordsRemoved(byDiscarding: failed) == [id, "finding-1", "photo-1"])
        try device.store.discard(failed)
        #expect(try device.number("SELECT count(*) FROM record") == 0)
        #expect(try device.waiting == 0)
        try device.finish()
    }

    @Test("Discarding a failed INSERT leaves a record that the server has all the same")
    func discardKnownInsert() throws {
        let device = try Device()
        let server = StoryServer()
        let id = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        // It arrived, and every answer broke on its way.
        _ = try server.push(batch)
        try device.store.fail(batch.mutations[0].id, error: "the server failed")
        try device.pullAll(from: server)
        #expect(try device.store.recordsRemoved(byDiscarding: batch.mutations[0].id) == [])
        try device.store.discard(batch.mutations[0].id)
        #expect(try device.store.inspections().map(\.id) == [id])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("A discarded deletion brings the record back")
    func discardDeletion() throws {
        let device = try Device()
        let id = try device.acceptedInspectionOf(StoryServer())
        try device.store.delete(id)
        try device.mark(id, "FAILED")
        try device.store.discard(try #require(try mutations(device, id).first))
        #expect(try device.number("SELECT is_deleted FROM record") == 0)
        try device.finish()
    }

    @Test("What is under way cannot be discarded")
    func discardInFlight() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1))])
        try device.store.set([("doors", .integer(2))], on: id)
        try device.mark(id, "IN_FLIGHT")
        let flying = try #require(try mutations(device, id).first)
        #expect(throws: StoreError.self) { try device.store.discard(flying) }
        #expect(try device.queue(id).count == 1)
        try device.finish()
    }

    @Test(
        "A resolution is a new mutation on the version that was shown",
        arguments: [
            (Resolution.mine, "160 on 155@5", FieldValue.integer(160)),
            (.value(.integer(158)), "158 on 155@5", .integer(158)),
            (.theirs, "", .integer(155)), (.value(.integer(155)), "", .integer(155)),
        ] as [(Resolution, String, FieldValue)])
    func resolve(resolution: Resolution, entry: String, shown: FieldValue) throws {
        let device = try Device()
        let id = try device.acceptedInspection([("pressure", .integer(150))])
        try device.store.set([("pressure", .integer(160))], on: id)
        try conflict(
            device, id, "pressure", base: .integer(150), mine: .integer(160),
            theirs: .integer(155), version: 5)
        let old = try mutations(device, id)
        try device.store.set([("notes", .string("later"))], on: id)
        try device.store.resolve(id, ["pressure": resolution])
        let fields = ["notes=later on -@0"] + (entry.isEmpty ? [] : ["pressure=" + entry])
        #expect(try device.queue(id) == ["UPDATE PENDING " + fields.joined(separator: " ")])
        #expect(try mutations(device, id).filter(old.contains) == [])
        #expect(try device.value("pressure", of: id) == shown)
        try device.finish()
    }

    @Test("A resolution decides every field in conflict and no other")
    func incomplete() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("pressure", .integer(150))])
        try device.store.set([("pressure", .integer(160)), ("doors", .integer(1))], on: id)
        try conflict(
            device, id, "pressure", base: .integer(150), mine: .integer(160),
            theirs: .integer(155), version: 5)
        #expect(throws: StoreError.unresolved(["pressure"])) {
            try device.store.resolve(id, [:])
        }
        #expect(throws: StoreError.notInConflict(["doors"])) {
            try device.store.resolve(id, ["pressure": .mine, "doors": .mine])
        }
        #expect(try device.queue(id).count == 1)
        try device.store.resolve(id, ["pressure": .theirs])
        #expect(throws: StoreError.notInConflict(["pressure"])) {
            try device.store.resolve(id, ["pressure": .theirs])
        }
        try device.finish()
    }

    @Test("A held field keeps the version that was shown as its base while a pull goes by")
    func held() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("pressure", .integer(150))])
        try device.store.hold(["pressure"], of: id)
        try pull(device, id, "pressure", .integer(155), version: 6)
        #expect(try device.value("pressure", of: id) == .integer(150))
        try device.store.set([("pressure", .integer(160))], on: id)
        try device.store.release(["pressure"], of: id)
        #expect(try device.queue(id) == ["UPDATE PENDING pressure=160 on 150@1"])
        try device.finish()
    }

    @Test("A field that is let go unchanged shows what came meanwhile, also after a crash")
    func released() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("pressure", .integer(150))])
        try device.store.hold(["pressure", "notes"], of: id)
        try pull(device, id, "pressure", .integer(155), version: 6)
        try device.store.release(["pressure"], of: id)
        #expect(try device.value("pressure", of: id) == .integer(155))
        try pull(device, id, "notes", .string("theirs"), version: 7)
        #expect(try device.value("notes", of: id) == .null)
        try device.reopen()
        #expect(try device.value("notes", of: id) == .string("theirs"))
        try device.finish()
    }

    private func pull(
        _ device: Device, _ id: RecordID, _ field: FieldName, _ value: FieldValue, version: Int64
    ) throws {
        try device.store.settle { database in
            try database.execute(
                """
                UPDATE __sync_shadow SET value = ?, version = ?, node = 'node-b', lamport = 99
                WHERE record_id = ? AND name = ?
                """,
                [DatabaseValue(value), .integer(version), .text(id.rawValue), .text(field)])
        }
    }
}
