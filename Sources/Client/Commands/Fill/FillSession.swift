internal import Coding
internal import FieldApp
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

/// An inspection asked through line by line.
struct FillSession {
    private let id: RecordID
    private var filling: FormFilling
    private let visit: Visit?
    private let store: DeviceStore
    private let dialogue: Dialogue
    /// Whether what was typed last was refused and nothing took its place.
    private var isRefused = false

    /// - Parameter visit: the last one to the same equipment.
    init(
        _ id: RecordID, _ filling: FormFilling, since visit: Visit?, _ store: DeviceStore,
        _ dialogue: Dialogue
    ) {
        self.id = id
        self.filling = filling
        self.visit = visit
        self.store = store
        self.dialogue = dialogue
    }

    private enum Step {
        case next, back, nextSection, again, leave
        case to(FillStop)
    }

    private var texts: FillTexts { FillTexts(filling: filling, visit: visit) }

    /// - Returns: false where the input ended with an answer that was refused.
    mutating func run() throws -> Bool {
        var index = 0
        while true {
            guard try ask(from: index) else { return !isRefused }
            guard let problem = try finish() else { return !isRefused }
            index = FillStops(filling).stops.firstIndex(of: .question(problem)) ?? 0
        }
    }

    /// From one stop to the end of the form.
    /// - Returns: false where the person or the input leaves before it.
    private mutating func ask(from first: Int) throws -> Bool {
        var index = first
        while true {
            let stops = FillStops(filling)
            guard stops.stops.indices.contains(index) else { return true }
            let stop = stops.stops[index]
            let step = try visit(stop)
            let changed = FillStops(filling)
            let place = changed.index(of: stop, else: index)
            switch step {
            case .next: index = place + 1
            case .again: index = place
            case .back: index = changed.asking(before: place) ?? place
            case .nextSection: index = changed.section(after: place) ?? changed.stops.count
            case .to(let stop): index = changed.index(of: stop, else: place)
            case .leave: return false
            }
        }
    }

    private mutating func visit(_ stop: FillStop) throws -> Step {
        isRefused = false
        switch stop {
        case .section(let index):
            try dialogue.say("\n" + texts.heading(ofSection: index))
            return .next
        case .row(let row):
            try dialogue.say("\n" + filling.name(ofRow: row))
            return .next
        case .reading(let key):
            if let question = question(at: key) {
                try dialogue.say(texts.reading(question, at: key))
            }
            return .next
        case .question(let key):
            guard let question = question(at: key) else { return .next }
            let draft = try store.draft(of: key.path, in: record(of: key))?.text
            let lines = texts.lines(of: question, at: key, draft: draft)
            try dialogue.say(lines.joined(separator: "\n"))
            return try answer(question, at: key)
        case .another(let place): return try askForAnother(place)
        }
    }

    private func question(at key: AnswerKey) -> Question? {
        filling.form.index(of: key.path).map { filling.form.allQuestions[$0] }
    }

    /// Until something stands there, or the person goes elsewhere.
    private mutating func answer(_ question: Question, at key: AnswerKey) throws -> Step {
        while let line = try dialogue.ask(">", keeping: { try keep($0, for: question, at: key) }) {
            switch TypedLine(line) {
            case .keep:
                isRefused = false
                return .next
            case .back: return .back
            case .nextSection: return .nextSection
            case .leave:
                isRefused = false
                return .leave
            case .help:
                try dialogue.say(texts.help(on: question, at: key).joined(separator: "\n"))
            case .clear:
                if try change(by: [.answer(key, .null)]) { return .next }
            case .takePrevious:
                if try takePrevious(of: question, at: key) { return .next }
            case .answer(let text):
                if try take(text, for: question, at: key) { return .next }
            }
        }
        return .leave
    }

    /// The beginning of an answer, as the screen keeps one. That of a choice, or of a word that means
    /// something else here, says nothing.
    private func keep(_ half: String, for question: Question, at key: AnswerKey) throws {
        let type = question.type
        guard case .answer(let text) = TypedLine(half), !type.isChoice, !type.isChoices else {
            return
        }
        try store.saveDraft(text, of: key.path, in: record(of: key))
    }

    /// The row or the inspection.
    private func record(of key: AnswerKey) -> RecordID { key.row.map { RecordID($0) } ?? id }

    private mutating func takePrevious(of question: Question, at key: AnswerKey) throws -> Bool {
        guard let found = texts.previous(of: question, at: key) else {
            isRefused = true
            try dialogue.say("The last visit has no answer to this")
            return false
        }
        return try give(found.value, to: question, at: key)
    }

    /// An unusual value is asked about, and one that fails again told.
    private mutating func give(
        _ value: FieldValue, to question: Question, at key: AnswerKey
    ) throws -> Bool {
        if question.isUnusual(value), value != filling.value(of: key) {
            guard try dialogue.agrees("That is unusual. Is it right?") else { return false }
        }
        let failedBefore = filling.fails(key)
        guard try change(by: [.answer(key, value)]) else { return false }
        if texts.previous(of: question, at: key)?.isRepeatViolation == true {
            try dialogue.say("  failed the last time too")
        }
        if !failedBefore { try askAboutFinding(at: key, question) }
        return true
    }

    private mutating func take(
        _ text: String, for question: Question, at key: AnswerKey
    ) throws -> Bool {
        let offered = filling.offered(at: key)
        let typed = TypedAnswer(
            question: question, offered: offered, surroundings: dialogue.surroundings)
        let reading: TypedAnswer.Reading
        do throws(AnswerProblem) {
            reading = try typed.read(text)
        } catch {
            return try refuse(error.message(of: question, offered: offered))
        }
        switch reading {
        case .several(let choices):
            let lines = choices.prefix(FillTexts.mostChoices).map { choice in
                let number = (offered.firstIndex { $0.name == choice.name } ?? 0) + 1
                return "  \(number)  \(filling.text(choice.text, at: key))"
            }
            try dialogue.say("Several fit:\n" + lines.joined(separator: "\n"))
            return false
        case .value(let value): return try give(value, to: question, at: key)
        }
    }

    private mutating func askAboutFinding(at key: AnswerKey, _ question: Question) throws {
        if filling.fails(key), question.photoOnFail {
            try dialogue.say("  " + Question.photoNotice)
        }
        guard filling.fails(key), question.findingOnFail,
            let raised = try store.findings(of: id).last(where: { $0.view.finding.key == key })
        else { return }
        let comments = question.comments.choices.map { filling.text($0.text, at: nil) }
        try FillFinding(raised.view, comments: comments, store, dialogue).ask()
        filling = try store.filling(of: id, language: filling.surroundings.language)
    }

    /// - Returns: whether it is stored.
    private mutating func change(by changes: [AnswerChange]) throws -> Bool {
        do {
            return try store(changes, agreed: false)
        } catch AnswerRefusal.removesRows(let rows) {
            let names = rows.map(\.name).joined(separator: ", ")
            guard try dialogue.agrees("Delete \(names), with the answers there?") else {
                return false
            }
            return try store(changes, agreed: true)
        } catch AnswerRefusal.answers(let troubles) {
            return try refuse(
                told(troubles, of: changes).map { $0.message() }.joined(separator: "; "))
        } catch let refusal as AnswerRefusal {
            return try refuse(refusal.sentence)
        }
    }

    /// A rule's words with the answers in them: whoever gives the answers sees them anyway.
    private func told(
        _ troubles: [AnswerRefusal.Trouble], of changes: [AnswerChange]
    ) -> [AnswerProblem] {
        guard case .answer(let key, let value)? = changes.first, changes.count == 1 else {
            return troubles.map(\.problem)
        }
        var trial = filling
        trial.set(value, at: key)
        return troubles.map { trouble in
            guard case .constraint = trouble.problem else { return trouble.problem }
            return trial.shownProblem(of: key) ?? trouble.problem
        }
    }

    private mutating func store(_ changes: [AnswerChange], agreed: Bool) throws -> Bool {
        let language = filling.surroundings.language
        try store.change(id, by: changes, agreed: agreed)
        filling = try store.filling(of: id, language: language)
        isRefused = false
        return true
    }

    private mutating func refuse(_ sentence: String) throws -> Bool {
        isRefused = true
        try dialogue.say("Not saved: the answer \(sentence)")
        return false
    }

    // MARK: Rows

    private mutating func askForAnother(_ place: RepeatPlace) throws -> Step {
        let rows = filling.answers.rows(of: place.path, in: place.parent)
        let title = title(of: place).lowercased()
        let prompt = rows.isEmpty ? "add a \(title)?" : "add another \(title)?"
        guard let line = try dialogue.ask(prompt + " [y/N]") else { return .leave }
        let word = line.trimmingSpaces
        switch word.lowercased() {
        case "y", "yes":
            let row = store.newRowID()
            let isAdded = try change(
                by: [.add(row: row, path: place.path, parent: place.parent)])
            // What is asked in it stands before this question.
            return isAdded ? .to(.row(row)) : .again
        case "<": return .back
        case ">": return .nextSection
        case "q": return .leave
        case "?":
            try dialogue.say("  y adds one, d 2 deletes the second, an empty line goes on")
            return .again
        default: return try delete(word, rows) ? .again : .next
        }
    }

    /// `d 2`
    private mutating func delete(_ word: String, _ rows: [FormAnswers.Row]) throws -> Bool {
        let parts = word.split(separator: " ")
        guard parts.count == 2, parts[0] == "d", let number = Int(parts[1]),
            rows.indices.contains(number - 1)
        else { return false }
        _ = try change(by: [.remove(row: rows[number - 1].id)])
        return true
    }

    private func title(of place: RepeatPlace) -> String {
        let repetition = filling.form.repetitions.first { $0.path == place.path }
        let text = repetition?.text.map { filling.text($0, at: nil) } ?? ""
        return text.isEmpty ? String(place.path.split(separator: "/").last ?? "row") : text
    }

    // MARK: The end

    /// - Returns: what came up only when the form was worked out for the last time; nothing where it is
    ///   complete now.
    private mutating func complete() throws -> [FormProblem] {
        do {
            try store.complete(id)
            return []
        } catch Completion.Refusal.problems(let late) {
            filling = try store.filling(of: id, language: filling.surroundings.language)
            return late
        }
    }

    /// What is missing, or the offer to complete.
    /// - Returns: where the person wants to go on; nil to leave.
    private mutating func finish() throws -> AnswerKey? {
        var problems = filling.state.problems
        if problems.isEmpty {
            try dialogue.say("")
            guard try dialogue.agrees("Nothing is missing. Complete the inspection?") else {
                return nil
            }
            problems = try complete()
            guard !problems.isEmpty else {
                try dialogue.say("It is complete.")
                return nil
            }
        }
        let lines = problems.map { ProblemLine($0, in: filling) }
        try dialogue.say("\nMissing or wrong:")
        for line in lines { try dialogue.say("  \(line.address): \(line.message)") }
        // A finding on what is not asked has no place here: `walkdown finding` has it.
        let keys = problems.map { AnswerKey(row: $0.row, $0.path) }
        guard let first = keys.first(where: filling.isRelevant),
            try dialogue.agrees("Go to the first of them?")
        else { return nil }
        return first
    }
}
