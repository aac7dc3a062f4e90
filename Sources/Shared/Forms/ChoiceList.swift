internal import Phrases
internal import Synchronization

/// What a question offers, in order; found by name without going through them.
///
/// Shared by all questions that offer the same list, as lists of 50,000 places are.
package final class ChoiceList: Sendable {
    package let choices: [Choice]
    /// By name; made when the first choice is looked for.
    private let indices = Mutex<[String: Int]?>(nil)

    package init(_ choices: [Choice]) {
        self.choices = choices
    }

    package static let none = ChoiceList([])

    package var isEmpty: Bool { choices.isEmpty }

    package func choice(named name: String) -> Choice? {
        let index = indices.withLock { indices in
            if let indices { return indices[name] }
            let made = Dictionary(
                choices.enumerated().map { ($1.name, $0) },
                uniquingKeysWith: { first, _ in first })
            indices = made
            return made[name]
        }
        return index.map { choices[$0] }
    }
}

extension ChoiceList: Equatable {
    package static func == (left: ChoiceList, right: ChoiceList) -> Bool {
        left === right || left.choices == right.choices
    }
}

/// One of the answers that a choice or verdict question offers.
package struct Choice: Equatable, Sendable {
    /// What is stored and sent.
    package var name: String
    package var text: FormText
    package var verdict: Verdict?

    package init(name: String, text: FormText, verdict: Verdict? = nil) {
        self.name = name
        self.text = text
        self.verdict = verdict
    }

    package init(name: String, label: String, verdict: Verdict? = nil) {
        self.init(name: name, text: FormText(label), verdict: verdict)
    }

    /// In the form's default language.
    package var label: String { text.plain }

    /// As a person reads it. A compiled form has the standard verdicts in it like an author's own: what nobody
    /// has written is told in the language of the screen.
    package var shownText: FormText {
        guard verdict != nil, text.translations.isEmpty, Choice.standardVerdicts.contains(self)
        else { return text }
        return FormText(Phrase(key: label).text)
    }

    /// What a verdict question offers when its form lists nothing.
    package static let standardVerdicts = [
        Choice(name: "pass", label: "Pass", verdict: .pass),
        Choice(name: "fail", label: "Fail", verdict: .fail),
        Choice(name: "na", label: "Not applicable", verdict: .notApplicable),
        Choice(name: "not_observed", label: "Not observed", verdict: .notObserved),
    ]
}

/// What an answer means in this trade. *Not applicable* and *not observed* both leave numerator
/// and denominator of a score.
package enum Verdict: String, Sendable, CaseIterable {
    case pass, fail, notApplicable, notObserved
}

/// Which part of a question's list is offered, where that depends on other answers:
/// `instance('towns')/root/item[region = current()/../region]`.
package struct ChoiceFilter: Hashable, Sendable {
    package var nodeset: FormExpression
    /// The element of each node that holds the choice's name.
    package var valueName: String
    /// The element that holds the label, where the choices are made of the nodes themselves, as of the
    /// rows of a repeat; nil where they are those of the question's list.
    package var labelName: String?

    package init(nodeset: FormExpression, valueName: String, labelName: String? = nil) {
        self.nodeset = nodeset
        self.valueName = valueName
        self.labelName = labelName
    }
}
