import Arguments
import Coding
import Forms
import Replication
import ServerStore

/// `walkdownd form diff`: what another version asks otherwise.
enum FormDiffCommand {
    static let entry = Administration(
        name: "diff",
        summary: "What a newer version, or a file, asks otherwise than what is published.",
        positionals: [
            Positional("ID|FILE", isRepeatable: true, help: "ID OLD NEW names two versions.")
        ],
        fileOperand: "ID|FILE", fileKind: .bytes, fileEnds: fileEnds
    ) { session, invocation, console in
        let (old, new) = try sides(invocation.operands("ID|FILE"), session)
        let difference = FormDifference(from: old, to: new)
        if invocation.has("json") {
            try console.writeDocument(document(difference, old, new).serialized())
            return .done
        }
        try console.writeLine("\(new.id) \(old.version) -> \(new.version)")
        for line in lines(difference) { try console.writeLine(terminalSafe(line)) }
        if difference.isEmpty { try console.writeLine("nothing is asked otherwise") }
        return .done
    }

    private static let fileEnds = [".xml", ".xlsx", ".xls", ".json", ".csv", ".geojson"]

    private static func sides(
        _ operands: [String], _ session: Session
    ) throws -> (old: FormDefinition, new: FormDefinition) {
        if operands.contains(where: entry.isFile) {
            let forms = try FormFiles(operands, read: session.readBytes).readAll()
            guard forms.count == 1, let new = forms.first?.definition else {
                throw Failure(.usage, "one form is compared with what is published")
            }
            let published = try versions(of: new.id, session)
            guard let last = published.last(where: { $0 != new.version }) ?? published.last else {
                throw Failure(.failed, "no version of form '\(new.id)' is published")
            }
            return (try form(new.id, last, session), new)
        }
        let id = operands[0]
        let published = try versions(of: id, session)
        guard !published.isEmpty else {
            throw Failure(.failed, "there is no form '\(terminalSafe(id))'")
        }
        switch operands.count {
        case 1 where published.count >= 2:
            return (
                try form(id, published[published.count - 2], session),
                try form(id, published[published.count - 1], session)
            )
        case 1:
            throw Failure(
                .failed, "form '\(terminalSafe(id))' has one published version",
                advice: "Two are compared, or a file with the newest.")
        case 3:
            return (try form(id, operands[1], session), try form(id, operands[2], session))
        default:
            throw Failure(.usage, "say an ID, an ID and two versions, or a file")
        }
    }

    private static func versions(of id: String, _ session: Session) throws -> [String] {
        try session.store.publishedForms().filter { $0.id == id }.map(\.version)
    }

    private static func form(
        _ id: String, _ version: String, _ session: Session
    ) throws -> FormDefinition {
        guard let document = try session.store.form(id: id, version: version) else {
            throw Failure(
                .failed,
                "there is no version '\(terminalSafe(version))' of form "
                    + "'\(terminalSafe(id))'")
        }
        return try FormDefinition(json: JSON.parse(document.definition))
    }

    static func lines(_ difference: FormDifference) -> [String] {
        let renamed = Dictionary(
            difference.renamed.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
        let came = Set(renamed.values)
        var lines = difference.added.filter { !came.contains($0) }.map { "+ \($0)" }
        lines += difference.removed.map { path in
            renamed[path].map { "~ \(path) is called \($0), it seems" } ?? "- \(path)"
        }
        lines += difference.changed.map { change in
            "! \(change.path) \(change.aspect): \(change.old ?? "none") -> \(change.new ?? "none")"
        }
        return lines
    }

    private static func document(
        _ difference: FormDifference, _ old: FormDefinition, _ new: FormDefinition
    ) -> JSON {
        [
            "id": .string(new.id), "old": .string(old.version), "new": .string(new.version),
            "added": .array(difference.added.map { .string($0) }),
            "removed": .array(difference.removed.map { .string($0) }),
            "renamed": .array(
                difference.renamed.map { ["old": .string($0.old), "new": .string($0.new)] }),
            "changed": .array(
                difference.changed.map { change in
                    [
                        "question": .string(change.path), "aspect": .string(change.aspect),
                        "old": JSON(change.old), "new": JSON(change.new),
                    ]
                }),
        ]
    }
}
