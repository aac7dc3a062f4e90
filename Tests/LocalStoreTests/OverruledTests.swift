import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

/// A knowing correction back to what a backup has: the server that is restored from it shows the very
/// value, and has to hear all the same that it was the last word, or what it overruled comes back.
@Suite("T86 what says the same as a restored server, and came later")
struct OverruledTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func told() throws -> [FieldName: FieldChange] {
        let batch = try device.store.sealBatch()
        try device.store.recoverInFlight()
        let changes = batch?.mutations.flatMap { Array($0.changes) } ?? []
        return Dictionary(changes.map { ($0.key, $0.value) }) { $1 }
    }

    /// An inspection with a value in `notes` and none in `doors`; somebody changes both, and whoever
    /// knows that puts them back.
    /// - Returns: the record, and a backup of before.
    private func correctBack(byThisDevice isOwn: Bool) throws -> (RecordID, StoryServer.Contents) {
        let id = try device.acceptedInspectionOf(server)
        server.edit(id, ["notes": .string("intact")])
        let backup = server.contents
        server.edit(id, ["notes": .string("torn"), "doors": .integer(9)])
        try device.sync(server)
        let back: [(FieldName, FieldValue)] = [("notes", .string("intact")), ("doors", .null)]
        if isOwn {
            try device.store.set(back, on: id)
        } else {
            server.edit(id, Dictionary(uniqueKeysWithValues: back), by: "node-c")
        }
        try device.sync(server)
        return (id, backup)
    }

    @Test("T86 a correction back to the backup's value, or a clearing, is told with its version")
    func ownIsTold() throws {
        let (id, backup) = try correctBack(byThisDevice: true)
        let version = try #require(server.records[id]?.version)
        server.restore(backup)
        try device.pullAll(from: server)
        let told = try told()
        #expect(told.mapValues(\.formerVersion) == ["notes": version, "doors": version])
        #expect(told["notes"]?.value == .string("intact") && told["doors"]?.value == .null)
        #expect(try device.store.copiesToOffer() == nil)
        let effects = server.effects
        try device.sync(server)
        #expect(server.effects == effects, "it changes nothing")
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 a colleague's goes as a copy, once, and is not kept where the server does not take it",
        arguments: [true, false])
    func othersAreTold(isTaken: Bool) throws {
        let (id, backup) = try correctBack(byThisDevice: false)
        let version = try #require(server.records[id]?.version)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try told().isEmpty)
        let copies = try #require(try device.store.copiesToOffer()).records
        #expect(copies.map { Set($0.fields.keys) } == [["notes", "doors"]])
        #expect(copies.allSatisfy { $0.fields.values.allSatisfy { $0.version == version } })
        #expect(copies[0].fields["notes"]?.stamp.node == "node-c")
        if !isTaken {
            server.refusedCopies["notes"] = WireError(code: "not_allowed", message: "no")
        }
        try device.offerCopies(to: server)
        try device.sync(server)
        #expect(try device.store.copiesToOffer() == nil)
        let status = try device.store.status()
        #expect(status.keptFromBefore == 0 && status.keptRefused == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 what the backup has from the same hand is not told again")
    func nothingLost() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("same"))], on: id)
        try device.sync(server)
        let backup = server.contents
        server.edit(id, ["doors": .integer(1)])
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try told().isEmpty)
        #expect(try device.keptValues() == ["\(id) doors 1"])
        try device.finish()
    }

    @Test("T86 that a field was cleared goes along with a record that the server has lost")
    func clearedOfLost() throws {
        let backup = try device.pullTheirs(from: server)
        server.edit("theirs", ["doors": .integer(3)])
        server.edit("theirs", ["doors": .null], by: "node-c")
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        let copy = try #require(try device.store.copiesToOffer()?.records.first)
        #expect(
            copy.fields["doors"]?.value == .null && copy.fields["doors"]?.stamp.node == "node-c")
        try device.offerCopies(to: server)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }
}
