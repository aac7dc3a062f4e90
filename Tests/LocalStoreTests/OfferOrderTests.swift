import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

/// What goes to a restored server once more keeps its place before what was entered later.
struct OfferOrderTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func stored(_ field: FieldName, of id: RecordID) -> FieldValue? {
        server.records[id]?.fields[field]?.value
    }

    @Test(
        "T86 what is offered again in part goes before what was entered later, acknowledged or waiting",
        arguments: [true, false])
    func partBeforeLater(isAcknowledged: Bool) throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        let both: [(FieldName, FieldValue)] = [
            ("doors", .integer(5)), ("facility", .string("red")),
        ]
        try device.store.set(both, on: id)
        try device.sync(server)
        try device.store.set([("doors", .integer(6))], on: id)
        if isAcknowledged { try device.sync(server) }
        server.restore(backup)
        server.edit(id, ["facility": .string("red")])
        for _ in 1...2 { try device.sync(server) }
        #expect(try device.value("doors", of: id) == .integer(6))
        #expect(stored("doors", of: id) == .integer(6))
        #expect(stored("facility", of: id) == .string("red"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 an edit that the restored server took first is not followed by an older one")
    func waitingEditFirst() throws {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        try device.store.set([("notes", .string("first"))], on: id)
        try device.sync(server)
        try device.store.set([("notes", .string("second"))], on: id)
        server.restore(backup)
        try device.pushAll(to: server)
        try device.sync(server)
        #expect(try device.value("notes", of: id) == .string("second"))
        #expect(stored("notes", of: id) == .string("second"))
        try device.expectNothingPending(server)
        try device.finish()
    }
}
