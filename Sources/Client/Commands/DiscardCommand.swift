internal import Arguments
internal import Coding
internal import Glibc
internal import LocalStore
internal import Replication
internal import Vault

enum DiscardCommand {
    private static let yes = Option("yes", help: "Do not ask.")

    static let entry = Entry(
        name: "discard", summary: "Give a failed change up.",
        discussion: """
            The confirmed values stand again; what was given up stays in the record's history. \
            Asks on a terminal; elsewhere --yes is needed.
            """,
        positionals: [.mutation], options: [yes]
    ) { run in
        guard run.invocation.has(yes.name) || run.surroundings.terminalPrompt.isTerminal else {
            throw Failure(.usage, "'discard' cannot ask here: '--yes' is needed")
        }
        let (id, isInBundle) = try run.withStore(for: .writing) { store in
            let id = try store.mutationID(matching: run.invocation.operand("MUTATION"))
            let isInBundle = try store.isInBundle(whatDiscards: id)
            if !run.invocation.has(yes.name) {
                let removed = try store.recordsRemoved(byDiscarding: id).count
                try confirm(id, removing: removed, isInBundle, run)
            }
            try store.discard(id)
            return (id, isInBundle)
        }
        let document: JSON = [
            "mutationId": .string(id.rawValue), "discarded": true, "inBundle": .bool(isInBundle),
        ]
        try run.emit(document) {
            "\(id) is discarded\n" + (isInBundle ? BundleCommand.warning + "\n" : "")
        }
        return .done
    }

    private static func confirm(
        _ id: MutationID, removing count: Int, _ isInBundle: Bool, _ run: CommandRun
    ) throws {
        let what = count > 1 ? " with \(count - 1) records below it" : ""
        if isInBundle { run.console.say(BundleCommand.warning) }
        run.console.say("Discard \(id)\(what)? This cannot be taken back. Type 'yes':")
        guard run.surroundings.readLine() == "yes" else {
            throw Failure(.failed, "nothing was discarded")
        }
    }
}

extension Surroundings {
    /// One line from the terminal, without its end; empty at the end of input.
    func readLine() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 256 {
            let count = read(terminal, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 || byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
