internal import Arguments
internal import Coding
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

enum CompleteCommand {
    static let entry = Entry(
        name: "complete", summary: "Check and finish an inspection.",
        discussion: """
            Lists what is missing, wrong or refused by the server, and exits 3, where it cannot be \
            finished.
            """,
        positionals: [.inspection]
    ) { run in
        try run.withStore(for: .writing) { store in
            let id = try store.inspectionID(matching: run.invocation.operand("ID"))
            do {
                try store.complete(id)
            } catch Completion.Refusal.state(let refusal) {
                throw refusal
            } catch Completion.Refusal.problems(let problems) {
                return try refuse(problems, of: id, store, run)
            } catch StoreError.changesRefused {
                return try refuse(store.changesRefused(of: id), of: id, store, run)
            }
            let done = try store.inspection(id).summary
            try run.emit(done.json) { "\(done.id) is complete\n" }
            return .done
        }
    }

    private static func refuse(
        _ problems: [FormProblem], of id: RecordID, _ store: DeviceStore, _ run: CommandRun
    ) throws -> ExitCode {
        let filling = try store.filling(of: id)
        let summary = try store.inspection(id).summary
        run.console.say(
            "walkdown: \(counted(problems.count, "answer is", "answers are"))"
                + " missing or wrong; the inspection stays \(summary.stateWords)")
        let lines = problems.map { ProblemLine($0, in: filling) }
        try run.emit([
            "id": .string(id.rawValue), "state": .string(summary.state),
            "problems": .array(lines.map(\.json)),
        ]) {
            lines.map { "\($0.address): \($0.message)\n" }.joined()
        }
        return .validation
    }

    private static func refuse(
        _ changes: [OutboxRow], of id: RecordID, _ store: DeviceStore, _ run: CommandRun
    ) throws -> ExitCode {
        let detail = try store.inspection(id)
        let places = try store.rowPlaces(of: Set(changes.map(\.recordId)))
        let findings = try store.findingNames(changes.map(\.recordId))
        run.console.say(
            "walkdown: the server has refused "
                + counted(changes.count, "change", "changes")
                + " of it: 'retry', edit or 'discard' first; the inspection stays"
                + " \(detail.summary.stateWords)")
        try run.emit([
            "id": .string(id.rawValue), "state": .string(detail.summary.state),
            "refused": .array(
                changes.map {
                    $0.json(
                        at: places[$0.recordId], about: findings[$0.recordId], with: [:])
                }),
        ]) {
            changes.map { change in
                let what = change.addresses(
                    in: places[change.recordId], finding: findings[change.recordId]
                ).joined(separator: " ")
                return terminalSafe("\(change.mutationId): \(what): \(change.lastError ?? "")")
                    + "\n"
            }.joined()
        }
        return .validation
    }
}

extension OutboxRow {
    /// The answers that it names, as people write them.
    /// - Parameter finding: what it is about, where it is a finding.
    fileprivate func addresses(in place: RowPlace?, finding: String?) -> [String] {
        if let finding { return ["the \(finding)"] }
        guard let place else { return columns }
        let answers = columns.filter { !BuiltInField.isBuiltIn($0) }
        return answers.isEmpty ? [place.address] : answers.map(place.address(of:))
    }
}

/// What stands in the way of *complete*, as people and scripts read it.
struct ProblemLine {
    let address: String
    let message: String
    private let row: String?

    init(_ problem: FormProblem, in filling: FormFilling) {
        let key = AnswerKey(row: problem.row, problem.path)
        address = filling.address(of: key)
        message =
            filling.form.question(named: problem.path).map {
                problem.problem.message(of: $0, offered: filling.offered(at: key))
            } ?? problem.problem.message()
        row = problem.row
    }

    var json: JSON {
        ["question": .string(address), "row": JSON(row), "message": .string(message)]
    }
}
