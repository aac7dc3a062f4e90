import Arguments
import Coding
import FormImport
import Forms

/// `walkdownd form check`: what the author of a form should know before it is published. Needs no
/// server and no data folder.
enum FormCheckCommand {
    static let entry = Administration(
        name: "check", summary: "Say what is wrong with a form file, with row or line.",
        positionals: [Positional("FILE", isRepeatable: true)],
        storeless: Administration.Storeless { invocation, console in
            let files = try FormFiles(invocation.operands("FILE")) { path in
                try SmallFile.read(path)
            }
            let results = files.read()
            let read = results.compactMap { try? $0.get() }
            for path in files.unused(by: read) where !read.isEmpty {
                console.say("\(terminalSafe(path)): no form of this command asks for it")
            }
            if invocation.has("json") {
                try console.writeDocument(JSON.array(results.map(document)).serialized())
            } else {
                for result in results { try say(result, console) }
            }
            return read.count == results.count ? .done : .validation
        })

    private static func say(
        _ result: Result<FormFiles.Form, FormFiles.Refusal>, _ console: Console
    ) throws {
        switch result {
        case .failure(let refusal):
            try console.writeLine(
                terminalSafe("\(refusal.path): error: \(refusal.message)"))
        case .success(let form):
            for warning in form.warnings {
                try console.writeLine(terminalSafe("\(form.path): warning: \(warning)"))
            }
            for (path, condition) in NeverAsked(form.definition).questions {
                try console.writeLine(
                    terminalSafe("\(form.path): warning: \(path) is never asked: \(condition)"))
            }
            try console.writeLine(terminalSafe("\(form.path): \(summary(form.definition))"))
        }
    }

    private static func summary(_ form: FormDefinition) -> String {
        let shown = form.allQuestions.filter { !$0.isHidden && $0.type.takesAnswer }.count
        let rows = form.repetitions.isEmpty ? "" : ", \(form.repetitions.count) repeats"
        return "ok: \(form.id) version \(form.version), \(shown) questions\(rows)"
    }

    private static func document(
        _ result: Result<FormFiles.Form, FormFiles.Refusal>
    ) -> JSON {
        switch result {
        case .failure(let refusal):
            var error = place(refusal.place)
            error["message"] = .string(refusal.message)
            return ["file": .string(refusal.path), "ok": false, "error": .object(error)]
        case .success(let form):
            let definition = form.definition
            return [
                "file": .string(form.path), "ok": true, "id": .string(definition.id),
                "version": .string(definition.version), "title": .string(definition.title),
                "questions": .integer(
                    Int64(definition.allQuestions.filter { $0.type.takesAnswer }.count)),
                "repeats": .integer(Int64(definition.repetitions.count)),
                "warnings": .array(
                    form.warnings.map { warning in
                        var members = place(warning.place)
                        members["message"] = .string(warning.description)
                        members["unsupported"] = .bool(warning.isUnsupported)
                        return .object(members)
                    }),
                "neverAsked": .array(
                    NeverAsked(definition).questions.map {
                        ["question": .string($0.path), "relevant": .string($0.condition.source)]
                    }),
            ]
        }
    }

    private static func place(_ place: FormPlace?) -> [String: JSON] {
        switch place {
        case nil, .file: [:]
        case .line(let line, let node): ["line": .integer(Int64(line)), "node": JSON(node)]
        case .cell(let sheet, let row, let column):
            ["sheet": .string(sheet), "row": .integer(Int64(row)), "column": JSON(column)]
        }
    }
}
