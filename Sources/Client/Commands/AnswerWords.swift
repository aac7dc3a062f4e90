internal import Arguments
internal import Coding
internal import Forms
internal import Replication

/// `QUESTION=VALUE` as it stands on a command line.
struct AnswerWord {
    let question: String
    let value: String

    init(_ word: String) throws {
        guard let mark = word.firstIndex(of: "="), mark != word.startIndex else {
            throw Failure(
                .usage, "'\(word)' is not QUESTION=VALUE",
                advice: "'QUESTION=' with nothing behind it clears an answer.")
        }
        question = String(word[..<mark])
        value = String(word[word.index(after: mark)...])
    }
}

/// The words of a command line as answers to a form's questions: all of them, or a failure that
/// lists everything that is wrong.
struct AnswerWords {
    private let words: [AnswerWord]

    init(_ words: [String]) throws {
        self.words = try words.map(AnswerWord.init)
    }

    /// - Parameter today: what `t` and `+3d` mean for a date.
    func answers(to form: FormDefinition, today: CivilDate?) throws -> [(FieldName, FieldValue)] {
        var answers: [(FieldName, FieldValue)] = []
        var troubles: [String] = []
        for word in words {
            guard let question = form.question(named: word.question) else {
                troubles.append("\(word.question): " + missing(word.question, in: form))
                continue
            }
            guard !answers.contains(where: { $0.0 == question.path }) else {
                throw Failure(.usage, "\(word.question) stands on the line twice")
            }
            do throws(AnswerProblem) {
                let value = try question.parse(word.value, rules: .command, today: today)
                answers.append((question.path, value))
            } catch {
                troubles.append("\(question.path): " + error.message(of: question))
            }
        }
        guard troubles.isEmpty else { throw refusal(troubles) }
        return answers
    }

    private func missing(_ name: String, in form: FormDefinition) -> String {
        let isShared = form.questions.contains { $0.name == name }
        return isShared
            ? "several questions are called that; name one by its path"
            : "the form \(form.id) \(form.version) has no such question"
    }

    private func refusal(_ troubles: [String]) -> Failure {
        guard troubles.count > 1 else {
            return Failure(.validation, troubles[0], advice: "Nothing was changed.")
        }
        return Failure(
            .validation, "\(troubles.count) answers are refused; nothing was changed",
            advice: troubles.joined(separator: "\n"))
    }
}

extension AnswerProblem {
    /// The problem, with what would be right where that is short to say.
    func message(of question: Question) -> String {
        let text = message(unit: question.unit)
        guard self == .notOffered || self == .severalChoices else { return text }
        return text + ": " + question.choices.map(\.name).joined(separator: ", ")
    }
}
