internal import Arguments
internal import Forms
internal import LocalStore
internal import Replication
internal import Vault

enum SetCommand {
    private static let yes = Option(
        "yes", help: "Agree that rows with answers are deleted.")

    static let entry = Entry(
        name: "set", summary: "Answer questions of an inspection.",
        discussion: """
            All answers are stored in one transaction, or none of them, with what the form works out \
            from them. 'QUESTION=' clears an answer. Numbers have a decimal point, dates are \
            YYYY-MM-DD; 't' is today where the device is, '+3d' three days later. Several choices \
            have spaces or commas between them. Where a question is asked once for each of several \
            things, 'ROW[2]/QUESTION' is that of the second, 'ROW[+]/QUESTION' that of a new one, \
            and 'ROW[2]=' deletes it. Before rows with answers go it asks on a terminal; elsewhere \
            --yes is needed.
            """,
        positionals: [
            .inspection,
            Positional(
                "QUESTION=VALUE", isRepeatable: true,
                help: "A question by its name, or by its path where several have the name."),
        ],
        options: [yes]
    ) { run in
        let words = try AnswerWords(run.invocation.operands("QUESTION=VALUE"))
        let summary = try run.withStore(for: .writing) { store in
            let id = try store.inspectionID(matching: run.invocation.operand("ID"))
            let filling = try store.filling(of: id)
            let changes = try words.changes(
                to: filling, in: run.surroundings, newID: store.newRowID)
            try change(id, changes, filling, store, run)
            return try store.inspection(id).summary
        }
        try run.emit(summary.json) {
            "\(summary.id) \(summary.stateWords), \(summary.answered)/\(summary.total) answered\n"
        }
        return .done
    }

    private static func change(
        _ id: RecordID, _ changes: [AnswerChange], _ filling: FormFilling, _ store: DeviceStore,
        _ run: CommandRun
    ) throws {
        do {
            try store.change(id, by: changes, agreed: run.invocation.has(yes.name))
        } catch let refusal as AnswerRefusal {
            guard case .removesRows(let rows) = refusal,
                run.surroundings.terminalPrompt.isTerminal
            else { throw AnswerFailure.refusal(refusal, filling.form) }
            let names = rows.map(\.name).joined(separator: ", ")
            run.console.say("Delete \(names), with the answers there? Type 'yes':")
            guard run.surroundings.readLine() == "yes" else {
                throw Failure(.failed, "nothing was changed")
            }
            try store.change(id, by: changes, agreed: true)
        }
    }
}

extension DeviceStore {
    /// The version of the form that the inspection began with.
    func form(of detail: InspectionDetail) throws -> FormDefinition {
        try form(detail.summary.form, version: detail.summary.formVersion).definition
    }
}
