package import Forms
package import Replication
package import TerminalKit

/// The choices of one question, or of one conflict's edit, as a list: one is taken, several are marked,
/// or all are put in an order. It narrows as one types.
package struct PickerScreen: Equatable, Sendable {
    package enum Purpose: Equatable, Sendable {
        case answer(RecordID)
        case resolution(RecordID)
        /// A text that the form has ready, for an answer or for the note of a finding.
        case comment(RecordID)
    }

    package enum Mode: Equatable, Sendable {
        case one
        case several
        case ranking
    }

    package let purpose: Purpose
    package let key: AnswerKey
    package let question: Question
    package let label: String
    package let mode: Mode
    /// What is offered, and how each reads; a choice is known here by its place among them.
    package let choices: [Choice]
    package let labels: [String]
    package private(set) var filter = LineEditor(limit: 200)
    /// Whether keys go into the filter, where they do not anyway.
    package var isFiltering = false
    /// Those that the filter lets through; of a ranking, all in their order.
    package private(set) var shown: [Int]
    package private(set) var marked: Set<Int> = []
    package var focus: ListFocus<Int>
    /// Uptime by which the marks must stand in the draft table; nil when they do.
    package var draftDue: Int64?
    /// Made with the first key that narrows the list.
    private var search: ChoiceSearch?
    /// The text with which it was opened.
    private let original: String

    /// - Parameters:
    ///   - label: what is asked.
    ///   - offered: each with its text as it is shown.
    ///   - text: the present answer, or what was marked and not accepted.
    package init(
        purpose: Purpose, key: AnswerKey, question: Question, label: String,
        offered: [(choice: Choice, label: String)], text: String
    ) {
        self.purpose = purpose
        self.key = key
        self.question = question
        self.label = label
        choices = offered.map(\.choice)
        labels = offered.map(\.label)
        original = text
        switch question.type {
        case .choices: mode = .several
        case .ranking: mode = .ranking
        default: mode = .one
        }
        shown = Array(choices.indices)
        focus = ListFocus(shown.first)
        switch mode {
        case .one: if let place = place(of: text[...]) { focus.focus(place) }
        case .several: marked = Set(places(in: text))
        case .ranking:
            let ranked = places(in: text)
            shown = ranked + shown.filter { !ranked.contains($0) }
            focus = ListFocus(shown.first)
        }
        focus.settle(shown)
    }

    private func places(in text: String) -> [Int] {
        text.split(separator: " ").compactMap(place)
    }

    private func place(of name: Substring) -> Int? {
        choices.firstIndex { $0.name == name }
    }

    package var record: RecordID {
        switch purpose {
        case .answer(let id), .resolution(let id), .comment(let id): id
        }
    }

    /// Whether what is done here is worth a draft: marks and orders, which take several keys.
    package var takesMarks: Bool { mode != .one && purpose == .answer(record) }

    /// Of a short list the first nine have a digit each, the same here as where the question stands
    /// in the list; in a long one digits are text to narrow it by.
    package var areNumbered: Bool { choices.count <= Self.mostNumbered }
    package static let mostNumbered = 20

    /// The choice that a key means at once: a digit, while nothing is typed to narrow the list.
    package func numbered(_ key: KeyEvent) -> Int? {
        guard areNumbered, filter.isEmpty, let digit = key.typed, ("1"..."9").contains(digit)
        else { return nil }
        let index = Int(digit.value) - 0x31
        return choices.indices.contains(index) ? index : nil
    }

    package var focused: Int? { focus.focused }

    /// The answer that stands here, as text: names joined by spaces.
    package var text: String {
        let places =
            switch mode {
            case .one: focus.focused.map { [$0] } ?? []
            case .several: marked.sorted()
            case .ranking: shown
            }
        return places.map { choices[$0].name }.joined(separator: " ")
    }

    package var isChanged: Bool { mode != .one && text != original }

    package mutating func toggle(_ place: Int) {
        if marked.remove(place) == nil { marked.insert(place) }
    }

    /// Moves a choice among the others of a ranking.
    package mutating func move(_ place: Int, by distance: Int) {
        guard let index = shown.firstIndex(of: place) else { return }
        move(place, to: index + distance)
    }

    package mutating func move(_ place: Int, to index: Int) {
        guard let from = shown.firstIndex(of: place), shown.indices.contains(index) else { return }
        shown.insert(shown.remove(at: from), at: index)
        focus.focus(place)
        focus.settle(shown)
    }

    package mutating func editFilter(_ change: (inout LineEditor) -> Void) {
        guard mode != .ranking else { return }
        let before = filter.text
        change(&filter)
        let text = filter.text
        guard text != before else { return }
        let search = search ?? ChoiceSearch(labels: labels, names: choices.map(\.name))
        self.search = search
        // What a longer text lets through, the shorter one did.
        let isNarrower = !before.isEmpty && text.hasPrefix(before)
        shown = search.places(fitting: text, among: isNarrower ? shown : Array(choices.indices))
        focus.settle(shown)
    }
}
