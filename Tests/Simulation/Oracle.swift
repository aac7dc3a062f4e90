import Coding
import Inspections
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
    /// Which devices speak, or spoke, under a node: several where a home was copied.
    private var authors: [NodeID: Set<NodeID>] = [:]
    /// What pushes have brought that is settled, in whole or in part.
    private(set) var accepted: [MutationID: Accepted] = [:]
    /// What each device has sent, and was answered, since its home was copied last.
    private(set) var sent: [NodeID: Set<MutationID>] = [:]
    /// What has stood on the server, with the number of the last event after which it did.
    private(set) var stood: [Standing: Int] = [:]
    private(set) var epochs = ServerEpochs()
    /// Reviews that were decided.
    private var decided: Set<String> = []
    private(set) var known: [RecordID: RecordState] = [:]
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

    /// A mutation that the server has taken, and which of its values stood then. (What lost to a rule
    /// is in the history, which goes with a restore like everything else.)
    struct Accepted {
        var mutation: Mutation
        var standing: Set<FieldName>
        var authors: Set<NodeID>

        func entered(_ name: FieldName) -> Entered? {
            mutation.changes[name].map {
                Entered(
                    record: mutation.record, name: name, value: $0.value, lamport: $0.lamport)
            }
        }
    }

    /// A value, by where and when it was entered, in whatever mutation it comes.
    struct Entered: Hashable {
        var record: RecordID
        var name: FieldName
        var value: FieldValue
        var lamport: Int64
    }

    struct Standing: Hashable {
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
        authors[request.clientNodeId, default: []].insert(author)
        let judgement = try Judgement(
            request, reader, policies, epochs.standpoint(of: request.pullPosition))
        let response: PushResponse
        do {
            response = try push(broken(request, by: author, judgement, reader))
        } catch {
            if server.disk.hasStopped {
                uncertain.formUnion(request.mutations.map(\.record))
                unclear.append((request, author))
            }
            throw error
        }
        try judgement.check(response, reader)
        try note(request, response, by: author, reader)
        sent[author, default: []].formUnion(request.mutations.map(\.id))
        try remember(request.mutations.map(\.record), reader)
        hide(request)
        return response
    }

    /// What a mutant makes of a batch.
    private func broken(
        _ request: PushRequest, by author: NodeID, _ judgement: Judgement, _ reader: Connection
    ) throws -> PushRequest {
        var request = request
        switch mutant {
        case .arrivalOrder: return judgement.favouringArrival()
        case .basesBelieved: request.pullPosition = nil
        case .forkUnnoticed:
            request.baton = try reader.first(
                "SELECT current FROM baton WHERE node = ?", [.text(request.clientNodeId.rawValue)]
            ) { try $0.text(0) }
            let number = author.rawValue.split(separator: "-").last
            request.clientEpoch = number.flatMap { Int64($0) } ?? 0
        default: break
        }
        return request
    }

    private func note(
        _ request: PushRequest, _ response: PushResponse, by author: NodeID, _ reader: Connection
    ) throws {
        let mutations = Dictionary(request.mutations.map { ($0.id, $0) }) { first, _ in first }
        for verdict in response.results {
            guard let mutation = mutations[verdict.mutationId] else { continue }
            try note(mutation, verdict, by: author, reader)
            tell?(mutation.words + " " + verdict.words)
        }
    }

    private func note(
        _ mutation: Mutation, _ verdict: Verdict, by node: NodeID, _ reader: Connection
    ) throws {
        guard verdict.status != .rejected, verdict.status != .held else { return }
        let open = Set(verdict.conflicts.map(\.column))
        if accepted[mutation.id] == nil {
            accepted[mutation.id] = Accepted(
                mutation: mutation, standing: try standing(mutation, reader), authors: [])
        }
        accepted[mutation.id]?.authors.insert(node)
        for (name, change) in mutation.changes where !open.contains(name) {
            settle(node, mutation.record, name, change.value)
        }
    }

    private func standing(
        _ mutation: Mutation, _ reader: Connection
    ) throws -> Set<FieldName> {
        guard let record = try reader.recordState(mutation.record) else { return [] }
        return Set(
            mutation.changes.filter { name, change in
                record.fields[name]?.value == change.value
                    && record.fields[name]?.stamp.lamport == change.lamport
            }.keys)
    }

    private func settle(
        _ node: NodeID, _ record: RecordID, _ name: FieldName, _ value: FieldValue,
        _ number: Int? = nil
    ) {
        let edit = Edit(node: node, record: record, name: name, value: value)
        settled[edit] = number ?? eventNumber
    }

    /// What supervisors have decided since the last look.
    func newDecisions(_ reader: Connection) throws -> [FieldKey] {
        let rows = try reader.query(
            """
            SELECT id, mine_node, record_id, name, mine, mutation_id FROM review
            WHERE decision IS NOT NULL ORDER BY id
            """
        ) { row in
            (
                id: try row.text(0), mutation: MutationID(try row.text(5)),
                edit: Edit(
                    node: NodeID(try row.text(1)), record: RecordID(try row.text(2)),
                    name: try row.text(3), value: try row.fieldValue(4))
            )
        }
        return rows.filter { decided.insert($0.id).inserted }.map { row in
            // A copy of a home may have sent the same change as another node.
            let senders = accepted[row.mutation]?.authors ?? []
            for author in (authors[row.edit.node] ?? [row.edit.node]).union(senders) {
                settle(author, row.edit.record, row.edit.name, row.edit.value)
                // What makes a record is decided with it.
                guard let made = accepted[row.mutation]?.mutation, made.operation == .insert
                else { continue }
                for (name, change) in made.changes where BuiltInField.isBuiltIn(name) {
                    settle(author, made.record, name, change.value)
                }
            }
            return FieldKey(record: row.edit.record, name: row.edit.name)
        }
    }

    // MARK: What was committed stays

    private func remember(_ records: [RecordID], _ reader: Connection) throws {
        for id in Set(records) {
            known[id] = try reader.recordState(id)
            for (name, field) in known[id]?.fields ?? [:] {
                stood[Standing(record: id, name: name, value: field.value)] = eventNumber
            }
        }
    }

    /// After something that the office did.
    func rememberAll(_ reader: Connection) throws {
        let ids = try reader.query("SELECT id FROM record") { RecordID(try $0.text(0)) }
        try remember(ids, reader)
    }

    /// Copies have come back after a restore.
    func watch(_ request: CopyRequest, _ response: CopyResponse, _ reader: Connection) throws {
        let before = known
        try rememberAll(reader)
        guard let tell else { return }
        for (copy, verdict) in zip(request.records, response.results) {
            let words = copy.fields.keys.sorted().map { name in
                let field = copy.fields[name]
                let isNew = known[copy.id]?.fields[name] != before[copy.id]?.fields[name]
                return "\(name)=\(field?.value.plainText ?? "")"
                    + (field.map { "(\($0.stamp.lamport) \($0.stamp.node))" } ?? "")
                    + (isNew ? " stands" : "")
            }
            tell("a copy of \(copy.id): \(words.joined(separator: " ")) is \(verdict.status)")
        }
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
                try note(mutation, verdict, by: author, reader)
            }
        }
        unclear = []
        uncertain = []
        try rememberAll(reader)
    }

    // MARK: Copies and restores

    /// What the original has sent, the copy takes for its own.
    func noteCopy(_ copy: NodeID, of original: NodeID) {
        for (node, names) in authors where names.contains(original) {
            authors[node]?.insert(copy)
        }
        for (id, known) in accepted where known.authors.contains(original) {
            accepted[id]?.authors.insert(copy)
        }
        for (edit, number) in settled where edit.node == original {
            settle(copy, edit.record, edit.name, edit.value, number)
        }
        sent[original] = []
        sent[copy] = []
    }

    /// The server begins its first epoch.
    func begin(_ reader: Connection) throws {
        try rememberAll(reader)
        try epochs.begin(known.mapValues(\.version), reader)
    }

    /// The server stands as it was once.
    ///
    /// - Parameter remembered: the epochs that the backup knew.
    /// - Returns: what it had taken and does not know any more, as far as it was the last word. What
    ///   somebody had overwritten knowingly is not offered again.
    func restored(_ reader: Connection, remembering remembered: ServerEpochs) throws -> [Accepted] {
        let lastWords = known
        epochs = remembered
        known = [:]
        uncertain = []
        unclear = []
        try rememberAll(reader)
        try epochs.begin(known.mapValues(\.version), reader)
        decided = Set(
            try reader.query("SELECT id FROM review WHERE decision IS NOT NULL") {
                try $0.text(0)
            })
        return try lost(reader, of: lastWords)
    }

    /// What was offered again in part has an id of its own: what the server knows by any id is not lost.
    private func lost(
        _ reader: Connection, of lastWords: [RecordID: RecordState]
    ) throws -> [Accepted] {
        var lost: [Accepted] = []
        var known: Set<Entered> = []
        for (id, one) in accepted.sorted(by: { $0.key < $1.key }) {
            if try reader.storedVerdict(id) == nil {
                lost.append(one)
            } else {
                known.formUnion(one.standing.compactMap { one.entered($0) })
            }
        }
        return lost.map { one in
            var one = one
            one.standing = one.standing.filter { name in
                guard let entered = one.entered(name), !known.contains(entered) else {
                    return false
                }
                let word = lastWords[entered.record]?.fields[name]
                return word?.value == entered.value && word?.stamp.lamport == entered.lamport
            }
            return one
        }
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
    var words: String {
        "\(operation.rawValue) of \(record): "
            + columns.map { name in
                "\(name)=\(changes[name]?.value.plainText ?? "")@\(changes[name]?.baseVersion ?? 0)"
            }.joined(separator: " ")
    }
}

extension Verdict {
    /// For the story.
    var words: String {
        "is \(status.rawValue)" + (version.map { " at \($0)" } ?? "")
            + (conflicts.isEmpty ? "" : " \(conflicts.map { "\($0.column) by \($0.rule)" })")
            + (error.map { " \($0.code)" } ?? "")
    }
}
