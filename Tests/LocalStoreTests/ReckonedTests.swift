import Coding
import Forms
import Inspections
import Replication
import SQLite
import Testing

@testable import LocalStore

/// What a form works out, where the answers of several devices have met and nobody has answered since.
@Suite("Sums over the answers of several devices")
struct ReckonedTests {
    private let device: Device
    private let server = StoryServer()
    private let id: RecordID
    private let row: String

    init() throws {
        (device, id) = try Device.withRound()
        server.policies = [:]
        try device.answer(id, ("limit", .integer(20)))
        row = try device.addRow(to: id, ("door/gap", .integer(3)), ("door/seal", "good"))
        try device.sync(server)
        try device.expectNothingPending(server)
    }

    private func shown(_ path: String) throws -> FieldValue? {
        try device.store.inspection(id).fields[path]?.value
    }

    /// A colleague changes what is summed up, and sends no new sum: an older program, or the two have
    /// changed different answers at the same time.
    private func colleague() throws {
        server.edit(id, ["limit": .integer(35)])
        server.edit(RecordID(row), ["door/gap": .integer(8)])
        try device.pullAll(from: server)
    }

    @Test("what is shown follows the answers, in rows too, and looking writes nothing")
    func shown() throws {
        try colleague()
        #expect(try shown("twice") == .integer(70) && shown("total") == .integer(8))
        #expect(
            try device.store.inspection(id).rows.first?.fields["door/half"]?.value == .integer(4))
        // Nothing waits and both hold the same, so that no device answers another's answer.
        #expect(try device.value("twice", of: id) == .integer(40))
        try device.expectNothingPending(server)
        try device.store.complete(id)
        #expect(try device.value("twice", of: id) == .integer(70))
        try device.sync(server)
        #expect(server.records[id]?.fields["twice"]?.value == .integer(70))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("an inspection that is complete goes by its answers as well; one that is signed stands")
    func finished() throws {
        try device.store.complete(id)
        try device.sync(server)
        try colleague()
        #expect(try shown("twice") == .integer(70))
        server.edit(id, [BuiltInField.state: .string(InspectionState.approved.rawValue)])
        try device.pullAll(from: server)
        #expect(try shown("twice") == .integer(40))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("without its form everything is shown as it stands")
    func withoutForm() throws {
        try colleague()
        try device.store.edit { try $0.execute("UPDATE form SET definition = NULL") }
        try device.reopen()
        #expect(try shown("twice") == .integer(40))
        try device.finish()
    }
}
