internal import Coding

/// The choices of a question, for what people type: its name, or failing that its name or label
/// without regard to case, spaces and punctuation, where that fits one choice only (`r-404a` is
/// `R404A`).
struct TypedChoices {
    private let type: QuestionType
    /// What is offered at the moment, before the rest of the list: an answer may be given together
    /// with the one that its list depends on.
    private let lists: [[Choice]]
    /// Whether the choices are made of answers, so that no list has them all.
    private let areMade: Bool

    /// - Parameter offered: nil where it is not known.
    init(of question: Question, offered: [Choice]?) {
        type = question.type
        lists = [offered, question.choices].compactMap(\.self)
        areMade = question.filter?.labelName != nil
    }

    func name(of text: String) throws(AnswerProblem) -> String {
        for list in lists {
            if let exact = list.first(where: { $0.name == text }) { return exact.name }
        }
        let wanted = Self.folded(text)
        for list in lists where !wanted.isEmpty {
            let fitting = list.filter {
                Self.folded($0.name) == wanted || Self.folded($0.label) == wanted
            }
            guard let first = fitting.first else { continue }
            guard fitting.count == 1 else { throw .severalChoices }
            return first.name
        }
        guard areMade else { throw .notOffered }
        return try unknownName(text)
    }

    /// The row that it is made of may be given in the same breath: the store sees both.
    private func unknownName(_ text: String) throws(AnswerProblem) -> String {
        do throws(FieldValueError) {
            _ = try FieldValue(text: text)
        } catch {
            throw error == .tooLong ? .tooLong : .controlCharacter
        }
        return text
    }

    /// Names with spaces or commas between them; a ranking keeps their order, else they stand in the
    /// order of the list.
    func names(in text: String) throws(AnswerProblem) -> String {
        var names: [String] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            let name = try name(of: String(word))
            guard !names.contains(name) else { throw .choiceTwice }
            names.append(name)
        }
        if type == .choices { names = inOrder(names) }
        return names.joined(separator: " ")
    }

    private func inOrder(_ names: [String]) -> [String] {
        var rest = names
        var ordered: [String] = []
        for choice in lists.reversed().joined() {
            guard let index = rest.firstIndex(of: choice.name) else { continue }
            ordered.append(rest.remove(at: index))
        }
        return ordered + rest
    }

    private static func folded(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
