package import Coding
package import Forms
import Phrases

/// What an earlier visit to the same equipment found: a finished inspection of it by the same form, in
/// whatever version.
package struct Visit: Equatable, Sendable {
    /// The id of its record.
    package let inspection: String
    package let formVersion: String
    /// YYYY-MM-DD; nil where nothing tells it. To be read by people: no order hangs on it.
    package let day: String?
    package let answers: FormAnswers

    package init(inspection: String, formVersion: String, day: String?, answers: FormAnswers) {
        self.inspection = inspection
        self.formVersion = formVersion
        self.day = day
        self.answers = answers
    }
}

/// What the last visit found at one question.
package struct PreviousValue: Equatable, Sendable {
    package let value: FieldValue
    /// YYYY-MM-DD
    package let day: String?
    /// The id of the earlier inspection.
    package let inspection: String
    /// By how much the present reading differs; nil where there is none, or it is no number.
    package let change: Double?
    /// Whether the item fails now and had failed then.
    package let isRepeatViolation: Bool

    /// `152 psi on 2026-10-03, +8.5`
    /// - Parameter shown: the value as people read it, with its unit.
    package func words(_ shown: String) -> String {
        (day.map { say("\(shown) on \($0)") } ?? shown) + (changeText.map { ", \($0)" } ?? "")
    }

    /// `+8.5`; nil where nothing is compared.
    package var changeText: String? {
        change.map(signed)
    }
}

extension VisitReading {
    /// `+8.5`; nil where nothing is compared.
    package var changeText: String? { change.map(signed) }
}

private func signed(_ change: Double) -> String {
    (change > 0 ? "+" : "") + plainNumber(change)
}

extension Question {
    /// Whether the last visit's answer stands beside this one wherever the question is shown: where the
    /// author asks for it, and at every reading.
    package var showsPrevious: Bool { (previous || type.isNumber) && mayShowPrevious }

    /// Whether it is shown at all, as where the question has the focus; never what is masked.
    package var mayShowPrevious: Bool {
        type.takesAnswer && !isHidden && !appearance.contains("masked")
    }
}

extension FormFilling {
    /// What the last visit found at a question, whether it is shown there or not; nil where it found
    /// nothing, or the row has no counterpart then.
    package func previous(at key: AnswerKey, in visit: Visit) -> PreviousValue? {
        guard let index = form.index(of: key.path), let then = place(of: key, in: visit) else {
            return nil
        }
        let question = form.allQuestions[index]
        let before = visit.answers[then]
        guard !before.isNull else { return nil }
        let now = value(of: key)
        return PreviousValue(
            value: before, day: visit.day, inspection: visit.inspection,
            change: question.change(from: before, to: now),
            isRepeatViolation: isRelevant(key) && question.verdict(of: now) == .fail
                && question.verdict(of: before) == .fail)
    }

    /// Whether an item that fails now had failed at the last visit.
    package func repeatsViolation(at key: AnswerKey, since visit: Visit) -> Bool {
        previous(at: key, in: visit)?.isRepeatViolation ?? false
    }

    private func place(of key: AnswerKey, in visit: Visit) -> AnswerKey? {
        guard let row = key.row else { return key }
        return counterpart(ofRow: row, in: visit).map { AnswerKey(row: $0, key.path) }
    }

    /// The row of an earlier visit that is about the same thing: the one with the same answer to the first
    /// question of the repeat, such as a tag. The place among the others says nothing of that. Nil where
    /// either visit has it twice or not at all.
    package func counterpart(ofRow id: String, in visit: Visit) -> String? {
        guard let row = answers.row(id),
            let name = form.repetitions.first(where: { $0.path == row.path })?.questions.first(
                where: { $0.type.takesAnswer && !$0.isHidden })?.path,
            let value = row.fields[name], !value.isNull
        else { return nil }
        var parent: String?
        if let outer = row.parent {
            guard let there = counterpart(ofRow: outer, in: visit) else { return nil }
            parent = there
        }
        let same = { (row: FormAnswers.Row) in row.fields[name] == value }
        let then = visit.answers.rows(of: row.path, in: parent).filter(same)
        let now = answers.rows(of: row.path, in: row.parent).filter(same)
        return then.count == 1 && now.count == 1 ? then[0].id : nil
    }
}

extension Question {
    /// By how much a reading has changed; nil for what is no number.
    package func change(from previous: FieldValue, to value: FieldValue) -> Double? {
        guard type.isNumber, let before = previous.number, let now = value.number else {
            return nil
        }
        // Readings are decimal fractions: without rounding 0.3 − 0.1 would show 15 digits.
        return ((now - before) * 1_000).rounded() / 1_000
    }
}

extension FormDefinition {
    /// The day that an inspection itself bears: what the form sets to today or now when it is begun, else
    /// when it is completed, and what people made of that. Nil where the form sets no such thing.
    package func day(of answers: FormAnswers) -> String? {
        let moments = parts.actions.filter(\.setsPresent)
        let begun = moments.filter { !$0.events.isDisjoint(with: [.firstLoad, .load]) }
        let finished = moments.filter { $0.events.contains(.finish) }
        for action in begun + finished {
            guard let index = index(of: action.target),
                [.date, .dateTime].contains(allQuestions[index].type),
                case .string(let text) = answers[AnswerKey(action.target)]
            else { continue }
            let day = String(text.prefix(10))
            if CivilDate(day) != nil { return day }
        }
        return nil
    }
}

extension FormAction {
    fileprivate var setsPresent: Bool {
        switch value {
        case .property(let name): ["today", "now"].contains(name)
        case .expression(let expression): ["today()", "now()"].contains(expression.source)
        case .literal: false
        }
    }
}
