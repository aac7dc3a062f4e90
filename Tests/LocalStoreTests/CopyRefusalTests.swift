import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("T86 copies that a restored server does not take, or not as they are")
struct CopyRefusalTests {
    private let device: Device
    private let server = StoryServer()
    private static let day: Int64 = 86_400_000

    init() throws { device = try Device() }

    private func pullTheirs() throws -> StoryServer.Contents {
        try device.pullTheirs(from: server)
    }

    private var kept: Int { get throws { try device.store.status().keptFromBefore } }

    @Test("T86 what the server refuses stays here, is told, and is not offered again and again")
    func refusedCopy() throws {
        let backup = try pullTheirs()
        server.restore(backup)
        try device.pullAll(from: server)
        let request = try #require(try device.store.copiesToOffer())
        #expect(request.records.map(\.id) == ["theirs"])
        let error = WireError(code: "not_allowed", message: "No.")
        let verdict = CopyVerdict(
            recordId: "theirs", status: .refused, columns: ["pressure"], error: error)
        let response = CopyResponse(results: [verdict], server: server.state)
        try device.store.settle(request, by: response)
        #expect(try device.keptValues() == ["theirs pressure 160"])
        #expect(try device.store.copiesToOffer() == nil)
        #expect(try kept == 1)
        // Another epoch, another answer.
        server.restore(server.contents)
        try device.pullAll(from: server)
        let again = try #require(try device.store.copiesToOffer())
        #expect(again.records.map(\.id) == ["theirs"])
        #expect(again.pullPosition == request.pullPosition, "learnt in the first of the epochs")
        try device.finish()
    }

    @Test(
        "T86 a copy whose site left the scope before it was offered stays, and its reason is told")
    func scopeLost() throws {
        let backup = try pullTheirs()
        server.restore(backup)
        try device.pullAll(from: server)
        var page = try device.nextPage(from: server)
        page.removed = ["theirs"]
        try device.store.apply(page: page)
        #expect(try kept == 1, "nobody else may have it any more")
        let request = try #require(try device.store.copiesToOffer())
        let error = WireError(code: "out_of_scope", message: "not this team's")
        let verdict = CopyVerdict(recordId: "theirs", status: .refused, error: error)
        try device.store.settle(
            request, by: CopyResponse(results: [verdict], server: server.state))
        #expect(try device.keptValues().contains("theirs pressure 160"))
        #expect(try device.store.copiesToOffer() == nil)
        let status = try device.store.status()
        #expect(status.copyRefusals == [CopyRefusal(reason: "not this team's", records: 1)])
        #expect(!status.nothingUnsynced)
        try device.finish()
    }

    @Test("T86 a copy that was refused alone is set aside with its reason, and the others go on")
    func setAside() throws {
        let backup = try pullTheirs()
        server.edit("other", ["pressure": .integer(7)], by: "node-c")
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        let first = try #require(try device.store.copiesToOffer(limit: 1)?.records.first)
        try device.store.setAside([
            CopyVerdict(
                recordId: first.id, status: .refused, columns: Array(first.fields.keys),
                error: WireError(code: "bad_request", message: "refused with 400"))
        ])
        try device.offerCopies(to: server)
        #expect(try kept == 1)
        #expect(
            try device.store.status().copyRefusals
                == [CopyRefusal(reason: "refused with 400", records: 1)])
        #expect(try device.keptValues().allSatisfy { $0.hasPrefix("\(first.id) ") })
        #expect(server.records[first.id] == nil && server.records.count == 1)
        // Another epoch, another answer.
        server.restore(server.contents)
        try device.pullAll(from: server)
        try device.offerCopies(to: server)
        #expect(server.records[first.id] != nil)
        #expect(try kept == 0)
        try device.finish()
    }

    @Test("T86 a copy that is larger than a request goes in several, what makes the record first")
    func largeCopy() throws {
        let backup = try pullTheirs()
        let text = String(repeating: "x", count: 60_000)
        let names = (10..<40).map { "note_\($0)" }
        server.edit(
            "theirs", Dictionary(uniqueKeysWithValues: names.map { ($0, .string(text)) }))
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        let request = try #require(try device.store.copiesToOffer())
        #expect(request.json.serialized().count < 2 << 20)
        #expect(request.records.first?.fields["@form"] != nil)
        #expect(request.records.first?.fields["note_39"] == nil)
        try device.offerCopies(to: server)
        #expect(names.allSatisfy { server.records["theirs"]?.fields[$0]?.value == .string(text) })
        #expect(try kept == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 an archived inspection, whose answers are gone, is not offered as if it were whole",
        arguments: [false, true])
    func archived(isWholeElsewhere: Bool) throws {
        let empty = server.contents
        server.edit(
            "old",
            [
                "@form": .string(TestForm.id), "@formVersion": .string("1"),
                "@state": .string("complete"), "pressure": .integer(160),
            ])
        let whole = server.records
        try device.sync(server)
        try device.store.upkeep()
        for days: Int64 in [1, 366] {
            server.pass(milliseconds: days * Self.day)
            try device.sync(server)
            try device.store.upkeep()
        }
        #expect(try device.store.sizes().archived == 1)
        server.restore(empty)
        try device.pullAll(from: server)
        #expect(try device.store.copiesToOffer() == nil)
        #expect(server.records.isEmpty)
        let status = try device.store.status()
        #expect(status.keptFromBefore == 1 && status.keptInPart == 1 && !status.nothingUnsynced)
        #expect(try device.keptValues().contains("old @state complete"), "it is known of")
        if isWholeElsewhere {
            // Another device has not archived it yet.
            server.edit("old", try #require(whole["old"]).fields.mapValues(\.value))
            try device.sync(server)
            #expect(try device.value("pressure", of: "old") == .integer(160))
            #expect(try kept == 0)
            try device.expectNothingPending(server)
        }
        try device.finish()
    }
}
