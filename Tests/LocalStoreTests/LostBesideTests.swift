import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("T86 what two restores have lost of one field, one after the other")
struct LostBesideTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// The first restore loses one value, of a high count; before the server has heard of it from this
    /// device, somebody enters another one, of whatever count, and a second restore loses that.
    private func loseTwice(second lamport: Int64) throws -> RecordID {
        let id = try device.acceptedInspectionOf(server)
        let backup = server.contents
        server.edit(id, ["notes": .string("first")], lamport: 500)
        try device.pullAll(from: server)
        server.restore(backup)
        server.edit(id, ["notes": .string("second")], lamport: lamport)
        try device.pullAll(from: server)
        server.restore(backup)
        try device.pullAll(from: server)
        return id
    }

    @Test("both go back to the server, whatever their counts", arguments: [Int64(400), 600])
    func both(second: Int64) throws {
        let id = try loseTwice(second: second)
        var offered: [FieldValue] = []
        while let request = try device.store.copiesToOffer() {
            offered += request.records.compactMap { $0.fields["notes"]?.value }
            #expect(!request.isOfOneEpoch)
            #expect(try !device.store.settle(request, by: server.takeCopies(request)))
            try device.pullAll(from: server)
            guard offered.count < 5 else { break }
        }
        #expect(Set(offered) == [.string("first"), .string("second")] && offered.count == 2)
        #expect(try device.store.status().keptFromBefore == 0)
        #expect(server.records[id]?.fields["notes"]?.value.isNull == false)
        try device.finish()
    }

    @Test("one that is refused keeps the other not back, and both are kept")
    func refused() throws {
        let id = try loseTwice(second: 400)
        server.refusedCopies["notes"] = WireError(code: "not_allowed", message: "approved")
        var offered: [FieldValue] = []
        while let request = try device.store.copiesToOffer() {
            offered += request.records.compactMap { $0.fields["notes"]?.value }
            _ = try device.store.settle(request, by: server.takeCopies(request))
            guard offered.count < 5 else { break }
        }
        #expect(Set(offered) == [.string("first"), .string("second")] && offered.count == 2)
        #expect(try device.store.status().keptRefused == 1)
        server.refusedCopies = [:]
        // The record changes: both are offered once more.
        server.edit(id, ["doors": .integer(1)])
        try device.pullAll(from: server)
        try device.offerCopies(to: server)
        try device.pullAll(from: server)
        try device.offerCopies(to: server)
        try device.pullAll(from: server)
        #expect(try device.store.status().keptFromBefore == 0)
        try device.finish()
    }
}
