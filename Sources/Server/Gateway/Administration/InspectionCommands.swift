import Arguments
import Coding
import Forms
import Replication
import ServerStore

enum InspectionCommands {
    static let approve = Administration(
        name: "approve", summary: "Approve a complete inspection and lock it.",
        positionals: [Positional("ID")]
    ) { session, invocation, console in
        let id = invocation.operand("ID")
        try session.store.approve(inspection: RecordID(id), by: session.supervisor)
        return try say(id, "approved", invocation, console)
    }

    static let sendBack = Administration(
        name: "return", summary: "Return a complete inspection to the inspector.",
        positionals: [Positional("ID")],
        options: [Option("comment", value: "C", help: "What is to be done.")]
    ) { session, invocation, console in
        guard let comment = invocation.value("comment"), !comment.isEmpty else {
            throw Failure(.usage, "why is it returned?", advice: "Say --comment C.")
        }
        let id = invocation.operand("ID")
        try session.store.returnInspection(
            id: RecordID(id), comment: comment, by: session.supervisor)
        return try say(id, "returned", invocation, console)
    }

    private static func say(
        _ id: String, _ state: String, _ invocation: Invocation, _ console: Console
    ) throws -> ExitCode {
        if invocation.has("json") {
            let document: JSON = ["id": .string(id), "state": .string(state)]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine("\(terminalSafe(id)) \(state)")
        }
        return .done
    }
}
