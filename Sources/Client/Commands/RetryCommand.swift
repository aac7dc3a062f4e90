internal import Arguments
internal import Coding
internal import LocalStore
internal import Replication

enum RetryCommand {
    static let entry = Entry(
        name: "retry", summary: "Send a failed change again with the next 'sync'.",
        discussion: """
            The change and the record's later unsent ones become one new row of the queue, with \
            a new id.
            """,
        positionals: [.mutation]
    ) { run in
        let id = try run.withStore(for: .writing) { store in
            try store.retry(store.mutationID(matching: run.invocation.operand("MUTATION")))
        }
        try run.emit(["mutationId": JSON(id?.rawValue)]) {
            id.map { "\($0) waits to be sent\n" } ?? "nothing is left to send\n"
        }
        return .done
    }
}
