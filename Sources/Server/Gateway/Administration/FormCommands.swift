import Arguments
import Coding
import FormImport
import Forms
import Replication
import ServerStore

enum FormCommands {
    static let all = [
        publish, list, FormDiffCommand.entry, close, reopen, FormCheckCommand.entry,
        FormTestCommand.entry,
    ]

    static let publish = Administration(
        name: "publish",
        summary: "Publish forms (.xml, .xlsx, .json); lists that they ask for stand beside them.",
        positionals: [Positional("FILE", isRepeatable: true)], fileOperand: "FILE",
        fileKind: .bytes
    ) { session, invocation, console in
        // All are read and checked before the first is published.
        let files = try FormFiles(invocation.operands("FILE"), read: session.readBytes)
        let forms = try files.readAll()
        for path in files.unused(by: forms) {
            console.say("\(terminalSafe(path)): no form of this command asks for it")
        }
        var published: [JSON] = []
        for form in forms {
            published.append(try publish(form, session, invocation, console))
        }
        if invocation.has("json") {
            try console.writeDocument(JSON.array(published).serialized())
        }
        return .done
    }

    private static func publish(
        _ file: FormFiles.Form, _ session: Session, _ invocation: Invocation, _ console: Console
    ) throws -> JSON {
        let form = file.definition
        let losses = try FormLosses(of: form, session)
        let isNew = try session.store.publish(form)
        let warnings = file.warnings.map(\.description) + (isNew ? losses.warnings : [])
        for warning in warnings {
            console.say("\(terminalSafe(file.path)): \(terminalSafe(warning))")
        }
        if !invocation.has("json") {
            try console.writeLine(
                "\(form.id) \(form.version) " + (isNew ? "published" : "was published already"))
        }
        return [
            "id": .string(form.id), "version": .string(form.version), "new": .bool(isNew),
            "warnings": .array(warnings.map { .string($0) }),
        ]
    }

    static let list = Administration(
        name: "list", summary: "List the published forms."
    ) { session, invocation, console in
        let forms = try session.store.publishedForms()
        if invocation.has("json") {
            try console.writeDocument(JSON.array(forms.map(\.json)).serialized())
            return .done
        }
        var table = TextTable(["ID", "VERSION", "STATE", "TITLE"])
        for form in forms { table.append([form.id, form.version, form.state, form.title]) }
        try console.write(table.text)
        return .done
    }

    static let close = change(
        "close",
        summary: "Let no new inspection begin on a form, or on one version; those begun go on.",
        done: "closed"
    ) { try $0.closeForm(id: $1, version: $2) }

    static let reopen = change(
        "reopen", summary: "Let new inspections begin again on a form, or on one version.",
        done: "open"
    ) { try $0.reopenForm(id: $1, version: $2) }

    /// - Parameter done: the state that the versions have then, which is also their name in JSON.
    private static func change(
        _ name: String, summary: String, done: String,
        _ change: @escaping @Sendable (any Store, String, String?) throws -> [String]
    ) -> Administration {
        Administration(
            name: name, summary: summary,
            positionals: [Positional("ID"), Positional("VERSION", isRequired: false)]
        ) { session, invocation, console in
            let id = invocation.operand("ID")
            let versions = try change(
                session.store, id, invocation.optionalOperand("VERSION"))
            if invocation.has("json") {
                let document: JSON = [
                    "id": .string(id), done: .array(versions.map { .string($0) }),
                ]
                try console.writeDocument(document.serialized())
            } else {
                for version in versions { try console.writeLine("\(id) \(version) \(done)") }
                if versions.isEmpty {
                    try console.writeLine("\(terminalSafe(id)) was \(done) already")
                }
            }
            return .done
        }
    }
}

/// What of an older version's answers a new version does not ask for any more.
struct FormLosses {
    private(set) var warnings: [String] = []

    init(of form: FormDefinition, _ session: Session) throws {
        let published = try session.store.publishedForms().filter { $0.id == form.id }
        guard let newest = published.last(where: { $0.version != form.version }),
            let document = try session.store.form(id: form.id, version: newest.version)
        else { return }
        let before = try FormDefinition(json: JSON.parse(document.definition))
        let difference = FormDifference(from: before, to: form)
        guard !difference.isEmpty else { return }
        let answers = try session.store.answerCounts(ofForm: form.id)
        for path in difference.removed {
            guard let count = answers[path], count > 0 else { continue }
            let renamed = difference.renamed.first { $0.old == path }
            warnings.append(
                "\(path) has \(count) " + (count == 1 ? "answer" : "answers") + " and is "
                    + (renamed.map { "called \($0.new) now, it seems" } ?? "not asked any more")
                    + "; they stay under the old name, in a column of their own")
        }
        let retyped = difference.changed.filter { ["type", "repeat"].contains($0.aspect) }
        for change in retyped {
            guard let count = answers[change.path], count > 0 else { continue }
            warnings.append(
                "\(change.path) has another \(change.aspect) now (\(change.old ?? "none"), then "
                    + "\(change.new ?? "none")); \(count) answers were given before")
        }
    }
}
