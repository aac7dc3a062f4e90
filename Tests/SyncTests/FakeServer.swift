import Coding
import Replication
import Sync
import Synchronization

/// A server in memory behind a transport: it applies each mutation once, keeps a feed, and answers
/// in JSON like the real one. A fault may strike before or after it has committed.
final class FakeServer: Sendable {
    enum Fault: Equatable, Sendable, CaseIterable {
        /// The request never arrives.
        case requestLost
        /// The request is carried out and the answer is lost.
        case answerLost
        /// Carried out, then answered with 500.
        case brokenAfterCommit
        case captivePortal
        case htmlError
        case tooMany
        case unauthorised
        case badGateway
        /// The request arrives twice; the second answer is seen.
        case deliveredTwice
        /// A valid answer to another question.
        case strangerAnswer
    }

    struct State: Sendable {
        /// How often each mutation took effect.
        var effects: [MutationID: Int] = [:]
        var contents: [MutationID: [UInt8]] = [:]
        private(set) var feed: [WireRecord] = []
        private(set) var latest: [RecordID: WireRecord] = [:]
        var pushes = 0
        var calls: [WireCall] = []
        var forms: [FormListing] = []
        /// What is sent for any of them: by default nothing that can be read.
        var formDocument: JSON = ["questions": []]
        /// Given to the coming calls, first one first; `nil` lets a call through.
        var faults: [Fault?] = []
        /// By id, for mutations that are not simply applied.
        var verdicts: [MutationID: Verdict.Status] = [:]
        /// Says *duplicate* without the record, so that only the pull brings it.
        var isTerse = false
        /// Nil believes every baton.
        var batons: Batons?
        /// Answers pushes with a ticket; the verdicts come with the next last page.
        var queues = false
        var results: [Verdict] = []
        /// In the digest of every site there is, and in no page.
        var hidden: [WireRecord] = []

        mutating func append(_ record: WireRecord) {
            feed.append(record)
            latest[record.id] = record
        }
    }

    let state = Mutex(State())
    private let pageSize: Int
    private let onCall: @Sendable (WireCall) -> Void

    init(pageSize: Int = 500, onCall: @escaping @Sendable (WireCall) -> Void = { _ in }) {
        self.pageSize = pageSize
        self.onCall = onCall
    }

    func plan(_ faults: [Fault?]) {
        state.withLock { $0.faults += faults }
    }

    /// Somebody else's record appears in the feed.
    func publish(_ number: Int, version: Int64 = 1) {
        let record = WireRecord(
            table: "inspection", id: RecordID("p\(number)"), parent: nil, version: version,
            fields: [
                "reading": WireRecord.Field(
                    value: .integer(version), stamp: Stamp(lamport: version, node: NodeID("other")),
                    version: version)
            ], updatedAtUtc: "")
        state.withLock { $0.append(record) }
    }

    var pushes: Int { state.withLock { $0.pushes } }

    /// A record that this device should have had long ago and was never sent.
    func hide(_ number: Int) {
        let record = WireRecord(
            table: "inspection", id: RecordID("h\(number)"), parent: nil, version: 1, fields: [:],
            updatedAtUtc: "")
        state.withLock { $0.hidden.append(record) }
    }

    /// How many documents of forms were asked for.
    var fetches: Int {
        state.withLock { $0.calls.count { $0.path.hasPrefix("/api/v1/forms/") } }
    }
    var effects: [MutationID: Int] { state.withLock { $0.effects } }

    static func digest(of records: [WireRecord]) -> SiteDigest {
        var sum = SiteDigest()
        for record in records {
            sum.add(
                RecordDigest(
                    id: record.id, version: record.version,
                    fields: record.fields.mapValues(\.value)))
        }
        return sum
    }

    fileprivate func answer(_ call: WireCall) -> TransportOutcome {
        onCall(call)
        let fault = state.withLock { state -> Fault? in
            state.calls.append(call)
            return state.faults.isEmpty ? nil : state.faults.removeFirst()
        }
        switch fault {
        case nil: return handle(call)
        case .requestLost: return .fault(.timedOut)
        case .answerLost:
            _ = handle(call)
            return .fault(.interrupted)
        case .brokenAfterCommit:
            _ = handle(call)
            return Self.failure(500, "internal")
        case .captivePortal: return Self.html(200)
        case .htmlError: return Self.html(404)
        case .tooMany: return Self.failure(429, "too_many", retryAfter: 2)
        case .unauthorised: return Self.failure(401, "token_unknown")
        case .badGateway: return Self.html(502)
        case .deliveredTwice:
            _ = handle(call)
            return handle(call)
        case .strangerAnswer:
            return Self.success(Wire.response(Wire.request(900...900)).json)
        }
    }

    private func handle(_ call: WireCall) -> TransportOutcome {
        do {
            if call.path == "/api/v1/sync/push" {
                return try push(PushRequest(json: JSON.parse(call.body ?? [])), call)
            }
            if call.path == "/api/v1/forms" {
                return Self.success(FormListing.document(state.withLock { $0.forms }))
            }
            if call.path.hasPrefix("/api/v1/forms/") {
                return Self.success(state.withLock { $0.formDocument })
            }
            return Self.success(pull(call.path))
        } catch {
            return Self.failure(400, "bad_request")
        }
    }

    private func push(_ request: PushRequest, _ call: WireCall) -> TransportOutcome {
        state.withLock { state in
            state.pushes += 1
            if let batons = state.batons, !batons.takes(request) {
                return Self.failure(409, "forked")
            }
            let results = request.mutations.map { judge($0, by: request.clientNodeId, &state) }
            let baton = state.batons?.handOn(after: request)
            guard state.queues else {
                let response = PushResponse(results: results, baton: baton, server: Wire.server)
                return Self.success(response.json)
            }
            state.results += results
            let ticket = PushTicket(ticket: "t\(state.pushes)").json.serialized()
            return .answer(WireAnswer(status: 202, body: ticket))
        }
    }

    private func judge(
        _ mutation: Mutation, by node: NodeID, _ state: inout State
    ) -> Verdict {
        if let status = state.verdicts[mutation.id] {
            return Verdict(mutationId: mutation.id, status: status)
        }
        if let content = state.contents[mutation.id] {
            let isSame = content == mutation.contentHash
            let record = state.isTerse ? nil : state.latest[mutation.record]
            return Verdict(
                mutationId: mutation.id, status: isSame ? .duplicate : .rejected,
                version: record?.version, record: record, error: isSame ? nil : .contentMismatch)
        }
        state.contents[mutation.id] = mutation.contentHash
        state.effects[mutation.id, default: 0] += 1
        let record = Self.merge(mutation, by: node, into: state.latest[mutation.record])
        state.append(record)
        return Verdict(
            mutationId: mutation.id, status: .applied, version: record.version, record: record)
    }

    /// One device alone edits here: whatever it says last, stands.
    private static func merge(
        _ mutation: Mutation, by node: NodeID, into current: WireRecord?
    ) -> WireRecord {
        var record =
            current
            ?? WireRecord(
                table: mutation.table, id: mutation.record, parent: mutation.parent, version: 0,
                fields: [:], updatedAtUtc: "")
        record.version += 1
        for (name, change) in mutation.changes {
            record.fields[name] = WireRecord.Field(
                value: change.value, stamp: Stamp(lamport: change.lamport, node: node),
                version: record.version)
        }
        return record
    }

    private func pull(_ path: String) -> JSON {
        let digits = path.firstRange(of: "cursor=").map {
            path[$0.upperBound...].prefix { $0 != "&" }
        }
        let position = digits.flatMap { Int($0) } ?? 0
        return state.withLock { state in
            let end = min(state.feed.count, position + pageSize)
            let isLast = end == state.feed.count
            // Whoever begins at the beginning gets all there is.
            let missed = position == 0 ? state.hidden : []
            let all = Array(state.latest.values) + state.hidden
            let digest = DigestReport(position: "\(end)", sites: ["": Self.digest(of: all)])
            let results = isLast ? state.results : []
            if isLast { state.results = [] }
            return PullResponse(
                deltaRecords: missed + state.feed[position..<end], results: results,
                nextCursor: "\(end)", hasMore: !isLast, digest: isLast ? digest : nil,
                server: Wire.server
            ).json
        }
    }

    private static func success(_ json: JSON) -> TransportOutcome {
        .answer(WireAnswer(status: 200, body: json.serialized()))
    }

    private static func failure(
        _ status: Int, _ code: String, retryAfter: Int64? = nil
    ) -> TransportOutcome {
        let failure = WireFailure(error: WireError(code: code, message: code))
        return .answer(
            WireAnswer(
                status: status, retryAfterSeconds: retryAfter, body: failure.json.serialized()))
    }

    private static func html(_ status: Int) -> TransportOutcome {
        .answer(
            WireAnswer(
                status: status, contentType: "text/html", body: Array("<html></html>".utf8)))
    }

    /// A new connection; cancelling it cancels nobody else's.
    func connect() -> any Transport { Line(server: self) }

    private final class Line: Transport {
        let server: FakeServer
        let isCancelled = Atomic<Bool>(false)

        init(server: FakeServer) { self.server = server }

        func send(_ call: WireCall) -> TransportOutcome {
            guard !isCancelled.load(ordering: .acquiring) else { return .fault(.cancelled) }
            return server.answer(call)
        }

        func disconnect() {}
        func cancel() { isCancelled.store(true, ordering: .releasing) }
    }
}
