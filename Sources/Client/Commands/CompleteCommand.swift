internal import Arguments
internal import Coding
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

enum CompleteCommand {
    static let entry = Entry(
        name: "complete", summary: "Check and finish an inspection.",
        discussion: "Lists what is missing or wrong, and exits 3, where it cannot be finished.",
        positionals: [.inspection]
    ) { run in
        try run.withStore(for: .writing) { store in
            let detail = try store.detail(matching: run.invocation.operand("ID"))
            let form = try store.form(of: detail)
            do {
                try store.requireCompletable(detail.summary.id)
            } catch let refusal as Completion.Refusal {
                return try refuse(refusal, detail, form, run)
            }
            try store.complete(detail.summary.id)
            let done = try store.inspection(detail.summary.id).summary
            try run.emit(done.json) { "\(done.id) is complete\n" }
            return .done
        }
    }

    private static func refuse(
        _ refusal: Completion.Refusal, _ detail: InspectionDetail, _ form: FormDefinition,
        _ run: CommandRun
    ) throws -> ExitCode {
        switch refusal {
        case .state(let refusal): throw refusal
        case .problems(let problems):
            let lines = problems.map { problem in
                let question = form.question(named: problem.path)
                let message = question.map(problem.problem.message(of:))
                return (problem.path, message ?? problem.problem.message())
            }
            run.console.say(
                "walkdown: \(counted(lines.count, "answer is", "answers are"))"
                    + " missing or wrong; the inspection stays \(detail.summary.stateWords)")
            let list = lines.map { path, message -> JSON in
                ["question": .string(path), "message": .string(message)]
            }
            try run.emit([
                "id": .string(detail.summary.id.rawValue),
                "state": .string(detail.summary.state), "problems": .array(list),
            ]) {
                lines.map { "\($0): \($1)\n" }.joined()
            }
            return .validation
        }
    }
}
