import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("T86 what is offered to a restored server as a copy, and what becomes of it")
struct CopyOfferTests {
    private let device: Device
    private let server = StoryServer()
    private static let refusal = WireError(code: "not_allowed", message: "Only in the office.")

    init() throws { device = try Device() }

    private var kept: Int { get throws { try device.store.status().keptFromBefore } }

    /// Pulls what others enter now, and what the server is without it.
    private func lose(_ records: [RecordID: [FieldName: FieldValue]]) throws {
        let backup = server.contents
        for (id, values) in records.sorted(by: { $0.key < $1.key }) { server.edit(id, values) }
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try kept == records.count)
    }

    @Test("T86 a field that the server refuses is kept, and not offered again in this epoch")
    func refusedField() throws {
        try lose(["theirs": ["pressure": .integer(160), "doors": .integer(2)]])
        server.refusedCopies["doors"] = Self.refusal
        try device.offerCopies(to: server)
        #expect(server.records["theirs"]?.fields["pressure"]?.value == .integer(160))
        #expect(server.records["theirs"]?.fields["doors"] == nil)
        #expect(try device.keptValues() == ["theirs doors 2"])
        #expect(try device.store.copiesToOffer() == nil)
        // Another epoch is another server.
        server.refusedCopies = [:]
        server.restore(server.contents)
        try device.pullAll(from: server)
        try device.offerCopies(to: server)
        #expect(server.records["theirs"]?.fields["doors"]?.value == .integer(2))
        #expect(try kept == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 a record that the server refuses whole is kept whole")
    func refusedRecord() throws {
        try lose(["theirs": ["pressure": .integer(160), "doors": .integer(2)]])
        server.refused[RecordTable.inspection] = Self.refusal
        try device.offerCopies(to: server)
        #expect(server.records["theirs"] == nil)
        #expect(try device.keptValues() == ["theirs doors 2", "theirs pressure 160"])
        #expect(try device.store.copiesToOffer() == nil)
        #expect(try !device.store.status().nothingUnsynced)
        try device.finish()
    }

    @Test(
        "T86 a copy that was taken is kept until a pull has followed: the server may be set back again"
    )
    func setBackBeforeThePull() throws {
        server.edit("theirs", ["pressure": .integer(150)])
        let backup = server.contents
        try lose(["theirs": ["pressure": .integer(160)]])
        try device.offerCopies(to: server)
        #expect(try kept == 0 && device.store.copiesToOffer() == nil)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try kept == 1)
        try device.offerCopies(to: server)
        #expect(server.records["theirs"]?.fields["pressure"]?.value == .integer(160))
        #expect(try device.number("SELECT count(*) FROM __sync_lost_field") == 1)
        try device.pullAll(from: server)
        #expect(try device.number("SELECT count(*) FROM __sync_lost") == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 a record that is lost twice is kept as it was last")
    func lostTwice() throws {
        let empty = server.contents
        try lose(["theirs": ["pressure": .integer(160)]])
        server.refused[RecordTable.inspection] = Self.refusal
        try device.offerCopies(to: server)
        // Its maker brings it, and goes on.
        server.edit("theirs", ["doors": .integer(1)])
        while server.contents.clock.counter < 50 { _ = server.contents.clock.tick() }
        server.edit("theirs", ["pressure": .integer(170)])
        try device.pullAll(from: server)
        server.restore(empty)
        try device.pullAll(from: server)
        #expect(try device.keptValues() == ["theirs doors 1", "theirs pressure 170"])
        try device.finish()
    }

    @Test("T86 a device says whether all it offers is of one epoch")
    func oneEpoch() throws {
        let backup = server.contents
        try lose(["theirs": ["pressure": .integer(160)]])
        #expect(try device.store.copiesToOffer()?.isOfOneEpoch == true)
        server.restore(backup)
        try device.pullAll(from: server)
        #expect(try device.store.copiesToOffer()?.isOfOneEpoch == false)
        try device.finish()
    }

    @Test("T86 no request has more records than a server takes, and all of them go")
    func manyRecords() throws {
        let ids = (100..<230).map { RecordID("r\($0)") }
        try lose(
            Dictionary(uniqueKeysWithValues: ids.map { ($0, ["doors": .integer(1)]) }))
        let first = try #require(try device.store.copiesToOffer())
        #expect(first.records.count == CopyRequest.mostRecords)
        try device.offerCopies(to: server)
        #expect(try kept == 0)
        #expect(ids.allSatisfy { server.records[$0]?.fields["doors"]?.value == .integer(1) })
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 a record that is larger than a request goes in parts, what makes it first")
    func largeRecord() throws {
        let text = String(repeating: "x", count: 60 << 10)
        var values: [FieldName: FieldValue] = [
            "@form": .string(TestForm.id), "@formVersion": .string("1"),
        ]
        for number in 100..<140 { values["0note\(number)"] = .string(text) }
        try lose(["theirs": values])
        let first = try #require(try device.store.copiesToOffer())
        #expect(first.json.serialized().count <= DeviceStore.largestBatch + 1024)
        #expect(first.records[0].fields["@form"]?.value == .string(TestForm.id))
        try device.offerCopies(to: server)
        #expect(server.records["theirs"]?.fields.mapValues(\.value) == values)
        #expect(try kept == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 many fields of many records are spread over requests as well")
    func manyFields() throws {
        let values = Dictionary(
            uniqueKeysWithValues: (0..<1500).map { (FieldName("f\($0)"), FieldValue.integer(1)) })
        try lose(["r1": values, "r2": values, "r3": values])
        let first = try #require(try device.store.copiesToOffer())
        #expect(first.records.map(\.id) == ["r1", "r2"])
        try device.offerCopies(to: server)
        #expect(try kept == 0)
        try device.finish()
    }
}
