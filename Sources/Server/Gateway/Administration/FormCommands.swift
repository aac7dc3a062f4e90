import Arguments
import Coding
import Forms
import Replication
import ServerStore

enum FormCommands {
    static let all = [publish, list]

    static let publish = Administration(
        name: "publish", summary: "Publish forms in the compiled format (JSON).",
        positionals: [Positional("FILE", isRepeatable: true)], fileOperand: "FILE"
    ) { session, invocation, console in
        // All are read and checked before the first is published.
        let forms = try invocation.operands("FILE").map { path in try read(path, session) }
        var published: [JSON] = []
        for form in forms {
            let isNew = try session.store.publish(form)
            published.append([
                "id": .string(form.id), "version": .string(form.version), "new": .bool(isNew),
            ])
            guard !invocation.has("json") else { continue }
            try console.writeLine(
                "\(form.id) \(form.version) " + (isNew ? "published" : "was published already"))
        }
        if invocation.has("json") {
            try console.writeDocument(JSON.array(published).serialized())
        }
        return .done
    }

    private static func read(_ path: String, _ session: Session) throws -> FormDefinition {
        let text = try session.read(path)
        do {
            return try FormDefinition(json: JSON.parse(Array(text.utf8)))
        } catch {
            throw Failure(.validation, "\(path): \(error)")
        }
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
}
