import Coding
import LocalStore
import Replication
import Sync
import Synchronization
import TestSupport
import Testing

/// Devices whose past is lived twice, and copies that differ, over the real store.
@Suite("Stories of identity")
struct IdentityStories {
    private let server = FakeServer()

    init() { server.state.withLock { $0.batons = Batons() } }

    private func stored(_ field: String, of id: RecordID) -> FieldValue? {
        server.state.withLock { $0.latest[id]?.fields[field]?.value }
    }

    private var nodes: Int { server.state.withLock { $0.batons?.nodes.count ?? 0 } }

    @Test("T85 a home copied to a second machine and used on both: noticed, separated, all there")
    func copied() throws {
        let first = try StoreDevice()
        let shared = try first.newInspection()
        #expect(first.sync(server).outcome == .synced)
        // On its way while the home is copied: both have it, and it takes effect once.
        try first.store.set([("notes", .string("before"))], on: shared)
        server.plan([.answerLost])
        _ = first.sync(server)
        let second = try first.copy()

        let own = try first.newInspection()
        try first.store.set([("notes", .string("first"))], on: own)
        let other = try second.newInspection()
        try second.store.set([("notes", .string("second"))], on: other)
        let quiet = first.sync(server)
        #expect(quiet.outcome == .synced && !quiet.hasNewNode)
        let separated = second.sync(server)
        #expect(separated.outcome == .synced && separated.hasNewNode)
        #expect(separated.conflicts == 0)
        #expect(nodes == 2)

        #expect(stored("notes", of: shared) == .string("before"))
        #expect(stored("notes", of: own) == .string("first"))
        #expect(stored("notes", of: other) == .string("second"))
        #expect(server.effects.values.allSatisfy { $0 == 1 })
        let later = second.sync(server)
        #expect(later.outcome == .synced && !later.hasNewNode)
        #expect(first.sync(server).outcome == .synced)
        let log = try second.store.sql("SELECT event FROM __sync_log", write: false).texts
        #expect(log.contains(["identity"]))
        try first.expectSettled("first")
        try second.expectSettled("second")
    }

    @Test("T85 an unsent change that both copies went on writing keeps both readings")
    func amendedOnBoth() throws {
        let first = try StoreDevice()
        let id = try first.newInspection()
        #expect(first.sync(server).outcome == .synced)
        try first.store.set([("doors", .integer(1))], on: id)
        let second = try first.copy()
        // The same mutation, not sent yet, with other contents on each.
        try first.store.set([("notes", .string("first"))], on: id)
        try second.store.set([("doors", .integer(2))], on: id)
        #expect(first.sync(server).outcome == .synced)
        let report = second.sync(server)
        #expect(report.outcome == .synced && report.hasNewNode && report.failed == 0)
        #expect(stored("notes", of: id) == .string("first"))
        #expect(stored("doors", of: id) == .integer(2))
        #expect(server.effects.values.allSatisfy { $0 == 1 })
        _ = first.sync(server)
        try first.expectSettled("first")
        try second.expectSettled("second")
    }

    @Test("T85 a server that breaks over a change that it has taken takes no device for a copy")
    func brokenAfterCommit() throws {
        let device = try StoreDevice()
        for _ in 1...3 { _ = try device.newInspection() }
        // The first passes, so that the second is set aside, and the third goes next.
        server.plan([nil, .brokenAfterCommit])
        let report = Cycle(
            replica: device.store, transport: server.connect(), batchesOf: 1
        ).run().report
        #expect(!report.hasNewNode)
        #expect(nodes == 1)
        #expect(device.sync(server).outcome == .synced)
        #expect(server.effects.count == 3 && server.effects.values.allSatisfy { $0 == 1 })
        try device.expectSettled()
    }

    @Test(
        "T85 yesterday's home put back: what it did since comes by pull, what it does now arrives")
    func putBack() throws {
        let device = try StoreDevice()
        let id = try device.newInspection()
        #expect(device.sync(server).outcome == .synced)
        let yesterday = try device.copy()
        try device.store.set([("notes", .string("today"))], on: id)
        let lost = try device.newInspection()
        #expect(device.sync(server).outcome == .synced)

        try yesterday.store.set([("doors", .integer(3))], on: id)
        let report = yesterday.sync(server)
        #expect(report.outcome == .synced && report.hasNewNode)
        #expect(try yesterday.store.inspections().map(\.id).contains(lost))
        #expect(stored("notes", of: id) == .string("today"))
        #expect(stored("doors", of: id) == .integer(3))
        try device.expectSettled()
        try yesterday.expectSettled()
    }

    @Test(
        "T85 two copies under bad weather: each keeps what it wrote, once",
        arguments: 0..<8 as Range<UInt64>)
    func storm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let first = try StoreDevice()
        _ = try first.newInspection()
        _ = first.sync(server)
        _ = try first.newInspection()
        server.plan([random.oneIn(2) ? .answerLost : .requestLost])
        _ = first.sync(server)
        let devices = [first, try first.copy()]
        var last: [RecordID: Int64] = [:]
        var own: [[RecordID]] = [[], []]
        for round in 0..<20 {
            let index = random.below(2)
            if random.oneIn(3) { own[index].append(try devices[index].newInspection()) }
            for _ in 0..<random.below(3) where !own[index].isEmpty {
                let id = random.pick(own[index])
                last[id] = Int64(round * 10 + random.below(10))
                try devices[index].store.set([("doors", .integer(last[id] ?? 0))], on: id)
            }
            if random.oneIn(2) {
                server.plan([random.oneIn(3) ? nil : random.pick(FakeServer.Fault.allCases)])
            }
            _ = devices[index].sync(server)
            if random.oneIn(4) { try devices[index].restart() }
        }
        server.state.withLock { $0.faults = [] }
        for device in devices + devices {
            #expect(device.sync(server).outcome == .synced, "seed \(seed)")
        }
        #expect(server.effects.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        for (id, value) in last {
            #expect(stored("doors", of: id) == .integer(value), "seed \(seed)")
        }
        for device in devices { try device.expectSettled("seed \(seed)") }
    }

    @Test("T49 a record that never came is noticed, its site named, and fetched in the same cycle")
    func repair() throws {
        let device = try StoreDevice()
        server.publish(1)
        #expect(device.sync(server).outcome == .synced)
        server.hide(1)
        #expect(device.sync(server).outcome == .synced)
        let log = try device.store.sql(
            "SELECT detail FROM __sync_log WHERE event = 'digest'", write: false
        ).texts
        #expect(log == [["differs at records without a site; repairing"]])
        try device.expectSettled()
    }

    @Test("T49 copies that stay different are pulled once in ten minutes, whatever the clock does")
    func repairRate() throws {
        let device = try StoreDevice()
        let clock = device.clock
        server.publish(1)
        _ = device.sync(server)
        server.hide(1)
        #expect(device.sync(server).outcome == .synced)
        server.hide(2)
        #expect(device.sync(server).outcome == .unproven(sites: [""]))
        #expect(try device.store.status().digest == .different)
        #expect(try device.store.status().state == "waiting")
        clock.advance(seconds: 599)
        #expect(device.sync(server).outcome == .unproven(sites: [""]))
        clock.advance(seconds: 1)
        #expect(device.sync(server).outcome == .synced)
        server.hide(3)
        clock.set(to: 0)
        #expect(device.sync(server).outcome == .synced)
        #expect(try device.store.status().digest == .equal)
        try device.expectSettled()
    }

    @Test("M18 nothing is unsynced only when nothing waits anywhere and the digests were equal")
    func proof() throws {
        let device = try StoreDevice()
        #expect(try !device.store.status().nothingUnsynced)
        let id = try device.newInspection()
        #expect(try !device.store.status().nothingUnsynced)
        #expect(device.sync(server).outcome == .synced)
        #expect(try device.store.status().nothingUnsynced)
        try device.store.saveDraft("half a sen", of: "notes", in: id)
        #expect(try !device.store.status().nothingUnsynced)
        try device.store.set([("notes", .string("half a sentence"))], on: id)
        #expect(try device.store.status().state == "waiting")
        server.plan([nil, .requestLost])
        _ = device.sync(server)
        // Pushed and acknowledged, not pulled: nothing waits, and nothing is proven.
        let status = try device.store.status()
        #expect(status.unsynced == 0 && status.digest == .unproven && !status.nothingUnsynced)
        #expect(status.state != "synced")
        #expect(device.sync(server).outcome == .synced)
        #expect(try device.store.status().nothingUnsynced)
        try device.expectSettled()
    }

    @Test("a queued push waits for its verdicts, which come by pull, and is not sent again")
    func ticket() throws {
        let device = try StoreDevice()
        server.state.withLock { $0.queues = true }
        let id = try device.newInspection()
        let first = device.sync(server)
        #expect(first.waiting.isEmpty && server.pushes == 1)
        #expect(stored("@form", of: id) == .string("round"))
        try device.expectSettled()
    }

    @Test("verdicts of a queued push that do not come are asked for after ten minutes")
    func lostTicket() throws {
        let device = try StoreDevice()
        server.state.withLock { $0.queues = true }
        _ = try device.newInspection()
        server.plan([nil, .requestLost])
        _ = device.sync(server)
        server.state.withLock { $0.results = [] }
        try device.restart()
        #expect(device.sync(server).waiting == OutboxCounts(inFlight: 1))
        #expect(server.pushes == 1)
        device.clock.advance(seconds: 600)
        #expect(device.sync(server).waiting.isEmpty)
        #expect(server.pushes == 2)
        #expect(server.effects.values.allSatisfy { $0 == 1 })
        try device.expectSettled()
    }
}
