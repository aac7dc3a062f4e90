import Coding
import Replication
import Testing

@testable import LocalStore

/// What an inspector had not sent when the program was upgraded goes out afterwards.
@Suite(
    "Databases of released schemas",
    .enabled(
        if: StoredDatabase.isReadable,
        "the stored databases are encrypted: plain SQLite (WALKDOWN_TEST_SQLITE) cannot read them"))
struct StoredDatabaseTests {
    @Test(
        "T80 a database of an earlier version opens, is migrated and holds what it held",
        arguments: StoredDatabase.names)
    func opens(name: String) throws {
        let device = try StoredDatabase(name: name).open()
        #expect(try device.store.audit() == [])
        #expect(try device.store.deferredMigrations() == [])
        #expect(
            try states(of: device) == [
                "asked": "CONFLICT notes", "reviewed": "IN_REVIEW pressure",
                "refused": "FAILED notes", "underway": "IN_FLIGHT notes, PENDING doors",
                "new": "PENDING @form @formVersion @state @title pressure",
            ])
        #expect(
            try device.number(
                "SELECT count(*) FROM __sync_outbox WHERE status = 'ACKNOWLEDGED'") == 7)
        let new = try inspection("new", on: device)
        #expect(try device.store.drafts(in: new).map(\.text) == ["half a wor"])
        try device.finish()
    }

    @Test(
        "T80 what waited in a database of an earlier version goes out, and all of it is settled",
        arguments: StoredDatabase.names)
    func drains(name: String) throws {
        let device = try StoredDatabase(name: name).open()
        let store = device.store
        let server = try StoryServer(holding: device)
        let underway = try store.outbox().filter { $0.status == "IN_FLIGHT" }.map(\.mutationId)
        try store.recoverInFlight()
        let batch = try #require(try store.sealBatch())
        #expect(batch.mutations.map(\.id).contains(underway[0]), "sent again under its own id")
        try store.apply(server.push(batch), to: batch)
        try device.sync(server)
        #expect(Set(try states(of: device).keys) == ["asked", "reviewed", "refused"])

        let refused = try #require(try store.outbox().first { $0.status == "FAILED" })
        try store.retry(refused.mutationId)
        try store.resolve(inspection("asked", on: device), ["notes": .mine])
        let review = try #require(try store.outbox().first { $0.status == "IN_REVIEW" })
        server.decide(review.mutationId, on: review.recordId, takes: ["pressure": .integer(160)])
        try device.sync(server)

        for (title, field, value) in [
            ("asked", "notes", FieldValue.string("mine")),
            ("refused", "notes", .string("refused words")),
            ("underway", "notes", .string("sent, no answer")), ("underway", "doors", .integer(2)),
            ("reviewed", "pressure", .integer(160)), ("new", "pressure", .double(160.5)),
        ] {
            let id = try inspection(title, on: device)
            #expect(server.records[id]?.fields[field]?.value == value, "\(title) \(field)")
        }
        try device.expectNothingPending(server)
        try device.finish()
    }

    /// What waits, by the title of its inspection.
    private func states(of device: Device) throws -> [String: String] {
        var states: [String: [String]] = [:]
        for row in try device.store.outbox() {
            guard case .string(let title) = try device.value("@title", of: row.recordId) else {
                continue
            }
            states[title, default: []].append(
                ([row.status] + row.columns.sorted()).joined(separator: " "))
        }
        return states.mapValues { $0.joined(separator: ", ") }
    }

    private func inspection(_ title: String, on device: Device) throws -> RecordID {
        try #require(
            try device.store.inspections().first { $0.name == title }, "no inspection \(title)"
        ).id
    }
}
