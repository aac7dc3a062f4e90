import Coding
import Replication
import Testing

@testable import LocalStore

/// One character that is spelt in two ways looks the same and is not the same text.
struct SpellingTests {
    private let device: Device
    private let server = StoryServer()
    private let composed = FieldValue.string("Kühlhaus M\u{FC}nchen")
    private let decomposed = FieldValue.string("Kühlhaus Mu\u{308}nchen")

    init() throws { device = try Device() }

    @Test("T77 another spelling of the same text is a change, and goes out as it was typed")
    func respelt() throws {
        let id = try device.acceptedInspectionOf(server)
        for value in [composed, decomposed, composed] {
            try device.store.set([("notes", value)], on: id)
            #expect(try device.store.outbox().count == 1)
            try device.sync(server)
            #expect(server.records[id]?.fields["notes"]?.value == value)
            #expect(try device.store.values(of: id)["notes"] == value)
            try device.reopen()
        }
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T77 two spellings of two people meet as a conflict in which both stand")
    func twins() throws {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": composed])
        try device.store.set([("notes", decomposed)], on: id)
        try device.sync(server)
        let conflict = try #require(try device.store.conflicts(of: id).first)
        #expect(conflict.mine == decomposed && conflict.theirs == composed)
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == decomposed)
        try device.expectNothingPending(server)
        try device.finish()
    }
}
