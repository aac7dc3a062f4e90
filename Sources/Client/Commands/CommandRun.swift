internal import Arguments
internal import Coding
internal import Vault

/// One run of one command: what the line said, and where results go.
struct CommandRun: Sendable {
    let invocation: Invocation
    let console: Console
    let surroundings: Surroundings

    var wantsJSON: Bool { invocation.has("json") }

    func home() throws -> Home {
        try Home.locate(
            option: invocation.value("home"), environment: surroundings.environment)
    }

    /// The command's result, in the one form that was asked for. A text may hold what a server or
    /// somebody else's device wrote, so it is made safe for a terminal here, whoever put it together.
    func emit(_ json: @autoclosure () -> JSON, text: () throws -> String) throws {
        if wantsJSON {
            try console.writeDocument(json().serialized(pretty: true))
        } else {
            try console.write(terminalSafe(try text(), keepingLines: true))
        }
    }

    /// A failure beside a result that was written.
    func say(_ failure: Failure) {
        console.say(String(Walkdown.renderer.text(of: failure).dropLast()))
    }
}
