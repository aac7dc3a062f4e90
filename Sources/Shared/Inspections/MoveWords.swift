internal import Coding
package import Forms
internal import Phrases

/// What a move to another version does, as people read it; what stays as it was is only counted.
package struct MoveWords: Sendable {
    package struct Line: Equatable, Sendable {
        package enum Kind: Sendable {
            /// Nothing to do.
            case fact
            /// Somebody has to answer or mend something.
            case task
        }

        package let kind: Kind
        package let text: String
    }

    package let move: FormMove

    package init(_ move: FormMove) { self.move = move }

    package var heading: String { say("From version \(move.from) to version \(move.to)") }

    package var lines: [Line] {
        var lines: [Line] = []
        let kept = move.kept.count
        lines.append(
            Line(
                kind: .fact,
                text: kept == 1
                    ? say("1 answer stays as it is") : say("\(kept) answers stay as they are")))
        lines += move.answers.compactMap(line)
        lines += move.required.map {
            Line(kind: .task, text: say("\($0): required now, and not answered"))
        }
        let required = Set(move.required)
        lines += move.added.filter { !required.contains($0.path) }.map {
            Line(kind: .fact, text: say("\($0.path): new, \(quoted($0.label))"))
        }
        return lines
    }

    /// `1 answer is not asked any more, 2 to mend`; nil where nothing of it needs a word.
    package var summary: String? {
        let gone = move.orphans.count
        let tasks = lines.count { $0.kind == .task }
        let parts = [
            gone == 0
                ? nil
                : gone == 1
                    ? say("1 answer is not asked any more")
                    : say("\(gone) answers are not asked any more"),
            tasks == 0 ? nil : say("\(tasks) to answer or mend"),
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private func line(_ answer: FormMove.Answer) -> Line? {
        let question = move.filling.form.question(named: answer.key.path)
        let what = "\(answer.address) = \(shown(answer))"
        switch answer.fate {
        case .kept: return nil
        case .back: return Line(kind: .fact, text: say("\(what): asked again"))
        case .retyped(let from, let to):
            return Line(kind: .fact, text: say("\(what): stays; \(to) now, \(from) before"))
        case .misfit(let problem):
            return Line(
                kind: .task,
                text: say("\(what): stays, but \(problem.message(unit: question?.unit))"))
        case .gone(let renamed):
            return Line(
                kind: .fact,
                text: renamed.map {
                    say("\(what): not asked any more, kept; it seems to be called \($0) now")
                } ?? say("\(what): not asked any more, kept"))
        case .reckoned(let value):
            let becomes = value.isNull ? say("nothing") : ShownText.clean(value.plainText)
            return Line(kind: .fact, text: say("\(what): \(becomes) now, by the form"))
        }
    }

    private func shown(_ answer: FormMove.Answer) -> String {
        let text = ShownText.clean(answer.value.plainText)
        return text.count > 40 ? String(text.prefix(40)) + "..." : text
    }

    private func quoted(_ label: String) -> String { "\"\(label)\"" }
}
