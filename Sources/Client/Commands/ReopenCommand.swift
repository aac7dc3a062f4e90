internal import Arguments
internal import Coding
internal import Inspections
internal import LocalStore
internal import Replication

enum ReopenCommand {
    static let entry = Entry(
        name: "reopen", summary: "Take a complete inspection back to 'in progress'.",
        discussion: "Possible until it is approved. A returned one is taken up again.",
        positionals: [.inspection]
    ) { run in
        let summary = try run.withStore(for: .writing) { store in
            let detail = try store.detail(matching: run.invocation.operand("ID"))
            let state = try detail.summary.knownState()
            guard state != .assigned else {
                throw Failure(.validation, "the inspection is assigned; its first answer begins it")
            }
            _ = try state.become(.inProgress, by: .inspector)
            try store.reopen(detail.summary.id)
            return try store.inspection(detail.summary.id).summary
        }
        try run.emit(summary.json) { "\(summary.id) is \(summary.stateWords)\n" }
        return .done
    }
}
