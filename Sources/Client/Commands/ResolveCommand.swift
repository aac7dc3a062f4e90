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
            Say which side stands, or give each question in conflict its value. The decision is \
            a new change on the version that was shown, and is sent with the next 'sync'.
            """,
        positionals: [
            .inspection,
            Positional("QUESTION=VALUE", isRequired: false, isRepeatable: true),
        ],
        options: [mine, theirs]
    ) { run in
        let words = run.invocation.operands("QUESTION=VALUE")
        let ways = [
            run.invocation.has(mine.name), run.invocation.has(theirs.name), !words.isEmpty,
        ]
        guard ways.filter({ $0 }).count == 1 else {
            throw Failure(.usage, "give one of --mine, --theirs, QUESTION=VALUE ...")
        }
        let answers = try AnswerWords(words)
        let outcome = try run.withStore(for: .writing) { store in
            let detail = try store.detail(matching: run.invocation.operand("ID"))
            let id = detail.summary.id
            let decisions = try decisions(for: detail, answers, store, run)
            let isInBundle = try store.isInBundle(whatResolves: id)
            try store.resolve(
                id, decisions,
                shown: Dictionary(
                    detail.conflicts.map { ($0.column, $0.theirs) }, uniquingKeysWith: { $1 }))
            return Outcome(
                rest: try Rest(of: id, in: store),
                isInBundle: isInBundle && decisions.values.contains { $0 != .mine })
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

    private static func decisions(
        for detail: InspectionDetail, _ answers: AnswerWords, _ store: DeviceStore,
        _ run: CommandRun
    ) throws -> [FieldName: Resolution] {
        let columns = detail.conflicts.map(\.column)
        guard !columns.isEmpty else {
            throw Failure(.failed, "the inspection \(detail.summary.id) is in no conflict")
        }
        if run.invocation.has(mine.name) {
            return Dictionary(columns.map { ($0, .mine) }) { first, _ in first }
        }
        if run.invocation.has(theirs.name) {
            return Dictionary(columns.map { ($0, .theirs) }) { first, _ in first }
        }
        let values = try answers.answers(
            to: store.form(of: detail), today: run.surroundings.today())
        return Dictionary(values.map { ($0, .value($1)) }) { first, _ in first }
    }
}
