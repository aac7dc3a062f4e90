import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("T86 copies that were refused alone: counted, told, offered anew")
struct CopyCountingTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// What others enter now and the server loses.
    private func lose(_ ids: RecordID...) throws {
        let backup = server.contents
        for id in ids { server.edit(id, ["pressure": .integer(1), "doors": .integer(2)]) }
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
    }

    private func verdict(
        _ id: RecordID, _ status: CopyVerdict.Status = .refused, _ message: String = "No."
    ) -> CopyVerdict {
        CopyVerdict(
            recordId: id, status: status, columns: ["doors", "pressure"],
            error: WireError(code: "internal", message: message))
    }

    private func offered() throws -> [RecordID] {
        try device.store.copiesToOffer()?.records.map(\.id) ?? []
    }

    @Test(
        "T86 what was refused alone goes behind all others, and alone; the fifth time sets it aside"
    )
    func fifth() throws {
        try lose("a", "b", "c")
        for count in 1...4 {
            try device.store.countRefusals([verdict("a")])
            #expect(try offered() == ["b", "c"])
            let rest = try device.store.copiesToOffer(skipping: ["b", "c"])
            #expect(rest?.records.map(\.id) == ["a"], "after \(count)")
        }
        try device.store.countRefusals([verdict("b")])
        #expect(try offered() == ["c"])
        #expect(try device.store.copiesToOffer(skipping: ["c"])?.records.map(\.id) == ["b"])
        #expect(try device.store.status().copyRefusals == [])
        try device.store.countRefusals([verdict("a")])
        #expect(try device.store.copiesToOffer(skipping: ["b", "c"]) == nil)
        let status = try device.store.status()
        #expect(status.copyRefusals == [CopyRefusal(reason: "No.", records: 1)])
        #expect(status.keptFromBefore == 3 && status.keptOffered == 2)
        try device.finish()
    }

    @Test("T86 a child goes behind the parent that was refused, and never before it")
    func family() throws {
        let backup = server.contents
        server.edit("p", ["pressure": .integer(1)])
        server.edit("c", ["text": .string("leak")], table: RecordTable.finding, parent: "p")
        server.edit("x", ["pressure": .integer(1)])
        try device.sync(server)
        server.restore(backup)
        try device.pullAll(from: server)
        try device.store.countRefusals([verdict("p")])
        #expect(try offered() == ["x"])
        #expect(try device.store.copiesToOffer(skipping: ["x"])?.records.map(\.id) == ["p"])
        try device.offerCopies(to: server)
        #expect(server.records["c"]?.parent == "p")
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 what something before the server refuses goes behind the others, and is never set aside"
    )
    func held() throws {
        try lose("a", "b")
        for _ in 0..<12 { try device.store.countRefusals([verdict("a", .held)]) }
        #expect(try offered() == ["b"])
        #expect(try device.store.copiesToOffer(skipping: ["b"])?.records.map(\.id) == ["a"])
        // Nor does it count against what the server itself fails over later.
        try device.store.countRefusals([verdict("a")])
        #expect(try device.store.status().copyRefusals == [])
        try device.offerCopies(to: server)
        #expect(server.records["a"] != nil)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T86 a record that the server shows changed, and another epoch, are counted anew")
    func countedAnew() throws {
        try lose("a", "b")
        for _ in 0..<4 { try device.store.countRefusals([verdict("a"), verdict("b")]) }
        server.edit("a", ["note": .string("n")])
        try device.pullAll(from: server)
        try device.store.countRefusals([verdict("a"), verdict("b")])
        #expect(try device.store.status().keptRefused == 1)
        #expect(try offered() == ["a"])
        server.restore(server.contents)
        try device.pullAll(from: server)
        #expect(try offered() == ["a", "b"])
        try device.store.countRefusals([verdict("a"), verdict("b")])
        #expect(try device.store.status().keptRefused == 0)
        try device.finish()
    }

    @Test("T86 of an answer that tells of a new epoch nothing is noted, and the caller is told")
    func newEpoch() throws {
        try lose("a")
        let request = try #require(try device.store.copiesToOffer())
        var state = server.state
        let taken = CopyVerdict(recordId: "a", status: .taken)
        state.epoch += 1
        #expect(
            try device.store.settle(request, by: CopyResponse(results: [taken], server: state)))
        #expect(try device.store.status().keptFromBefore == 1)
        #expect(
            try !device.store.settle(request, by: CopyResponse(results: [taken], server: state)))
        #expect(try device.store.status().keptFromBefore == 0)
        try device.finish()
    }

    @Test("T86 a refusal without words is none that says taken")
    func wordless() throws {
        try lose("a")
        let request = try #require(try device.store.copiesToOffer())
        try device.store.settle(
            request,
            by: CopyResponse(
                results: [verdict("a", .refused, "\u{7} \u{1B}")], server: server.state))
        try device.pullAll(from: server)
        #expect(
            try device.store.status().copyRefusals
                == [CopyRefusal(reason: "refused by the server", records: 1)])
        try device.finish()
    }

    @Test("T86 a record with two reasons is one record of which something is refused")
    func twoReasons() throws {
        try lose("a", "b")
        for (name, words) in [("doors", "Not now."), ("pressure", "No.")] {
            var verdict = verdict("a", .refused, words)
            verdict.columns = [name]
            try device.store.setAside([verdict])
        }
        let status = try device.store.status()
        #expect(status.copyRefusals.count == 2)
        #expect(status.keptRefused == 1 && status.keptFromBefore == 2 && status.keptOffered == 1)
        try device.finish()
    }
}
