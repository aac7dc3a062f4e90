import Coding
import LocalStore
import Replication
import Sync
import Synchronization
import TestSupport
import Testing

@Suite("Stories of a cycle over the device's store")
struct StoreStories {
    private func sync(_ device: StoreDevice, _ server: FakeServer) -> CycleReport {
        Cycle(replica: device.store, transport: server.connect()).run().report
    }

    private func stored(_ field: String, of id: RecordID, _ server: FakeServer) -> FieldValue? {
        server.state.withLock { $0.latest[id]?.fields[field]?.value }
    }

    @Test("an inspection filled offline arrives once, and the digests agree")
    func whole() throws {
        let device = try StoreDevice()
        let server = FakeServer()
        let id = try device.newInspection()
        try device.store.set([("notes", .string("frost")), ("doors", .integer(4))], on: id)
        let report = sync(device, server)
        #expect(report.outcome == .synced && report.pushed == 1)
        #expect(stored("notes", of: id, server) == .string("frost"))
        #expect(try device.store.inspections().map(\.sync) == [.synced])
        try device.expectSettled()
    }

    @Test("T02 T04 edits while the answer is on its way: the last one stands, none is lost")
    func editsInFlight() throws {
        let device = try StoreDevice()
        let id = try device.newInspection()
        let store = device.store
        let edits = Atomic(0)
        let server = FakeServer { call in
            guard call.path.hasSuffix("/push"), edits.load(ordering: .relaxed) < 5 else { return }
            let number = edits.add(1, ordering: .relaxed).newValue
            do {
                try store.set([("notes", .string("edit \(number)"))], on: id)
            } catch {
                Issue.record(error)
            }
        }
        let report = sync(device, server)
        #expect(report.outcome == .synced && report.conflicts == 0)
        #expect(stored("notes", of: id, server) == .string("edit 5"))
        #expect(server.effects.values.allSatisfy { $0 == 1 })
        try device.expectSettled()
    }

    @Test("what waits for a record that only the pull brings goes in the same cycle")
    func freedByPull() throws {
        let device = try StoreDevice()
        let server = FakeServer()
        server.state.withLock { $0.isTerse = true }
        let id = try device.newInspection()
        server.plan([.answerLost])
        _ = sync(device, server)
        try device.store.set([("doors", .integer(2))], on: id)
        #expect(sync(device, server).outcome == .synced)
        #expect(stored("doors", of: id, server) == .integer(2))
        try device.expectSettled()
    }

    @Test("T13 the number of pushes is exact", arguments: zip([49, 50, 51, 100], [1, 1, 2, 2]))
    func exactPushes(waiting: Int, pushes: Int) throws {
        let device = try StoreDevice()
        let server = FakeServer()
        for _ in 0..<waiting { _ = try device.newInspection() }
        #expect(sync(device, server).outcome == .synced)
        #expect(server.pushes == pushes)
        try device.expectSettled()
    }

    @Test(
        "T08 T16 V29 killed or cut anywhere: nothing lost, twice or stuck, and shown all the time",
        arguments: 0..<8 as Range<UInt64>)
    func faults(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let device = try StoreDevice()
        let server = FakeServer(pageSize: 3)
        var ids: [RecordID] = []
        var last: [RecordID: Int64] = [:]
        for round in 0..<15 {
            if random.oneIn(2) { ids.append(try device.newInspection()) }
            for _ in 0..<random.below(4) where !ids.isEmpty {
                let id = random.pick(ids)
                last[id] = Int64(round * 10 + random.below(10))
                try device.store.set([("doors", .integer(last[id] ?? 0))], on: id)
            }
            if random.oneIn(3) { server.publish(random.below(5), version: Int64(round + 1)) }
            server.plan(
                (0..<random.below(3)).map { _ in
                    random.oneIn(3) ? nil : random.pick(FakeServer.Fault.allCases)
                })
            let steps = Atomic(random.below(25))
            let dying = DyingReplica(device.store) {
                steps.subtract(1, ordering: .relaxed).newValue < 0
            }
            _ = Cycle(replica: dying, transport: server.connect()).run()
            try device.restart()
            for (id, value) in last {
                let shown = try device.store.values(of: id)["doors"]
                #expect(shown == .integer(value), "seed \(seed), round \(round)")
            }
        }
        server.state.withLock { $0.faults = [] }
        #expect(sync(device, server).outcome == .synced, "seed \(seed)")
        #expect(server.effects.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        for (id, value) in last {
            #expect(stored("doors", of: id, server) == .integer(value), "seed \(seed)")
        }
        try device.expectSettled("seed \(seed)")
    }

    @Test("a form is fetched and stored; one in a later language is left out and blocks nothing")
    func forms() throws {
        let device = try StoreDevice()
        let server = FakeServer()
        server.state.withLock { $0.forms = [Wire.form("from_the_future")] }
        #expect(sync(device, server).outcome == .synced)
        #expect(try device.store.forms().map(\.id) == ["round"])
        try device.expectSettled()
    }

    @Test("a form that cannot be read is fetched once a day, not in every cycle")
    func unreadableForm() throws {
        let device = try StoreDevice()
        let server = FakeServer()
        server.state.withLock { $0.forms = [Wire.form("from_the_future")] }
        for _ in 1...3 { #expect(sync(device, server).outcome == .synced) }
        #expect(server.fetches == 1)
        try device.restart()
        _ = sync(device, server)
        #expect(server.fetches == 1)
        device.clock.advance(seconds: 24 * 3600)
        _ = sync(device, server)
        #expect(server.fetches == 2)
        // Put back: what waits now lies further ahead than any wait.
        device.clock.set(to: 0)
        _ = sync(device, server)
        #expect(server.fetches == 3)
        try device.expectSettled()
    }

    @Test("a document that is another form than the listed one is not stored")
    func wrongForm() throws {
        let device = try StoreDevice()
        let server = FakeServer()
        server.state.withLock {
            $0.forms = [Wire.form("rounds")]
            $0.formDocument = StoreDevice.form
        }
        for _ in 1...2 { #expect(sync(device, server).outcome == .synced) }
        #expect(try device.store.forms().map(\.id) == ["round"])
        #expect(server.fetches == 1)
        try device.expectSettled()
    }

    @Test("a store that does not know its server is damaged; nobody has typed anything wrong")
    func noServer() throws {
        let device = try StoreDevice()
        #expect(throws: StoreError.damaged("it does not know its server")) {
            _ = try device.store.transport()
        }
        var enrolment = LocalStore.Enrolment(
            serverURL: "nonsense", deviceID: "d", token: "t", team: "x", caPem: "", pins: [],
            deviceKey: "")
        try device.store.store(enrolment)
        #expect(throws: StoreError.damaged("the address of its server is unreadable")) {
            _ = try device.store.transport()
        }
        enrolment.serverURL = "http://127.0.0.1:1"
        try device.store.store(enrolment)
        _ = try device.store.transport()
        try device.expectSettled()
    }

    @Test("the log of cycles tells a wrong key from no signal")
    func loggedFault() throws {
        let device = try StoreDevice()
        let report = CycleReport(
            outcome: .refused(Refusal(.offline, fault: .wrongPin)))
        try device.store.note(report, at: 0)
        let lines = try device.store.sql("SELECT detail FROM __sync_log", write: false).texts
        #expect(lines.last?.first?.contains("wrongPin") == true)
        try device.expectSettled()
    }

    @Test("M16 the fifth failure of its own makes a row FAILED; a retry gives it a new chance")
    func fifthFailure() throws {
        let device = try StoreDevice()
        let id = try device.newInspection()
        let broken = FakeServer()
        for _ in 1...5 {
            let line = PushBreaker(broken.connect())
            _ = Cycle(replica: device.store, transport: line).run()
        }
        #expect(try device.store.outboxCounts().failed == 1)
        let row = try #require(try device.store.outbox().first)
        try device.store.retry(row.mutationId)
        #expect(sync(device, broken).outcome == .synced)
        #expect(stored("@form", of: id, broken) == .string("round"))
        try device.expectSettled()
    }
}

/// A server that breaks over each push and answers everything else.
private struct PushBreaker: Transport {
    let inner: any Transport

    init(_ inner: any Transport) { self.inner = inner }

    func send(_ call: WireCall) -> TransportOutcome {
        call.method == .post
            ? .answer(WireAnswer(status: 500, contentType: "text/html")) : inner.send(call)
    }

    func disconnect() { inner.disconnect() }
    func cancel() { inner.cancel() }
}
