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
        let summary = try run.withStore(for: .writing) { store in
            let detail = try store.detail(matching: run.invocation.operand("ID"))
            try store.resolve(
                detail.summary.id, decisions(for: detail, answers, store, run),
                shown: Dictionary(
                    detail.conflicts.map { ($0.column, $0.theirs) }, uniquingKeysWith: { $1 }))
            return try store.inspection(detail.summary.id).summary
        }
        try run.emit(summary.json) { "\(summary.id) is settled: \(summary.sync.words)\n" }
        return .done
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
