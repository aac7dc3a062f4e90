import Coding
import Replication
import Sync
import Synchronization

/// A replica in memory: an outbox and the records that came. What the real store does with bases,
/// shadows and drafts is its own tests' matter; here it is about what travels and when.
final class FakeReplica: Replica {
    struct Failure: Error, Equatable { var word: String }

    struct Entry: Sendable {
        enum Status: Sendable { case pending, inFlight, failed, conflict, inReview }
        var mutation: Mutation
        var status = Status.pending
        var failures = 0
        var error: String?
    }

    struct State: Sendable {
        var entries: [Entry] = []
        var settled: [MutationID] = []
        var records: [RecordID: WireRecord] = [:]
        var cursor: String?
        var cursorWrites = 0
        var pages = 0
        var forms: [FormListing] = []
        var floor: Int64?
        var notes: [CycleReport] = []
        var upkeeps = 0
        /// Slices that upkeep was let do.
        var slices = 0
        /// Names of calls that throw once each, as a busy or full disk does.
        var throwing: [String] = []
        var node = NodeID("node")
        var ticketed: Set<MutationID> = []
        var repairs: [[String]] = []

        func isInFlight(_ id: MutationID) -> Bool {
            entries.contains { $0.mutation.id == id && $0.status == .inFlight }
        }

        mutating func seal(_ limit: Int, _ skipping: Set<MutationID>) -> PushRequest? {
            let indices = entries.indices.filter {
                entries[$0].status == .pending && !skipping.contains(entries[$0].mutation.id)
            }.prefix(limit)
            guard !indices.isEmpty else { return nil }
            for index in indices { entries[index].status = .inFlight }
            return PushRequest(
                clientNodeId: node, clientEpoch: 1, baton: nil, pullPosition: cursor,
                mutations: indices.map { entries[$0].mutation })
        }
    }

    let state = Mutex(State())

    /// Waiting mutations with these numbers, each on a record of its own.
    init(_ numbers: [Int] = []) {
        for number in numbers { edit(number) }
    }

    func edit(_ number: Int) {
        state.withLock { $0.entries.append(Entry(mutation: Wire.mutation(number))) }
    }

    func throwOnce(in call: String) {
        state.withLock { $0.throwing.append(call) }
    }

    var entries: [Entry] { state.withLock { $0.entries } }
    var settled: [MutationID] { state.withLock { $0.settled } }

    private func work<Result>(_ call: String, _ body: (inout State) throws -> Result) throws
        -> Result
    {
        try state.withLock { state in
            if let index = state.throwing.firstIndex(of: call) {
                state.throwing.remove(at: index)
                throw Failure(word: call)
            }
            return try body(&state)
        }
    }

    func recover() throws {
        try work("recover") { state in
            for index in state.entries.indices
            where state.entries[index].status == .inFlight
                && !state.ticketed.contains(state.entries[index].mutation.id)
            {
                state.entries[index].status = .pending
            }
        }
    }

    func sealBatch(limit: Int, skipping: Set<MutationID>) throws -> PushRequest? {
        try work("seal") { $0.seal(limit, skipping) }
    }

    /// Each mutation has a record of its own here, so nothing hangs on the batch under way.
    func prepareBatch(
        behind request: PushRequest, limit: Int, skipping: Set<MutationID>
    ) throws -> PushRequest? {
        try work("prepare") { $0.seal(limit, skipping) }
    }

    func adopt(_ response: PushResponse, before next: PushRequest) throws -> PushRequest? {
        try work("adopt") { state in
            guard next.mutations.allSatisfy({ state.isInFlight($0.id) }) else { return nil }
            var request = next
            request.baton = response.baton
            return request
        }
    }

    func settle(_ request: PushRequest, by response: PushResponse) throws {
        try work("settle") { state in
            let verdicts = Dictionary(
                response.results.map { ($0.mutationId, $0) },
                uniquingKeysWith: { first, _ in first })
            for mutation in request.mutations {
                guard let index = state.entries.firstIndex(where: { $0.mutation.id == mutation.id })
                else { continue }
                guard let verdict = verdicts[mutation.id] else {
                    state.entries[index].status = .pending
                    continue
                }
                switch verdict.status {
                case .applied, .merged, .duplicate:
                    state.entries.remove(at: index)
                    state.settled.append(mutation.id)
                case .conflict: state.entries[index].status = .conflict
                case .quarantined: state.entries[index].status = .inReview
                case .rejected: state.entries[index].status = .failed
                case .held: state.entries[index].status = .pending
                }
            }
        }
    }

    func fail(_ id: MutationID, error: String) throws {
        try work("fail") { state in
            for index in state.entries.indices where state.entries[index].mutation.id == id {
                state.entries[index].status = .failed
                state.entries[index].error = error
            }
        }
    }

    func blame(_ id: MutationID, error: String) throws {
        try work("count") { state in
            for index in state.entries.indices where state.entries[index].mutation.id == id {
                state.entries[index].failures += 1
                state.entries[index].status = state.entries[index].failures < 5 ? .pending : .failed
                state.entries[index].error = error
            }
        }
    }

    func split(_ id: MutationID) throws -> Bool { false }

    func takeNewNode() throws -> NodeID {
        try work("node") { state in
            state.node = NodeID("\(state.node)+")
            for index in state.entries.indices where state.entries[index].status == .inFlight {
                state.entries[index].status = .pending
            }
            return state.node
        }
    }

    func keepTicket(for ids: [MutationID]) throws {
        try work("ticket") { $0.ticketed.formUnion(ids) }
    }

    func pullRequest() throws -> PullRequest {
        try work("pull") {
            PullRequest(
                cursor: $0.cursor, report: DeviceReport(pending: Int64($0.entries.count)))
        }
    }

    func take(_ page: PullResponse) throws {
        try work("page") { state in
            for record in page.deltaRecords
            where
                record.version > (state.records[record.id]?.version ?? 0)
            {
                state.records[record.id] = record
            }
            for verdict in page.results where verdict.status == .applied {
                state.entries.removeAll { $0.mutation.id == verdict.mutationId }
                state.settled.append(verdict.mutationId)
            }
            state.cursor = page.nextCursor
            state.cursorWrites += 1
            state.pages += 1
        }
    }

    func restartPull() throws {
        try work("restart") { $0.cursor = nil }
    }

    func wantsForm(_ listing: FormListing) throws -> Bool {
        try work("wants") { !$0.forms.contains(listing) }
    }

    func store(form: JSON, listing: FormListing) throws {
        try work("form") { $0.forms.append(listing) }
    }

    func sitesDiffering(from digest: DigestReport) throws -> [String] {
        try work("compare") { state in
            let own = FakeServer.digest(of: Array(state.records.values))
            return digest.sites[""] == own ? [] : [""]
        }
    }

    func beginRepair(of sites: [String]) throws -> Bool {
        try work("repair") { state in
            state.repairs.append(sites)
            state.cursor = nil
            return true
        }
    }

    func outboxCounts() throws -> OutboxCounts {
        try work("counts") { state in
            let entries = state.entries
            let count = { (status: Entry.Status) in entries.count { $0.status == status } }
            return OutboxCounts(
                pending: count(.pending), inFlight: count(.inFlight), failed: count(.failed),
                conflict: count(.conflict), inReview: count(.inReview))
        }
    }

    func note(_ report: CycleReport, at now: Int64) throws {
        try work("note") { $0.notes.append(report) }
    }

    func keepUp(while goOn: () -> Bool) throws {
        try work("upkeep") { $0.upkeeps += 1 }
        for _ in 1...10 where goOn() { state.withLock { $0.slices += 1 } }
    }

    func retryFloor() throws -> Int64? { try work("floor") { $0.floor } }

    func keepRetryFloor(_ instant: Int64?) throws { try work("keep") { $0.floor = instant } }
}
