internal import Arguments
internal import Coding
internal import LocalStore
internal import Replication

enum DeleteCommand {
    static let entry = Entry(
        name: "delete", summary: "Delete an inspection.",
        discussion: """
            The deletion travels like any edit. Where somebody else has edited the inspection \
            meanwhile, it is offered back.
            """,
        positionals: [.inspection]
    ) { run in
        let id = try run.withStore(for: .writing) { store in
            let id = try store.inspectionID(matching: run.invocation.operand("ID"))
            try store.delete(id)
            return id
        }
        try run.emit(["id": .string(id.rawValue), "deleted": true]) { "\(id) is deleted\n" }
        return .done
    }
}
