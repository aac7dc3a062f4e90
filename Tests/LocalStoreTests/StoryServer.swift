import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

/// A server without a disk: the real merge, verdicts that are kept, a feed without gaps. Every
/// message passes through its JSON, as on the wire.
final class StoryServer {
    struct Kept {
        var hash: [UInt8]
        var status: Verdict.Status
        var conflicts: [FieldConflict]
    }

    /// What a backup keeps.
    struct Contents {
        var records: [RecordID: RecordState] = [:]
        var effects = 0
        var kept: [MutationID: Kept] = [:]
        var feed: [RecordID: Int] = [:]
        var position = 0
        var clock = LamportClock()
        var results: [Verdict] = []
        /// Feed positions below this are not kept, and ids that were pruned.
        var prunedBelow = 0
        var pruned: Set<RecordID> = []
    }

    var contents = Contents()
    private var batons = 0
    /// Rises with each restore.
    var epoch: Int64 = 1
    /// By epoch, the version that each record had when it began.
    var ceilings: [Int64: [RecordID: Int64]] = [:]
    var records: [RecordID: RecordState] { contents.records }
    var effects: Int { contents.effects }
    /// The pullPosition of each push.
    private(set) var pullPositions: [String?] = []
    var policies: [FieldName: MergePolicy] = [
        "pressure": .quarantine, "health": .rank(["CRITICAL", "WARNING", "OPTIMAL"]),
    ]
    /// Refused with this error, by table.
    var refused: [String: WireError] = [:]
    /// Of copies only, by field.
    var refusedCopies: [FieldName: WireError] = [:]
    private var now = FixedClock.mondayMorning
    private var updatedAt: String { SyncTimestamp.text(now) }

    var state: ServerState {
        ServerState(lamport: contents.clock.counter, epoch: epoch, timeUtc: updatedAt)
    }

    func push(_ request: PushRequest) throws -> PushResponse {
        var request = try PushRequest(json: .parse(request.json.serialized()))
        pullPositions.append(request.pullPosition)
        request.mutations = request.mutations.map { inThisEpoch($0, request.pullPosition) }
        var holds = BatchHolds()
        let results = try request.mutations.map { mutation in
            try judge(mutation, by: request.clientNodeId, &holds)
        }
        batons += 1
        let response = PushResponse(results: results, baton: "baton-\(batons)", server: state)
        return try PushResponse(json: .parse(response.json.serialized()))
    }

    private func judge(
        _ mutation: Mutation, by node: NodeID, _ holds: inout BatchHolds
    ) throws -> Verdict {
        if let known = contents.kept[mutation.id] {
            guard known.hash == mutation.contentHash else {
                return Verdict(
                    mutationId: mutation.id, status: .rejected, error: .contentMismatch)
            }
            return verdict(
                mutation, known.status, conflicts: known.conflicts)
        }
        if let error = refused[mutation.table] {
            holds.note(mutation, .rejected, conflicts: [])
            return Verdict(mutationId: mutation.id, status: .rejected, error: error)
        }
        if mutation.operation != .delete, isBelowDeleted(mutation) {
            holds.note(mutation, .rejected, conflicts: [])
            return Verdict(
                mutationId: mutation.id, status: .rejected,
                error: WireError(code: "parent_deleted", message: "It was deleted."))
        }
        if let holder = holds.holder(of: mutation) {
            holds.note(mutation, .held, conflicts: [])
            return Verdict(mutationId: mutation.id, status: .held, heldBy: holder)
        }
        guard LamportClock.isBelievable(mutation.highestLamport, after: contents.clock.counter)
        else {
            return Verdict(mutationId: mutation.id, status: .rejected, error: .lamportJump)
        }
        try contents.clock.witness(mutation.highestLamport)
        // A deletion from before a restore waits for what its record stood under.
        let isOrphan =
            records[mutation.record] == nil && mutation.parent != nil
            && mutation.parent.flatMap { records[$0] } == nil
        if isOrphan, mutation.deletion?.formerVersion ?? 0 > 0 {
            return Verdict(mutationId: mutation.id, status: .held)
        }
        let outcome = merge(mutation, by: node)
        holds.note(mutation, outcome.status, conflicts: outcome.conflicts)
        if outcome.status.isStored {
            contents.kept[mutation.id] = Kept(
                hash: mutation.contentHash, status: outcome.status, conflicts: outcome.conflicts)
        }
        return outcome.verdict(for: mutation.id, updatedAtUtc: updatedAt)
    }

    private func isBelowDeleted(_ mutation: Mutation) -> Bool {
        var next = records[mutation.record]?.parent ?? mutation.parent
        while let id = next, let record = records[id] {
            if record.isDeleted { return true }
            next = record.parent
        }
        return false
    }

    func merge(_ mutation: Mutation, by node: NodeID) -> RecordOutcome {
        let parentIsKnown = mutation.parent.map { records[$0] != nil } ?? true
        let policies = policies
        var past = ReturnedPast()
        past.wasInForce = mutation.deletion.map { $0.formerVersion > 0 } ?? false
        let outcome = mergeRecord(
            current: records[mutation.record], mutation: mutation, node: node,
            parentIsKnown: parentIsKnown, past: past
        ) { policies[$0] ?? .ask }
        guard outcome.isChanged, let record = outcome.record else { return outcome }
        contents.effects += 1
        contents.position += 1
        contents.records[record.id] = record
        contents.feed[record.id] = contents.position
        return outcome
    }

    private func verdict(
        _ mutation: Mutation, _ status: Verdict.Status, conflicts: [FieldConflict]
    ) -> Verdict {
        let record = records[mutation.record]?.wire(updatedAtUtc: updatedAt)
        return Verdict(
            mutationId: mutation.id, status: status, version: record?.version, record: record,
            conflicts: conflicts)
    }

    func pass(milliseconds: Int64) { now += milliseconds }

    // MARK: Others

    /// Takes over what another server had.
    func adopt(_ states: [RecordState], position: Int, lamport: Int64) {
        contents.position = position
        contents.clock.adopt(serverLamport: lamport)
        for state in states {
            contents.records[state.id] = state
            contents.feed[state.id] = position
        }
    }

    /// A colleague who has seen everything sets fields of a record, or makes it.
    func edit(
        _ id: RecordID, _ values: [FieldName: FieldValue], by node: NodeID = "node-b",
        table: String = RecordTable.inspection, parent: RecordID? = nil, lamport: Int64? = nil
    ) {
        let known = records[id]
        let lamport = lamport ?? contents.clock.tick()
        let changes = values.mapValues { value in
            FieldChange(value: value, baseVersion: known?.version ?? 0, lamport: lamport)
        }
        let mutation = Mutation(
            id: MutationID("b-\(lamport)"), sequence: lamport, table: known?.table ?? table,
            record: id,
            parent: known?.parent ?? parent, operation: known == nil ? .insert : .update,
            lamport: lamport, changes: changes, createdAtUtc: updatedAt)
        _ = merge(mutation, by: node)
    }

    func delete(_ id: RecordID, by node: NodeID = "node-b") {
        edit(id, [Mutation.deletedField: .integer(1)], by: node)
    }

    func restore(_ id: RecordID, by node: NodeID = "node-b") {
        edit(id, [Mutation.deletedField: .integer(0)], by: node)
    }

    /// A supervisor takes the reading of a mutation in review, or keeps the one that stands.
    func decide(_ mutation: MutationID, on record: RecordID, takes values: [FieldName: FieldValue])
    {
        if !values.isEmpty { edit(record, values, by: "portal:anna") }
        if var rest = contents.kept[mutation] {
            let decided = [MergeRule.quarantine, .unknownRecord].map(\.rawValue)
            rest.conflicts.removeAll { decided.contains($0.rule) }
            rest.status = rest.conflicts.isEmpty ? .merged : .conflict
            contents.kept[mutation] = rest
        }
        contents.results.append(
            Verdict(
                mutationId: mutation, status: .merged, version: records[record]?.version,
                record: records[record]?.wire(updatedAtUtc: updatedAt)))
    }

    // MARK: Pull

    func pull(_ request: PullRequest, limit: Int? = nil) throws -> PullResponse {
        guard let since = since(request.cursor) else { throw CursorExpired() }
        let changed = contents.feed.filter { $0.value > since }.sorted { $0.value < $1.value }
        let page = changed.prefix(limit ?? Int(request.limit))
        let hasMore = page.count < changed.count
        let end = hasMore ? page.last?.value ?? since : contents.position
        let response = PullResponse(
            deltaRecords: page.compactMap { records[$0.key]?.wire(updatedAtUtc: updatedAt) },
            results: hasMore ? [] : contents.results, nextCursor: cursor(end), hasMore: hasMore,
            digest: hasMore ? nil : DigestReport(position: cursor(end), sites: digests),
            server: state)
        if !hasMore { contents.results = [] }
        return try PullResponse(json: .parse(response.json.serialized()))
    }

    private var digests: [String: SiteDigest] {
        var sums: [String: SiteDigest] = [:]
        for record in records.values where !record.isDeleted {
            sums[site(of: record), default: SiteDigest()].add(record.digest)
        }
        return sums
    }

    private func site(of record: RecordState) -> String {
        var current = record
        while let parent = current.parent {
            guard let above = records[parent] else { return "" }
            current = above
        }
        return current.table == RecordTable.site ? current.id.rawValue : ""
    }
}

extension Device {
    /// Pushes until nothing can be sent, then pulls until there is no more, and asks what is to ask.
    @discardableResult
    func sync(_ server: StoryServer) throws -> PageReport {
        try pushAll(to: server)
        let report = try pullAll(from: server)
        try store.askAboutDeleted()
        return report
    }

    func pushAll(to server: StoryServer) throws {
        var offered: Set<MutationID> = []
        while let batch = try store.sealBatch(skipping: offered) {
            offered.formUnion(batch.mutations.map(\.id))
            try store.apply(server.push(batch), to: batch)
        }
    }

    /// What the server lacks goes to it, until it takes no more.
    func offerCopies(to server: StoryServer) throws {
        var held: Set<RecordID> = []
        while let request = try store.copiesToOffer(skipping: held) {
            let response = try server.takeCopies(request)
            held.formUnion(response.results.filter { $0.status == .held }.map(\.recordId))
            try store.settle(request, by: response)
        }
    }

    @discardableResult
    func pullAll(from server: StoryServer, limit: Int? = nil) throws -> PageReport {
        while true {
            let page = try nextPage(from: server, limit: limit)
            let report = try store.apply(page: page)
            if !page.hasMore { return report }
        }
    }

    /// From the beginning where the cursor is not kept any more.
    func nextPage(from server: StoryServer, limit: Int? = nil) throws -> PullResponse {
        do {
            return try server.pull(store.pullRequest(), limit: limit)
        } catch is StoryServer.CursorExpired {
            try store.restartPull()
            return try server.pull(store.pullRequest(), limit: limit)
        }
    }

    /// Nothing waits, and what is confirmed here is what the server has.
    func expectNothingPending(_ server: StoryServer) throws {
        let report = try pullAll(from: server)
        #expect(report.sitesDiffering == [])
        #expect(try store.status().unsynced == 0)
        #expect(try store.outbox() == [])
        #expect(try number("SELECT count(*) FROM __sync_shadow") == 0)
        #expect(try waiting == 0)
    }
}
