internal import Arguments
internal import Coding
internal import Forms
internal import LocalStore
internal import Replication

enum SetCommand {
    static let entry = Entry(
        name: "set", summary: "Answer questions of an inspection.",
        discussion: """
            All answers are stored in one transaction, or none of them. 'QUESTION=' clears an \
            answer. Numbers have a decimal point, dates are YYYY-MM-DD; 't' is today where the \
            device is, '+3d' three days later.
            """,
        positionals: [
            .inspection,
            Positional(
                "QUESTION=VALUE", isRepeatable: true,
                help: "A question by its name, or by its path where several have the name."),
        ]
    ) { run in
        let words = try AnswerWords(run.invocation.operands("QUESTION=VALUE"))
        let summary = try run.withStore(for: .writing) { store in
            let detail = try store.detail(matching: run.invocation.operand("ID"))
            let form = try store.form(of: detail)
            let answers = try words.answers(to: form, today: run.surroundings.today())
            try store.set(answers, on: detail.summary.id)
            return try store.inspection(detail.summary.id).summary
        }
        try run.emit(summary.json) {
            "\(summary.id) \(summary.stateWords), \(summary.answered)/\(summary.total) answered\n"
        }
        return .done
    }
}

extension DeviceStore {
    /// The version of the form that the inspection began with.
    func form(of detail: InspectionDetail) throws -> FormDefinition {
        try form(detail.summary.form, version: detail.summary.formVersion).definition
    }
}
