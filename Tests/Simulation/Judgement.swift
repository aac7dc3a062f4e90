import Coding
import LocalStore
import Replication
import SQLite
import ServerStore

/// What the pure merge makes of one batch, beside what the server makes of it.
struct Judgement {
    private let request: PushRequest
    let node: NodeID
    private let policies: FormPolicies
    private let standing: ServerEpochs.Standing
    private let returned: ReturnedChanges
    private var states: [RecordID: RecordState]
    /// What stood before of those that come again.
    private let repeated: [MutationID: Verdict]

    init(
        _ request: PushRequest, _ reader: Connection, _ policies: FormPolicies,
        _ standing: ServerEpochs.Standing
    ) throws {
        self.request = request
        self.standing = standing
        node = request.clientNodeId
        self.policies = policies
        returned = try ReturnedChanges(request, reader)
        var states: [RecordID: RecordState] = [:]
        let ids = Set(request.mutations.flatMap { [$0.record, $0.parent].compactMap(\.self) })
        for id in ids { states[id] = try reader.recordState(id) }
        self.states = states
        var repeated: [MutationID: Verdict] = [:]
        for id in request.mutations.map(\.id) { repeated[id] = try reader.storedVerdict(id) }
        self.repeated = repeated
    }

    /// - Throws: `Violation` where the server came to something else.
    func check(_ response: PushResponse, _ reader: Connection) throws {
        var states = states
        var returned = returned
        let mutations = Dictionary(request.mutations.map { ($0.id, $0) }) { first, _ in first }
        var lost: [(entry: HistoryEntry, mutation: Mutation)] = []
        for verdict in response.results {
            guard let mutation = mutations[verdict.mutationId] else {
                throw Violation("a verdict on what was not sent", "\(verdict.mutationId)")
            }
            if let before = repeated[mutation.id] {
                try check(verdict, repeating: before)
                continue
            }
            try check(refusal: verdict, of: mutation, reader)
            guard verdict.status != .rejected, verdict.status != .held,
                !verdict.leavesScopeToReview
            else { continue }
            let current = states[mutation.record]
            let rest = isEarlier && current != nil ? returned.rest(of: mutation) : mutation
            let outcome = mergeRecord(
                current: current,
                mutation: current.map { believed(rest, as: mutation, on: $0, returned) }
                    ?? mutation,
                node: node,
                parentIsKnown: mutation.parent.map { states[$0] != nil } ?? true,
                past: past(of: rest, as: mutation, on: current, returned)
            ) { policies.policy(of: $0, in: mutation.table) }
            lost += outcome.history.map { ($0, mutation) }
            if isEarlier, current != nil {
                lost += returned.replaced(in: mutation).map { ($0, mutation) }
            }
            let isLookedAt = try mutation.deletion != nil && reader.isLookedAt(mutation.id)
            let status = told(outcome.status, of: mutation, on: current, returned)
            guard
                status == verdict.status
                    || isLookedAt && status == .applied && verdict.status == .merged
            else {
                throw Violation(
                    "a verdict is not the merge's",
                    "\(mutation.words): \(verdict.status) instead of \(status)")
            }
            if outcome.isChanged { states[mutation.record] = outcome.record }
            if isEarlier, outcome.record != nil { returned.note(mutation) }
        }
        for (entry, mutation) in lost where try !reader.keeps(entry, because: mutation) {
            throw Violation(
                "what lost is not kept", "\(entry.field) of \(mutation.record), \(entry.rule)")
        }
        for (id, state) in states {
            let found = try reader.recordState(id)
            guard let field = state.firstDifference(from: found) else { continue }
            throw Violation("the server's record is not what the merge makes", "\(id) \(field)")
        }
    }

    private func past(
        of rest: Mutation, as sent: Mutation, on current: RecordState?,
        _ returned: ReturnedChanges
    ) -> ReturnedPast {
        guard isEarlier else { return ReturnedPast() }
        var past = returned.past(of: rest, as: sent, on: current)
        // Until the record could come back no more the server holds the change.
        past.isOverdue = current == nil
        return past
    }

    /// Whether the batch is of before the server was restored.
    private var isEarlier: Bool {
        if case .current = standing { return false }
        return true
    }

    private func told(
        _ status: Verdict.Status, of mutation: Mutation, on current: RecordState?,
        _ returned: ReturnedChanges
    ) -> Verdict.Status {
        guard let current, isEarlier else { return status }
        return returned.status(status, of: mutation, on: current)
    }

    /// What is left of a mutation, as far as its bases can be believed.
    private func believed(
        _ rest: Mutation, as sent: Mutation, on current: RecordState, _ returned: ReturnedChanges
    ) -> Mutation {
        let believed = rest.believing(standing, at: current.version)
        guard isEarlier else { return believed }
        return returned.known(believed, as: sent, on: current)
    }

    // MARK: The mutant of the order of arrival

    /// Where two changes are equally old, the one that arrives now counts as the younger.
    func favouringArrival() -> PushRequest {
        var request = request
        request.mutations = request.mutations.map { mutation in
            var mutation = mutation
            for (name, change) in mutation.changes {
                guard let register = states[mutation.record]?.fields[name],
                    register.stamp.lamport == change.lamport, register.stamp.node != node
                else { continue }
                mutation.changes[name]?.lamport += 1
            }
            return mutation
        }
        return request
    }
}

extension Mutation {
    /// A base that the record has not reached is none; one of an older epoch is as old as that.
    fileprivate func believing(
        _ standing: ServerEpochs.Standing, at version: Int64
    ) -> Mutation {
        var copy = self
        copy.changes = changes.mapValues { change in
            var change = change
            change.baseVersion = standing.believed(change.baseVersion, of: record, at: version)
            return change
        }
        return copy
    }
}

extension Verdict {
    /// Made before its device lost the scope: a person decides, and nothing is merged. What came back
    /// before of it may wait by another rule.
    fileprivate var leavesScopeToReview: Bool {
        status == .quarantined
            && conflicts.contains { $0.rule == MergeRule.scope.rawValue }
    }
}

extension RecordState {
    /// What differs first, in words; nil where nothing does. The counters are left out: what a
    /// merge decides shows in values and versions.
    fileprivate func firstDifference(from other: RecordState?) -> String? {
        guard let other else { return "is missing" }
        if version != other.version { return "has version \(other.version), not \(version)" }
        for name in Set(fields.keys).union(other.fields.keys).sorted() {
            let (mine, theirs) = (fields[name], other.fields[name])
            if mine?.value ?? .null != theirs?.value ?? .null { return "\(name) has another value" }
            if mine?.version != theirs?.version { return "\(name) has another version" }
            if mine?.foreignVersion != theirs?.foreignVersion {
                return "\(name) was changed by others at another version"
            }
        }
        return nil
    }
}

extension Connection {
    /// A record as the server has it.
    func recordState(_ id: RecordID) throws -> RecordState? {
        let found = try first(
            "SELECT table_name, parent_id, version FROM record WHERE id = ?", [.text(id.rawValue)]
        ) { row in
            RecordState(
                table: try row.text(0), id: id,
                parent: try row.optionalText(1).map { RecordID($0) },
                version: try row.integer(2))
        }
        guard var state = found else { return nil }
        try each(
            """
            SELECT name, value, lamport, node, version, foreign_version FROM field
            WHERE record_id = ?
            """, [.text(id.rawValue)]
        ) { row in
            state.fields[try row.text(0)] = FieldRegister(
                value: try row.fieldValue(1),
                stamp: Stamp(lamport: try row.integer(2), node: NodeID(try row.text(3))),
                version: try row.integer(4), foreignVersion: try row.integer(5))
        }
        return state
    }

    /// What the server has kept of a mutation: its status, and the fields that are still open.
    func storedVerdict(_ id: MutationID) throws -> Verdict? {
        try first(
            "SELECT status, conflicts FROM verdict WHERE mutation_id = ?", [.text(id.rawValue)]
        ) { row in
            let status = Verdict.Status(rawValue: try row.text(0)) ?? .applied
            let conflicts = try JSON.parse(Array(try row.text(1).utf8)).asArray()
            return Verdict(
                mutationId: id, status: status,
                conflicts: try conflicts.map { try FieldConflict(json: $0) })
        }
    }
}
