import Coding
import LocalStore
import Replication
import Sync
import Synchronization
import TestSupport
import Testing

/// A server that refuses some calls with a status and an error of its own, and lets the others
/// through to the one behind it.
private final class RefusingLine: Transport {
    private let inner: any Transport
    private let status: Int
    private let code: String
    private let refuses: @Sendable (WireCall) -> Bool
    /// HTML in place of an error.
    private let page: String?
    private let count = Atomic(0)

    init(
        _ inner: any Transport, status: Int, code: String, page: String? = nil,
        refuses: @escaping @Sendable (WireCall) -> Bool = { _ in true }
    ) {
        self.inner = inner
        self.status = status
        self.code = code
        self.page = page
        self.refuses = refuses
    }

    static let libraryPage =
        "<html><head><title>Request malformed</title></head><body>Your HTTP request was malformed."
        + "</body></html>"

    var refused: Int { count.load(ordering: .relaxed) }

    func send(_ call: WireCall) -> TransportOutcome {
        guard refuses(call) else { return inner.send(call) }
        count.add(1, ordering: .relaxed)
        if let page {
            return .answer(
                WireAnswer(status: status, contentType: "text/html", body: Array(page.utf8)))
        }
        let failure = WireFailure(error: WireError(code: code, message: "The reason."))
        return .answer(WireAnswer(status: status, body: failure.json.serialized()))
    }

    func disconnect() { inner.disconnect() }
    func cancel() { inner.cancel() }
}

@Suite("Stories of a device or a change that the server refuses")
struct RefusedDeviceStories {
    private let server = FakeServer()

    @Test(
        "F16 a server that refuses the device is asked once, and all of a thousand changes stay",
        arguments: [(401, "token_unknown"), (403, "wrong_node"), (426, "upgrade_needed")])
    func device(status: Int, code: String) {
        let replica = FakeReplica(Array(1...1000))
        let line = RefusingLine(server.connect(), status: status, code: code)
        let report = Cycle(replica: replica, transport: line).run().report
        #expect(line.refused == 1)
        #expect(report.waiting == OutboxCounts(pending: 1000))
        #expect(replica.entries.allSatisfy { $0.failures == 0 && $0.error == nil })
        guard case .refused(let refusal) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(refusal.status == status && refusal.message == "The reason.")
        let later = Cycle(replica: replica, transport: server.connect()).run().report
        #expect(later.outcome == .synced)
        #expect(server.effects.count == 1000)
    }

    /// A request that libmicrohttpd cannot read, or has no memory for, never reaches our code: it answers
    /// by itself, in HTML and without an error of ours, and takes no other page.
    @Test(
        "an answer that the server's HTTP library gives by itself blames no change",
        arguments: [400, 413, 414, 431, 500, 501, 503, 505])
    func libraryPage(status: Int) {
        let replica = FakeReplica(Array(1...20))
        let line = RefusingLine(
            server.connect(), status: status, code: "", page: RefusingLine.libraryPage)
        let report = Cycle(replica: replica, transport: line).run().report
        #expect(report.outcome != .synced)
        #expect(report.waiting == OutboxCounts(pending: 20))
        #expect(replica.entries.allSatisfy { $0.failures == 0 && $0.error == nil })
        let later = Cycle(replica: replica, transport: server.connect()).run().report
        #expect(later.outcome == .synced && server.effects.count == 20)
    }

    @Test(
        "F16 one change that is refused keeps none of the other 999",
        arguments: [(413, "body_too_large"), (422, "idempotency_key_reused")])
    func oneChange(status: Int, code: String) {
        let replica = FakeReplica(Array(1...1000))
        let culprit = Array(Wire.id(500).json.serialized())
        let line = RefusingLine(server.connect(), status: status, code: code) { call in
            call.body?.firstRange(of: culprit) != nil
        }
        let report = Cycle(replica: replica, transport: line).run().report
        #expect(report.outcome == .synced)
        #expect(report.waiting == OutboxCounts(failed: 1))
        #expect(replica.entries.map(\.mutation.id) == [Wire.id(500)])
        #expect(replica.entries.first?.error?.contains("\(status)") == true)
        #expect(server.effects.count == 999)
    }

    @Test("T22 the token expires between two batches: the rest goes after it, parents first")
    func expiredToken() throws {
        let device = try StoreDevice()
        let parent = try device.newInspection()
        let children = (0..<60).map { RecordID("finding-\($0)") }
        for child in children {
            _ = try device.store.sql(
                """
                INSERT INTO record (id, table_name, parent_id)
                VALUES ('\(child)', 'finding', '\(parent)')
                """, write: true)
        }
        server.plan([nil, .unauthorised])
        let report = Cycle(replica: device.store, transport: server.connect()).run().report
        guard case .refused(let refusal) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(refusal.kind == .unauthorised && report.pushed == 50)
        #expect(report.waiting == OutboxCounts(pending: 11))
        // The parent is changed once more, which must not put it behind its children.
        try device.store.set([("doors", .integer(2))], on: parent)
        try device.restart()
        let signedIn = Cycle(replica: device.store, transport: server.connect()).run().report
        #expect(signedIn.outcome == .synced)
        let arrived = server.state.withLock { $0.feed.map(\.id) }
        #expect(arrived.first == parent)
        #expect(Set(arrived) == Set(children + [parent]))
        #expect(server.effects.values.allSatisfy { $0 == 1 })
        try device.expectSettled()
    }

    @Test("T26 F24 a server that accepts and later says no: the row is failed, the reading stays")
    func refusedByPull() throws {
        let device = try StoreDevice()
        let id = try device.newInspection()
        try device.store.set([("notes", .string("kept"))], on: id)
        let sent = try #require(try device.store.outbox().first).mutationId
        // Queued on the server: the answer to the push names a ticket, the pull the verdict.
        let batch = try #require(try device.store.sealBatch(limit: 50, skipping: []))
        #expect(batch.mutations.map(\.id) == [sent])
        let error = WireError(code: "unknown_form", message: "That form is not published.")
        let page = PullResponse(
            deltaRecords: [],
            results: [Verdict(mutationId: sent, status: .rejected, error: error)],
            nextCursor: "0", hasMore: false, server: Wire.server)
        try device.store.take(page)
        let row = try #require(try device.store.outbox().first)
        #expect(row.status == "FAILED")
        #expect(row.lastError == "unknown_form: That form is not published.")
        #expect(try device.store.values(of: id)["notes"] == .string("kept"))
        // The server has no such record, and says so by saying nothing: it stays here.
        _ = Cycle(replica: device.store, transport: server.connect()).run()
        #expect(try device.store.inspections().map(\.id) == [id])
        try device.store.retry(sent)
        let again = Cycle(replica: device.store, transport: server.connect()).run().report
        #expect(again.outcome == .synced)
        #expect(
            server.state.withLock { $0.latest[id]?.fields["notes"]?.value } == .string("kept"))
        try device.expectSettled()
    }

    @Test("F01 a server that takes the body and answers 500: the record stays, and is failed")
    func acceptedAndBroken() throws {
        let device = try StoreDevice()
        let id = try device.newInspection()
        try device.store.set([("notes", .string("kept"))], on: id)
        for failures in 1...5 {
            // Each push is carried out, and then answered as if it was not.
            let line = RefusingLine(server.connect(), status: 500, code: "internal") {
                [server] call in
                guard call.method == .post else { return false }
                _ = server.connect().send(call)
                return true
            }
            _ = Cycle(replica: device.store, transport: line).run()
            let row = try #require(try device.store.outbox().first)
            #expect(row.retryCount == failures)
            #expect(row.status == (failures < 5 ? "PENDING" : "FAILED"))
            #expect(try device.store.values(of: id)["notes"] == .string("kept"))
            #expect(try device.store.inspections().map(\.id) == [id])
            try device.restart()
        }
        #expect(server.effects.values.allSatisfy { $0 == 1 })
        let failed = try #require(try device.store.outbox().first).mutationId
        try device.store.retry(failed)
        let report = Cycle(replica: device.store, transport: server.connect()).run().report
        #expect(report.outcome == .synced)
        try device.expectSettled()
    }
}
