import Coding
import Replication
import Testing

@testable import LocalStore

/// Records under records, and what becomes of them when one above them goes.
struct FamilyTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func child(_ id: RecordID, _ table: String, of parent: RecordID) throws {
        try device.store.edit { database in
            try database.insertRecord(id, table: table, parent: parent)
            try database.write(.string("frost"), to: "note", of: id)
        }
    }

    @Test("T70 children of what was deleted elsewhere wait for a decision on it; nothing is stuck")
    func childrenOfDeleted() throws {
        let id = try device.acceptedInspectionOf(server)
        let other = try device.acceptedInspectionOf(server)
        try child("repeat-1", RecordTable.repetition, of: id)
        try child("repeat-2", RecordTable.repetition, of: "repeat-1")
        try device.sync(server)
        // Offline, a child at each of three levels; meanwhile the whole is deleted.
        try child("finding-1", RecordTable.finding, of: id)
        try child("repeat-3", RecordTable.repetition, of: "repeat-1")
        try child("repeat-4", RecordTable.repetition, of: "repeat-2")
        try device.store.set([("doors", .integer(2))], on: other)
        server.delete(id)
        try device.sync(server)
        try device.sync(server)
        #expect(server.records[other]?.fields["doors"]?.value == .integer(2))
        let rows = try device.store.outbox()
        #expect(rows.map(\.status) == ["PENDING", "PENDING", "PENDING", "CONFLICT"])
        #expect(rows.dropLast().allSatisfy { $0.lastError?.contains("was deleted") == true })
        #expect(rows.last?.recordId == id)
        for child in ["finding-1", "repeat-3", "repeat-4"] {
            #expect(try device.value("note", of: RecordID(child)) == .string("frost"))
        }
        // Let go: no row and no record is left of them.
        try device.store.resolve(id, [Mutation.deletedField: .theirs])
        #expect(try device.number("SELECT count(*) FROM record WHERE version = 0") == 0)
        #expect(
            try device.number(
                """
                SELECT count(*) FROM record AS child WHERE parent_id IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM record WHERE id = child.parent_id)
                """) == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T68 a tombstone with the very fields that stand here deletes all the same")
    func tombstoneOfEqualFields() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("same")), ("doors", .integer(1))], on: id)
        try device.sync(server)
        let before = try #require(server.records[id])
        server.delete(id)
        let after = try #require(server.records[id])
        #expect(after.fields["notes"] == before.fields["notes"])
        #expect(after.fields["doors"] == before.fields["doors"])
        #expect(after.version > before.version)
        try device.pullAll(from: server)
        #expect(try device.number("SELECT is_deleted FROM record") == 1)
        #expect(try device.store.inspections() == [])
        #expect(try device.store.digests().values.allSatisfy { $0 == SiteDigest() })
        try device.expectNothingPending(server)
        try device.finish()
    }
}
