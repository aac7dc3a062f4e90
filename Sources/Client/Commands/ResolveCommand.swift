internal import Arguments
internal import Coding
internal import Forms
internal import LocalStore
internal import Replication

enum ResolveCommand {
    private static let mine = Option("mine", help: "Keep this device's values.")
    private static let theirs = Option("theirs", help: "Take the others' values.")

    static let entry = Entry(
        name: "resolve", summary: "Settle the conflicts of an inspection.",
        discussion: """
            Say which side stands, or give each question in conflict its value; with both, the side \
            stands for the questions that are not named. The decision is a new change on the version \
            that was shown, and is sent with the next 'sync'.
            """,
        positionals: [
            .inspection,
            Positional("QUESTION=VALUE", isRequired: false, isRepeatable: true),
        ],
        options: [mine, theirs]
    ) { run in
        let words = run.invocation.operands("QUESTION=VALUE")
        let sides = [run.invocation.has(mine.name), run.invocation.has(theirs.name)]
        guard sides != [true, true], sides.contains(true) || !words.isEmpty else {
            throw Failure(
                .usage, "give --mine or --theirs, or QUESTION=VALUE ..., or one side and values")
        }
        let answers = try AnswerWords(words)
        let outcome = try run.withStore(for: .writing) { store in
            let detail = try store.detail(matching: run.invocation.operand("ID"))
            let places = try store.rowPlaces(
                of: Set(detail.rows.map(\.id) + detail.conflicts.map(\.recordId)))
            let decisions = try decisions(for: detail, places, answers, store, run)
            var isInBundle = false
            // The inspection first: a row of one that is let go goes with it.
            for record in [detail.summary.id] + detail.rows.map(\.id) + decisions.keys.sorted() {
                guard let decided = decisions[record],
                    try !store.conflicts(of: record).isEmpty
                else { continue }
                if decided.values.contains(where: { $0 != .mine }),
                    try store.isInBundle(whatResolves: record)
                {
                    isInBundle = true
                }
                do {
                    try store.resolve(record, decided, shown: detail.theirs(of: record))
                } catch let error as StoreError {
                    throw error.naming(places[record])
                }
            }
            return Outcome(
                rest: try Rest(of: detail.summary.id, in: store), isInBundle: isInBundle)
        }
        try run.emit(outcome.json) { outcome.words }
        return .done
    }

    private struct Outcome {
        var rest: Rest
        /// Whether a bundle may bring back what was given up.
        var isInBundle: Bool

        var json: JSON {
            var members = rest.members
            members["inBundle"] = .bool(isInBundle)
            return .object(members)
        }

        var words: String { rest.words + (isInBundle ? BundleCommand.warning + "\n" : "") }
    }

    /// What is left of the inspection: the decision may have let it go.
    private enum Rest {
        case settled(InspectionSummary)
        case gone(RecordID)

        init(of id: RecordID, in store: DeviceStore) throws {
            do {
                self = .settled(try store.inspection(id).summary)
            } catch StoreError.unknownRecord {
                self = .gone(id)
            }
        }

        var members: [String: JSON] {
            switch self {
            case .settled(let summary): summary.members
            case .gone(let id): ["id": .string(id.rawValue), "deleted": true]
            }
        }

        var words: String {
            switch self {
            case .settled(let summary): "\(summary.id) is settled: \(summary.sync.words)\n"
            case .gone(let id): "\(id) is settled: it is deleted\n"
            }
        }
    }

    /// By the record that is in conflict: the inspection, or a row of it.
    private static func decisions(
        for detail: InspectionDetail, _ places: [RecordID: RowPlace], _ answers: AnswerWords,
        _ store: DeviceStore, _ run: CommandRun
    ) throws -> [RecordID: [FieldName: Resolution]] {
        guard !detail.conflicts.isEmpty else {
            throw Failure(.failed, "the inspection \(detail.summary.id) is in no conflict")
        }
        var decisions: [RecordID: [FieldName: Resolution]] = [:]
        let isMine = run.invocation.has(mine.name)
        if isMine || run.invocation.has(theirs.name) {
            for conflict in detail.conflicts {
                decisions[conflict.recordId, default: [:]][conflict.column] =
                    isMine ? .mine : .theirs
            }
            guard !answers.isEmpty else { return decisions }
        }
        let changes = try answers.changes(
            to: store.filling(of: detail.summary.id), in: run.surroundings,
            newID: store.newRowID)
        let disputed = Set(detail.conflicts.map(\.recordId))
        for change in changes {
            guard case .answer(let key, let value) = change else {
                throw Failure(.usage, "a row is no answer: give --mine or --theirs")
            }
            let record = key.row.map { RecordID($0) } ?? detail.summary.id
            guard disputed.contains(record) else {
                throw StoreError.notInConflict([
                    places[record]?.address(of: key.path) ?? key.path
                ])
            }
            decisions[record, default: [:]][key.path] = .value(value)
        }
        // Each record in conflict says itself what is undecided.
        for conflict in detail.conflicts where decisions[conflict.recordId] == nil {
            throw StoreError.unresolved([
                places[conflict.recordId]?.address(of: conflict.column) ?? conflict.column
            ])
        }
        return decisions
    }
}

extension StoreError {
    /// Where it speaks of questions of a row, with the row's place.
    fileprivate func naming(_ place: RowPlace?) -> StoreError {
        guard let place else { return self }
        switch self {
        case .unresolved(let fields): return .unresolved(fields.map(place.address(of:)))
        case .notInConflict(let fields): return .notInConflict(fields.map(place.address(of:)))
        case .changedSinceShown(let fields):
            return .changedSinceShown(fields.map(place.address(of:)))
        default: return self
        }
    }
}

extension InspectionDetail {
    /// The other side of a record's conflicts as it is shown.
    fileprivate func theirs(of record: RecordID) -> [FieldName: FieldValue] {
        Dictionary(
            conflicts.filter { $0.recordId == record }.map { ($0.column, $0.theirs) },
            uniquingKeysWith: { $1 })
    }
}
