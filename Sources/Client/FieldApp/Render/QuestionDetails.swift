import Coding
import Forms
import Inspections
import Phrases
import TerminalKit

struct DetailLine {
    let text: String
    let style: Style
}

/// What stands below a question: what is wrong with its answer, and for the focused one what helps to
/// answer it.
struct QuestionDetails {
    private let question: Question
    private let key: AnswerKey
    private let screen: InspectionScreen
    private let columns: QuestionColumns
    private let frame: Frame
    private let isFocused: Bool

    init(
        _ question: Question, at key: AnswerKey, of screen: InspectionScreen,
        _ columns: QuestionColumns, in frame: Frame, isFocused: Bool
    ) {
        self.question = question
        self.key = key
        self.screen = screen
        self.columns = columns
        self.frame = frame
        self.isFocused = isFocused
    }

    private var theme: Theme { frame.theme }
    private var isEdited: Bool { screen.editor?.key == key }

    var lines: [DetailLine] {
        var lines: [DetailLine] = []
        func add(_ text: String, _ style: Style) {
            lines += TextFlow.wrapped(text, to: max(1, columns.width - 6)).map {
                DetailLine(text: $0, style: style)
            }
        }
        let problem = isEdited ? screen.editor?.problem : screen.shownProblem(of: key)
        if let problem { add("! " + problem.message(unit: question.unit), theme.error) }
        if let repeatViolation { add(repeatViolation, theme.warning) }
        if let found { add(found, theme.warning) }
        if question.asksForPhoto(of: screen.value(of: key)) {
            add(Question.photoNotice, theme.warning)
        }
        guard isFocused else { return lines }
        guard question.type.takesAnswer else {
            if let hint { add(hint, theme.muted) }
            return lines
        }
        if screen.standing(of: key) == .conflict {
            add(say("Somebody else changed this too; Enter shows both answers"), theme.warning)
        }
        if screen.standing(of: key) == .failed {
            add(say("The server did not take this; t says why"), theme.error)
        }
        if let hint { add(hint, theme.muted) }
        let facts = [rangeText, lastVisit, standingWords].compactMap { $0 }
        if !facts.isEmpty { add(facts.joined(separator: ", "), theme.muted) }
        if let way = wayToAnswer { add(way, theme.muted) }
        if let text = fullText { add(text, theme.body) }
        return lines
    }

    /// What was found wrong here, on every question: the next inspector looks for it.
    private var found: String? {
        let findings = screen.findings(at: key).map(\.finding)
        guard let first = findings.first else { return nil }
        let sign = frame.findingSymbol
        guard findings.count == 1 else {
            let tally = FindingTally(findings).words ?? ""
            return "\(sign) " + (isFocused ? say("\(tally); m lists them") : tally)
        }
        let parts = [
            first.severity.label, first.status.label, first.isRepeated ? say("repeated") : nil,
        ]
        let words = parts.compactMap(\.self).joined(separator: ", ")
        let told = words + (first.note.map { ": " + ShownText.clean($0) } ?? "")
        return "\(sign) " + (isFocused ? say("\(told); m opens it") : told)
    }

    private var hint: String? {
        guard let text = question.hintText, let filling = screen.filling else { return nil }
        let hint = filling.text(text, at: key)
        return hint.isEmpty ? nil : hint
    }

    private var rangeText: String? {
        guard let range = question.rangeText else { return nil }
        return question.limits.step.map { say("\(range) in steps of \(plainNumber($0))") } ?? range
    }

    /// An answer that is longer than its place.
    private var fullText: String? {
        guard !isEdited, !question.isMasked else { return nil }
        let text = screen.shownAnswer(of: question, at: key)
        return CellWidth.of(text) > columns.answer ? text : nil
    }

    /// `last visit 152 psi on 2026-10-03, +8.5`
    private var lastVisit: String? {
        guard question.mayShowPrevious, let filling = screen.filling,
            let found = screen.previous(at: key)
        else { return nil }
        let shown = filling.shown(found.value, at: key)
        let value = found.words(shown)
        let words = columns.hasWords ? say("last visit \(value)") : say("was \(value)")
        let isOffered = screen.value(of: key).isNull && screen.whyNotTakePrevious == nil
        return isOffered && !isEdited ? say("\(words); y takes it") : words
    }

    private var repeatViolation: String? {
        guard let found = screen.previous(at: key), found.isRepeatViolation else { return nil }
        return found.day.map { say("Failed the last time too, on \($0)") }
            ?? say("Failed the last time too")
    }

    /// Where the row has room for a badge only, its word stands below.
    private var standingWords: String? {
        if screen.isByForm(key) {
            if columns.hasWords { return nil }
            return question.rules.calculate == nil ? say("read only") : say("filled in by the form")
        }
        let standing = screen.standing(of: key)
        return columns.hasWords || standing == .conflict ? nil : standing?.label
    }

    // MARK: How to answer

    private var wayToAnswer: String? {
        if screen.isByForm(key) { return nil }
        switch question.type {
        case .choice, .verdict: return choiceKeys
        case .choices: return say("Enter opens the list to mark them")
        case .ranking: return say("Enter opens the list to put it in order")
        case .acknowledge:
            return screen.value(of: key).isNull ? say("Enter acknowledges this") : nil
        case .integer, .decimal:
            return question.limits.step == nil ? nil : say("Left and Right step")
        case .file: return say("The name of a file; pictures are taken in a later version")
        case .date: return isEdited ? say("YYYY-MM-DD with or without -; t today, +3d") : nil
        case .time: return isEdited ? say("HH:MM or HHMM; t for now") : nil
        case .dateTime:
            return isEdited ? say("YYYY-MM-DD HH:MM, or the time alone; t for now") : nil
        case .point:
            return isEdited ? say("Degrees north and east, as 52.1 4.3; - is south, west") : nil
        case .trace, .shape:
            return isEdited ? say("Positions with ; between: 52.1 4.3; 52.2 4.4") : nil
        case .barcode: return isEdited ? nil : say("Scan it, or Enter to type it")
        case .text:
            return isEdited || question.comments.isEmpty ? nil : say("k has comments ready")
        case .note: return nil
        }
    }

    /// The keys that answer at once: letters for verdicts, digits for choices.
    private var choiceKeys: String {
        guard let offered = screen.shortOffer(at: key), offered.count <= 9 else {
            return say("Enter opens the list")
        }
        if offered.isEmpty { return say("Nothing is offered with the present answers") }
        return offered.enumerated().map { index, offer in
            let letter =
                question.type == .verdict ? offer.choice.verdict.map(VerdictKey.name) : nil
            return "\(letter ?? String(index + 1)) \(offer.label)"
        }.joined(separator: ", ")
    }
}

/// The key of each verdict, read from the binding table.
private enum VerdictKey {
    static func name(_ verdict: Forms.Verdict) -> String {
        let command: Command =
            switch verdict {
            case .pass: .pass
            case .fail: .fail
            case .notApplicable: .notApplicable
            case .notObserved: .notObserved
            }
        let bindings = BindingTable.keymap(for: .inspection).bindings
        return bindings.first { $0.command == command }?.keys[0].name ?? "?"
    }
}
