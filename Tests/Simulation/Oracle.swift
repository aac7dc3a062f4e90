import Coding
import LocalStore
import Replication
import SQLite
import ServerStore

/// Watches the server from outside: whatever a push did is what the pure merge makes of the state
/// before it, and what was committed stays.
final class Oracle {
    /// What the server has settled of a device's edits, with the number of the event: applied, lost
    /// to a rule and kept in history, or decided by a person.
    private(set) var settled: [Edit: Int] = [:]
    /// Which device speaks, or spoke, under a node: by its first one.
    private var authors: [NodeID: NodeID] = [:]
    /// Reviews that were decided.
    private var decided: Set<String> = []
    private var known: [RecordID: RecordState] = [:]
    /// Records of a transaction of which nobody knows whether it was committed.
    private var uncertain: Set<RecordID> = []
    private var unclear: [(request: PushRequest, by: NodeID)] = []
    private let policies = FormPolicies()
    private let mutant: Mutant?
    private var dice: Dice
    private var hidden: [RecordID: Int] = [:]
    var eventNumber = 0
    /// For the story, where there is one.
    var tell: ((String) -> Void)?

    struct Edit: Hashable {
        var node: NodeID
        var record: RecordID
        var name: FieldName
        var value: FieldValue
    }

    init(mutant: Mutant?, seed: UInt64) {
        self.mutant = mutant
        dice = Dice(seed: seed)
    }

    // MARK: Pushes

    /// Lets the server judge a batch and checks what it made of it.
    func watch(
        _ request: PushRequest, by author: NodeID, _ store: SQLiteStore,
        _ server: SimServer, push: (PushRequest) throws -> PushResponse
    ) throws -> PushResponse {
        guard let reader = server.reader else { return try push(request) }
        authors[request.clientNodeId] = author
        let judgement = try Judgement(request, reader, policies)
        let response: PushResponse
        do {
            response = try push(mutant == .arrivalOrder ? judgement.favouringArrival() : request)
        } catch {
            if server.disk.hasStopped {
                uncertain.formUnion(request.mutations.map(\.record))
                unclear.append((request, author))
            }
            throw error
        }
        try judgement.check(response, reader)
        note(request, response, by: author)
        try remember(request.mutations.map(\.record), reader)
        hide(request)
        return response
    }

    private func note(
        _ request: PushRequest, _ response: PushResponse, by author: NodeID
    ) {
        let mutations = Dictionary(request.mutations.map { ($0.id, $0) }) { first, _ in first }
        for verdict in response.results {
            guard let mutation = mutations[verdict.mutationId] else { continue }
            note(mutation, verdict, by: author)
            tell?(mutation.words + " " + verdict.words)
        }
    }

    private func note(_ mutation: Mutation, _ verdict: Verdict, by node: NodeID) {
        guard verdict.status != .rejected, verdict.status != .held else { return }
        let open = Set(verdict.conflicts.map(\.column))
        for (name, change) in mutation.changes where !open.contains(name) {
            settle(node, mutation.record, name, change.value)
        }
    }

    func settle(_ node: NodeID, _ record: RecordID, _ name: FieldName, _ value: FieldValue) {
        settled[Edit(node: node, record: record, name: name, value: value)] = eventNumber
    }

    /// What supervisors have decided since the last look.
    func newDecisions(_ reader: Connection) throws -> [FieldKey] {
        let rows = try reader.query(
            """
            SELECT id, mine_node, record_id, name, mine FROM review WHERE decision IS NOT NULL
            ORDER BY id
            """
        ) { row in
            (
                id: try row.text(0),
                edit: Edit(
                    node: NodeID(try row.text(1)), record: RecordID(try row.text(2)),
                    name: try row.text(3), value: try row.fieldValue(4))
            )
        }
        return rows.filter { decided.insert($0.id).inserted }.map { row in
            var edit = row.edit
            edit.node = authors[edit.node] ?? edit.node
            settled[edit] = eventNumber
            return FieldKey(record: row.edit.record, name: row.edit.name)
        }
    }

    // MARK: What was committed stays

    private func remember(_ records: [RecordID], _ reader: Connection) throws {
        for id in Set(records) { known[id] = try reader.recordState(id) }
    }

    /// After something that the office did.
    func rememberAll(_ reader: Connection) throws {
        let ids = try reader.query("SELECT id FROM record") { RecordID(try $0.text(0)) }
        try remember(ids, reader)
    }

    /// The program ended while something was being written.
    func noteUncertain() { uncertain.formUnion(known.keys) }

    /// After a new start, and at the end.
    func checkCommitted(_ reader: Connection) throws {
        for (id, state) in known where !uncertain.contains(id) {
            let found = try reader.recordState(id)
            guard found == state else {
                throw Violation(
                    "a committed change is gone from the server",
                    "\(id): version \(found?.version ?? 0) instead of \(state.version)")
            }
        }
        for (request, author) in unclear {
            for mutation in request.mutations {
                guard let verdict = try reader.storedVerdict(mutation.id) else { continue }
                note(mutation, verdict, by: author)
            }
        }
        unclear = []
        uncertain = []
        try rememberAll(reader)
    }

    // MARK: The mutant of the plain sequence

    /// The transaction of this batch has its positions and is not committed yet, as far as readers
    /// can tell; positions after it are given meanwhile.
    private func hide(_ request: PushRequest) {
        guard mutant == .plainSequence, dice.oneIn(3) else { return }
        for mutation in request.mutations { hidden[mutation.record] = eventNumber + 40 }
    }

    func hideUncommitted(_ page: PullResponse) -> PullResponse {
        guard mutant == .plainSequence else { return page }
        var page = page
        page.deltaRecords.removeAll { (hidden[$0.id] ?? 0) > eventNumber }
        return page
    }
}

extension Mutation {
    /// For the story.
    fileprivate var words: String {
        "\(operation.rawValue) of \(record): "
            + columns.map { name in
                "\(name)=\(changes[name]?.value.plainText ?? "")@\(changes[name]?.baseVersion ?? 0)"
            }.joined(separator: " ")
    }
}

extension Verdict {
    /// For the story.
    fileprivate var words: String {
        "is \(status.rawValue)" + (version.map { " at \($0)" } ?? "")
            + (conflicts.isEmpty ? "" : " \(conflicts.map { "\($0.column) by \($0.rule)" })")
            + (error.map { " \($0.code)" } ?? "")
    }
}
