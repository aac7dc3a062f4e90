internal import Arguments
internal import Coding
internal import Forms
internal import Inspections

/// What is said of a question, a line each: label, hint, what stands, what may be answered.
struct FillTexts {
    let filling: FormFilling
    /// The last one to the same equipment.
    let visit: Visit?

    /// Choices beyond are found by typing a part of them.
    static let mostChoices = 20

    func heading(ofSection index: Int) -> String {
        let section = filling.form.sections[index]
        let progress = filling.state.sections[index]
        let title = filling.text(section.text, at: nil)
        return "\(title): \(progress.answered) of \(progress.total) answered"
    }

    /// - Parameter draft: what was typed there before and not accepted.
    func lines(of question: Question, at key: AnswerKey, draft: String?) -> [String] {
        var label = filling.text(question.text, at: key)
        if let unit = question.unit { label += " (\(unit))" }
        if filling.isRequired(key) { label += ", required" }
        var lines = [label]
        if let hint = question.hintText { lines.append("  " + filling.text(hint, at: key)) }
        let value = filling.value(of: key)
        if !value.isNull { lines.append("  now: " + shown(value, of: question, at: key)) }
        if let draft { lines.append("  typed, not accepted: " + escapingLines(draft)) }
        if let found = previous(of: question, at: key) {
            lines.append(
                "  last visit: " + found.words(shownWithUnit(found.value, of: question, at: key)))
            if found.isRepeatViolation { lines.append("  failed the last time too") }
        }
        return lines + choices(filling.offered(at: key), at: key) + limits(of: question)
    }

    /// What the last visit found here, where it may be read out.
    func previous(of question: Question, at key: AnswerKey) -> PreviousValue? {
        guard question.mayShowPrevious else { return nil }
        return visit.flatMap { filling.previous(at: key, in: $0) }
    }

    private func shownWithUnit(
        _ value: FieldValue, of question: Question, at key: AnswerKey
    ) -> String {
        shown(value, of: question, at: key)
            + (question.type.isNumber ? question.unit.map { " " + $0 } ?? "" : "")
    }

    func reading(_ question: Question, at key: AnswerKey) -> String {
        let label = filling.text(question.text, at: key)
        let value = filling.value(of: key)
        return value.isNull ? label : label + ": " + shown(value, of: question, at: key)
    }

    /// Choices by their labels, in the form's language.
    func shown(_ value: FieldValue, of question: Question, at key: AnswerKey) -> String {
        let text = value.plainText
        let labels = { (names: [String]) in
            names.map { filling.label(ofChoice: $0, of: question, at: key) }
                .joined(separator: ", ")
        }
        if question.type.isChoice { return labels([text]) }
        if question.type.isChoices { return labels(text.split(separator: " ").map(String.init)) }
        return escapingLines(text)
    }

    func choices(_ choices: [Choice], at key: AnswerKey, from first: Int = 1) -> [String] {
        var lines = choices.prefix(Self.mostChoices).enumerated().map { index, choice in
            "  \(index + first)  \(filling.text(choice.text, at: key))"
        }
        let rest = choices.count - Self.mostChoices
        if rest > 0 { lines.append("  and \(rest) more: type a part of one") }
        return lines
    }

    private func limits(of question: Question) -> [String] {
        let limits = question.limits
        switch (limits.hardMinimum, limits.hardMaximum) {
        case (let low?, let high?): return ["  \(plainNumber(low)) to \(plainNumber(high))"]
        case (let low?, nil): return ["  at least \(plainNumber(low))"]
        case (nil, let high?): return ["  at most \(plainNumber(high))"]
        case (nil, nil): return []
        }
    }

    /// Behind the question: what it takes, and the rules that it stands under with what they see now.
    func help(on question: Question, at key: AnswerKey) -> [String] {
        var lines = [kind(of: question)]
        for (name, rule) in rules(of: question) {
            lines.append("  \(name): \(rule.source)")
            lines += values(seenBy: rule, at: key)
        }
        if let words = question.rules.constraintText {
            lines.append("  " + filling.text(words, at: key))
        }
        lines.append(
            "  empty keeps, - clears, = takes the last visit's answer, < back, > next section,"
                + " q leaves, \\ before an answer that is one of these")
        return lines
    }

    private func rules(of question: Question) -> [(String, FormExpression)] {
        [
            ("asked because", question.rules.relevant), ("required when", question.rules.required),
            ("must hold", question.rules.constraint),
        ].compactMap { name, rule in
            rule.flatMap { $0 == .always ? nil : (name, $0) }
        }
    }

    private func values(seenBy rule: FormExpression, at key: AnswerKey) -> [String] {
        let root = "/\(filling.form.parts.root)/"
        let node = root + key.path
        return rule.dependencies(at: node).paths.sorted().compactMap { path in
            let name = String(path.dropFirst(root.count))
            guard path.hasPrefix(root), name != key.path,
                let question = filling.form.question(named: name), question.path == name
            else { return nil }
            let isHere = filling.answers.row(key.row ?? "").map { name.hasPrefix($0.path + "/") }
            let other = AnswerKey(row: isHere == true ? key.row : nil, name)
            let value = filling.value(of: other)
            let label = filling.text(question.text, at: other)
            return "    \(label): "
                + (value.isNull ? "no answer" : shown(value, of: question, at: other))
        }
    }

    private func kind(of question: Question) -> String {
        switch question.type {
        case .text, .barcode: "  a text"
        case .integer: "  a whole number"
        case .decimal: "  a number, with a point or comma before its fraction"
        case .choice, .verdict: "  one of the list, by its number or name"
        case .choices: "  any of the list, by numbers or names with spaces between them"
        case .ranking: "  all of the list in an order, with spaces between them"
        case .date: "  a day: YYYY-MM-DD, t for today, +3d"
        case .time: "  a time of day: HH:MM"
        case .dateTime: "  a day and time: YYYY-MM-DD HH:MM"
        case .point: "  a position: degrees north and east, as 52.1 4.3"
        case .trace, .shape: "  positions with ; between them"
        case .file: "  the name of a file"
        case .acknowledge: "  y says that it is so"
        case .note: "  something to read"
        }
    }
}
