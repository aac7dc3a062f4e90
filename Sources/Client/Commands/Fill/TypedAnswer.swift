internal import Coding
internal import Forms

/// A line that was typed at a question.
enum TypedLine {
    case keep, clear, back, nextSection, help, leave, takePrevious
    case answer(String)

    init(_ line: String) {
        switch line.trimmingSpaces {
        case "": self = .keep
        case "-": self = .clear
        case "<": self = .back
        case ">": self = .nextSection
        case "?": self = .help
        case "q": self = .leave
        case "=": self = .takePrevious
        default: self = .answer(line.hasPrefix("\\") ? String(line.dropFirst()) : line)
        }
    }
}

/// A line as the answer that it stands for.
struct TypedAnswer {
    enum Reading {
        case value(FieldValue)
        /// These fit what was typed: which of them is meant?
        case several([Choice])
    }

    let question: Question
    let offered: [Choice]
    let surroundings: Surroundings

    func read(_ text: String) throws(AnswerProblem) -> Reading {
        if question.type.isChoice { return try one(text.trimmingSpaces) }
        if question.type.isChoices {
            let words = text.split { $0 == " " || $0 == "," }
            let names = words.map { choice(numbered: String($0))?.name ?? String($0) }
            return .value(try parse(names.joined(separator: " ")))
        }
        return .value(try parse(text))
    }

    /// What is a number names a place in the list, because that is what was read out.
    private func one(_ text: String) throws(AnswerProblem) -> Reading {
        if let choice = choice(numbered: text) { return .value(.string(choice.name)) }
        do throws(AnswerProblem) {
            return .value(try parse(text))
        } catch {
            guard error == .notOffered else { throw error }
            let wanted = text.lowercased()
            let fitting = offered.filter { $0.label.lowercased().contains(wanted) }
            guard let first = fitting.first else { throw error }
            return fitting.count == 1 ? .value(.string(first.name)) : .several(fitting)
        }
    }

    private func choice(numbered text: String) -> Choice? {
        guard let number = Int(text), offered.indices.contains(number - 1) else { return nil }
        return offered[number - 1]
    }

    private func parse(_ text: String) throws(AnswerProblem) -> FieldValue {
        try question.parse(
            text, rules: .screen, today: surroundings.today(), zone: surroundings.zone,
            offered: offered)
    }
}

extension String {
    var trimmingSpaces: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
