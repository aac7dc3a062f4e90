internal import Arguments
internal import Coding
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

enum MoveCommand {
    private static let to = Option(
        "to", value: "VERSION", help: "A version on this device; the newest open one unless given.")
    private static let dryRun = Option(
        "dry-run", help: "Say what a move would do to the answers, and move nothing.")

    static let entry = Entry(
        name: "move", summary: "Move an inspection to another version of its form.",
        discussion: """
            No answer is lost: one that the version does not ask for stays in the record, is shown apart \
            and exported, and is an answer again when the inspection moves back. One that the version \
            does not take as it stands stays too, and has to be mended before the inspection is complete. \
            What the form calculates is calculated anew, also where people were asked for it before; \
            --dry-run names each. \
            A complete inspection is reopened first; an approved one stays as it is.
            """,
        positionals: [.inspection], options: [to, dryRun]
    ) { run in
        let version = run.invocation.value(to.name)
        let isDryRun = run.invocation.has(dryRun.name)
        let (id, move) = try run.withStore(for: isDryRun ? .reading : .writing) { store in
            let id = try store.inspectionID(matching: run.invocation.operand("ID"))
            return (
                id,
                isDryRun
                    ? try store.plannedMove(of: id, to: version)
                    : try store.move(id, to: version)
            )
        }
        let words = MoveWords(move)
        try run.emit(words.document(of: id, isMoved: !isDryRun)) {
            words.text(of: id, isMoved: !isDryRun)
        }
        return .done
    }
}

extension MoveWords {
    fileprivate func text(of id: RecordID, isMoved: Bool) -> String {
        let heading = isMoved ? "\(id) is in version \(move.to) now" : heading
        let end = isMoved ? [] : ["", "Nothing is moved: that was a look beforehand."]
        return ([heading] + lines.map { "  " + $0.text } + end)
            .map { terminalSafe($0) + "\n" }.joined()
    }

    fileprivate func document(of id: RecordID, isMoved: Bool) -> JSON {
        [
            "id": .string(id.rawValue), "form": .string(move.filling.form.id),
            "from": .string(move.from), "to": .string(move.to), "moved": .bool(isMoved),
            "answers": .array(move.answers.map(\.json)),
            "new": .array(
                move.added.map {
                    ["question": .string($0.path), "label": .string($0.label)]
                }),
            "required": .array(move.required.map { .string($0) }),
        ]
    }
}

extension FormMove.Answer {
    fileprivate var json: JSON {
        var members: [String: JSON] = [
            "question": .string(address), "row": JSON(key.row), "label": .string(label),
            "value": value.json,
        ]
        switch fate {
        case .kept: members["fate"] = "kept"
        case .back: members["fate"] = "back"
        case .retyped(let from, let to):
            members["fate"] = "retyped"
            members["typeBefore"] = .string(from)
            members["type"] = .string(to)
        case .misfit(let problem):
            members["fate"] = "misfit"
            members["message"] = .string(problem.message())
        case .gone(let renamed):
            members["fate"] = "gone"
            members["renamed"] = JSON(renamed)
        case .reckoned(let value):
            members["fate"] = "reckoned"
            members["becomes"] = value.json
        }
        return .object(members)
    }
}
