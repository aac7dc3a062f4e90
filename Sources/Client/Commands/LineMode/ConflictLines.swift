internal import Coding
internal import FieldApp
internal import Forms
internal import LocalStore
internal import Replication

/// A conflict, answer by answer: what it was, and both sides.
struct ConflictLines {
    private let id: RecordID
    private let store: DeviceStore
    private let dialogue: Dialogue

    init(of id: RecordID, _ store: DeviceStore, _ dialogue: Dialogue) {
        self.id = id
        self.store = store
        self.dialogue = dialogue
    }

    /// Nothing is decided before everything is.
    func settle() throws {
        guard let picture = try store.conflictPicture(of: id) else {
            return try dialogue.say("Nothing is in conflict there any more")
        }
        var decisions: [FieldName: Resolution] = [:]
        for field in picture.fields {
            try dialogue.say("\n\(field.label(in: nil)), of \(picture.name)")
            try dialogue.say("  before: \(shown(field.base, of: field))")
            try dialogue.say("  mine:   \(shown(field.mine, of: field))")
            let other = field.theirsBy.map { "device \($0)" } ?? "somebody else"
            try dialogue.say(
                "  theirs: \(shown(field.theirs, of: field)), by \(other), rule \(field.rule)")
            guard let decision = try ask(field) else {
                return try dialogue.say("Left undecided; nothing is changed")
            }
            decisions[field.path] = decision
        }
        if picture.isInBundle { try dialogue.say(BundleCommand.warning) }
        let theirs = Dictionary(
            picture.fields.map { ($0.path, $0.theirs) }, uniquingKeysWith: { $1 })
        try store.resolve(id, decisions, shown: theirs)
        try dialogue.say("Settled; it goes out with the next synchronisation")
    }

    /// - Returns: nil where it is left undecided.
    private func ask(_ field: ConflictField) throws -> Resolution? {
        while let line = try dialogue.ask("mine, theirs or edit>") {
            switch TypedWord(line, among: LineWord.conflict)?.deed {
            case .mine: return .mine
            case .theirs: return .theirs
            case .edit:
                if let value = try askValue(field) { return .value(value) }
            case .leave: return nil
            case .help: try dialogue.sayHelp(LineWord.conflict)
            default: try dialogue.say("That is no word here; ? says what can be typed")
            }
        }
        return nil
    }

    private func askValue(_ field: ConflictField) throws -> FieldValue? {
        guard let question = field.question else {
            try dialogue.say("This can only be chosen: m or t")
            return nil
        }
        guard let text = try dialogue.ask("new value>") else { return nil }
        let typed = TypedAnswer(
            question: question, offered: question.choices, surroundings: dialogue.surroundings)
        do throws(AnswerProblem) {
            switch try typed.read(text) {
            case .value(let value): return value
            case .several: throw .severalChoices
            }
        } catch {
            try dialogue.say(
                "The answer " + error.message(of: question, offered: question.choices))
            return nil
        }
    }

    private func shown(_ value: FieldValue, of field: ConflictField) -> String {
        let text = field.question?.shown(value, in: nil) ?? value.plainText
        return text.isEmpty ? "nothing" : text
    }
}
