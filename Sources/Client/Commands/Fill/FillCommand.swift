internal import Arguments
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

enum FillCommand {
    private static let language = Option(
        "language", value: "NAME", help: "The language of the form's texts.")

    static let entry = Entry(
        name: "fill", summary: "Answer an inspection's questions line by line.",
        discussion: """
            For screen readers, serial lines and pipes: no cursor is moved, one question stands at a \
            time. Each answer is saved as it is given. An empty line keeps what stands, '-' clears \
            it, '=' takes the last visit's answer, '<' goes back, '>' goes to the next section, '?' \
            says more, 'q' leaves; a line that begins with '\\' is an answer as it stands behind it. A \
            number names a choice by its place in the list. The end of the input leaves; exits 3 \
            where the last answer was refused. 'walkdown lock', or five minutes without a line, end it \
            with 6.
            """,
        positionals: [.inspection], options: [language]
    ) { run in
        do {
            return try run.typing { store, dialogue in
                let id = try store.inspectionID(matching: run.invocation.operand("ID"))
                let isDone = try ask(
                    id, language: run.invocation.value(language.name), store, dialogue)
                let left = try store.inspection(id).summary
                if run.wantsJSON { try run.emit(left.json) { "" } }
                return isDone ? .done : .validation
            }
        } catch let end as TypingEnd {
            throw end.failure
        }
    }

    /// - Returns: false where the input ended with an answer that was refused.
    @discardableResult
    static func ask(
        _ id: RecordID, language wanted: String?, _ store: DeviceStore, _ dialogue: Dialogue
    ) throws -> Bool {
        let summary = try store.inspection(id).summary
        switch try summary.knownState() {
        case .complete: throw StoreError.refused(.complete, field: nil)
        case .approved: throw StoreError.refused(.approved, field: nil)
        case .assigned, .inProgress, .returned: break
        }
        let filling = try store.filling(of: id, language: wanted)
        try require(wanted, among: filling.form.parts.languages)
        try dialogue.say("\(summary.name), \(filling.form.title)")
        var session = FillSession(
            id, filling, since: try store.previousVisit(of: id), store, dialogue)
        return try session.run()
    }

    private static func require(_ wanted: String?, among languages: [String]) throws {
        guard let wanted, !languages.contains(wanted) else { return }
        throw Failure(
            .usage, "the form has no language \(wanted)",
            advice: languages.isEmpty
                ? "It has texts in one language only."
                : "It has \(languages.joined(separator: ", ")).")
    }
}
