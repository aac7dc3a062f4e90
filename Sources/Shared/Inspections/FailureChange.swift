package import Forms

/// What a change of answers does to what fails, and which findings follow it. Pure: the same on a device
/// and on the server.
///
/// **Whoever makes an answer stand raises what it asks for, in the same transaction**, and nobody who hears
/// of it later: so a failure has one finding, however many devices hear of it.
package struct FailureChange: Sendable {
    /// Where answers fail that did not before, in the order of the form.
    package var begun: [AnswerKey]
    /// Where answers do not fail, and may have before.
    package var ended: Set<AnswerKey>
    /// Where what stands now was said just now: it is a failure of its own, whatever was found there
    /// before. What stands elsewhere was said earlier, and comes back.
    package var said: Set<AnswerKey>

    /// A row that goes takes its answers along and corrects none of them, and nor does a version that asks
    /// for no finding any more.
    ///
    /// - Parameters:
    ///   - before: where answers failed that raise a finding; `now`: where they do.
    ///   - filling: as things stand now.
    ///   - given: the answers that count, where these are others than the form has reckoned with.
    ///   - decided: answers that a person has decided about, changed by it or not.
    ///   - isSaid: whether what stands there now was said just now.
    package init(
        since before: Set<AnswerKey>, now: Set<AnswerKey>, in filling: FormFilling,
        by given: FormAnswers? = nil, decided: Set<AnswerKey> = [],
        isSaid: (AnswerKey) throws -> Bool
    ) rethrows {
        let answers = given ?? filling.answers
        let begun = now.subtracting(before).union(decided.intersection(now))
        self.begun = begun.isEmpty ? [] : filling.keysInOrder.filter(begun.contains)
        ended = before.union(decided).subtracting(now).filter { key in
            !filling.fails(key, by: answers) && key.row.map { answers.row($0) != nil } ?? true
        }
        said = try begun.filter(isSaid)
    }

    package var isEmpty: Bool { begun.isEmpty && ended.isEmpty }

    /// A finding of the inspection, one that was taken away too.
    package struct Known: Sendable {
        package let id: String
        package let finding: Finding
        package let isDeleted: Bool
        /// By the Lamport counter.
        package let raisedAt: Int64

        package init(id: String, finding: Finding, isDeleted: Bool, raisedAt: Int64) {
            self.id = id
            self.finding = finding
            self.isDeleted = isDeleted
            self.raisedAt = raisedAt
        }

        /// Whether a failure that began with an answer of this counter is found already: and mended since,
        /// or taken away by a person. What went with its answer is to be found again.
        fileprivate func covers(_ question: Question, answeredAt: Int64) -> Bool {
            raisedAt > answeredAt && !(isDeleted && finding.isAsRaised(by: question))
        }
    }

    /// What the form asks to be found, unless it is, and still to be mended.
    /// - Parameters:
    ///   - answeredAt: the Lamport counter of an answer that was said earlier.
    ///   - isRepeated: whether the last visit had found the same.
    package func raised(
        among known: [Known], in form: FormDefinition,
        answeredAt: (AnswerKey) throws -> Int64, isRepeated: (AnswerKey) throws -> Bool
    ) rethrows -> [Finding] {
        try begun.compactMap { key in
            guard let index = form.index(of: key.path) else { return nil }
            let question = form.allQuestions[index]
            let there = known.filter { $0.finding.key == key }
            if there.contains(where: { !$0.isDeleted && $0.finding.status == .pending }) {
                return nil
            }
            if !said.contains(key), !there.isEmpty {
                let count = try answeredAt(key)
                if there.contains(where: { $0.covers(question, answeredAt: count) }) { return nil }
            }
            return Finding.raised(
                by: question, row: key.row, isRepeated: try isRepeated(key))
        }
    }

    /// What goes with its cause, because nobody has worked on it.
    package func withdrawn(among known: [Known], in form: FormDefinition) -> [Known] {
        known.filter { each in
            guard !each.isDeleted, ended.contains(each.finding.key),
                let index = form.index(of: each.finding.question)
            else { return false }
            return each.finding.isAsRaised(by: form.allQuestions[index])
        }
    }
}
