internal import Arguments
internal import Coding
internal import Forms
internal import LocalStore
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

    var isEmpty: Bool { words.isEmpty }

    /// - Parameters:
    ///   - filling: the inspection that the words are about; its rows have their places in it.
    ///   - newID: ids of rows that the words add.
    func changes(
        to filling: FormFilling, in surroundings: Surroundings, newID: @escaping () -> String
    ) throws -> [AnswerChange] {
        var places = AddressReading(filling, newID: newID)
        var changes: [AnswerChange] = []
        var seen: Set<AnswerKey> = []
        var troubles: [String] = []
        for word in words {
            let target: AddressReading.Target
            do throws(AddressTrouble) {
                target = try places.read(word.question)
            } catch {
                troubles.append("\(word.question): " + error.sentence)
                continue
            }
            switch target {
            case .row(let row):
                if !word.value.isEmpty { troubles.append("\(word.question): " + Self.noValue) }
                if let row { changes.append(.remove(row: row)) }
            case .answer(let key, let question):
                guard seen.insert(key).inserted else {
                    throw Failure(.usage, "\(word.question) stands on the line twice")
                }
                let offered = filling.choosable(at: key)
                do throws(AnswerProblem) {
                    let value = try question.parse(
                        word.value, rules: .command, today: surroundings.today(),
                        zone: surroundings.zone, offered: offered)
                    changes.append(.answer(key, value))
                } catch {
                    let message = error.message(of: question, offered: offered ?? [])
                    troubles.append("\(word.question): " + message)
                }
            }
        }
        guard troubles.isEmpty else { throw AnswerFailure.refusal(troubles) }
        return places.additions + changes
    }

    private static let noValue =
        "a row has no value of its own; with nothing behind '=' it is deleted"
}

/// Refused answers as a failure of a command.
enum AnswerFailure {
    static func refusal(_ troubles: [String]) -> Failure {
        guard troubles.count > 1 else {
            return Failure(.validation, troubles[0], advice: "Nothing was changed.")
        }
        return Failure(
            .validation, "\(troubles.count) answers are refused; nothing was changed",
            advice: troubles.joined(separator: "\n"))
    }

    static func refusal(_ refusal: AnswerRefusal, _ form: FormDefinition) -> Failure {
        switch refusal {
        case .answers(let troubles):
            Self.refusal(
                troubles.map { trouble in
                    let question = form.question(named: trouble.path)
                    let message =
                        question.map {
                            trouble.problem.message(of: $0, offered: trouble.offered)
                        } ?? trouble.problem.message()
                    return "\(trouble.address): \(message)"
                })
        case .removesRows:
            Failure(
                .validation, refusal.sentence,
                advice: "Nothing was changed. '--yes' agrees to it.")
        case .tooManyRows, .tooMuchWork, .fixedRows, .noSuchRow:
            Failure(.validation, refusal.sentence, advice: "Nothing was changed.")
        }
    }
}

extension AnswerProblem {
    /// More names than these are no help in a message.
    private static let mostNames = 20

    /// The problem, with what would be right where that is short to say.
    func message(of question: Question, offered: [Choice]) -> String {
        let text = message(unit: question.unit)
        guard self == .notOffered || self == .severalChoices else { return text }
        guard !offered.isEmpty else {
            return question.filter == nil || self == .severalChoices
                ? text : text + ": there is none, going by the other answers"
        }
        let names = offered.prefix(Self.mostNames).map(\.name).joined(separator: ", ")
        let rest = offered.count - Self.mostNames
        return text + ": " + names + (rest > 0 ? " and \(rest) more" : "")
    }
}
