package import Forms
import Phrases

/// What the verdicts of an inspection come to.
///
/// *Not applicable* and *not observed* leave numerator and denominator; what is not answered yet too.
/// Only what is asked counts.
package struct Score: Equatable, Sendable {
    /// Weights of what passed.
    package private(set) var earned = 0.0
    /// Weights of what passed or failed.
    package private(set) var possible = 0.0
    /// How many verdicts were observed, pass or fail.
    package private(set) var observed = 0
    /// How many could be: those that are asked and not *not applicable*.
    package private(set) var observable = 0
    package private(set) var failed: [AnswerKey] = []
    /// Failed critical items: each of them fails the inspection.
    package private(set) var failedCritical: [AnswerKey] = []
    /// Failed items that had failed at the last visit as well.
    package fileprivate(set) var repeated: [AnswerKey] = []

    package init() {}

    /// From 0 to 100; nil where nothing was observed that weighs.
    package var percent: Double? { possible > 0 ? earned / possible * 100 : nil }
    package var isFailed: Bool { !failedCritical.isEmpty }
    /// Whether the form asks for verdicts at all.
    package var counts: Bool { observable > 0 || !failed.isEmpty || possible > 0 }

    /// `92 %, 47 of 52 observed`; a failed critical item is said first. Nil where nothing counts.
    package var words: String? {
        guard counts else { return nil }
        let share = percent.map { "\(Int($0.rounded(.down))) %" }
        let coverage = say("\(observed) of \(observable) observed")
        let again = repeated.isEmpty ? nil : say("\(repeated.count) failed again")
        let parts = [isFailed ? say("FAILED (critical)") : nil, share, coverage, again]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    fileprivate mutating func take(
        _ verdict: Forms.Verdict?, of question: Question, at key: AnswerKey
    ) {
        switch verdict {
        case .pass:
            observed += 1
            observable += 1
            earned += question.weight
            possible += question.weight
        case .fail:
            observed += 1
            observable += 1
            possible += question.weight
            failed.append(key)
            if question.critical { failedCritical.append(key) }
        case .notObserved, nil: observable += 1
        case .notApplicable: break
        }
    }
}

extension FormFilling {
    /// In the order of the form, its rows where their repeat stands.
    package var score: Score { score(since: nil) }

    /// - Parameter visit: the last one, by which repeat violations are known.
    package func score(since visit: Visit?) -> Score {
        var score = Score()
        for key in keysInOrder where isRelevant(key) {
            guard let index = form.index(of: key.path) else { continue }
            let question = form.allQuestions[index]
            guard question.choices.contains(where: { $0.verdict != nil }) else { continue }
            let value = answers[key]
            let verdict = question.verdict(of: value)
            // A choice that says no verdict, as a comment among verdicts, counts as none given.
            score.take(verdict, of: question, at: key)
            guard let visit, repeatsViolation(at: key, since: visit) else { continue }
            score.repeated.append(key)
        }
        return score
    }
}
