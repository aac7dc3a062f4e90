package import Coding

/// What moving an inspection to another version of its form does to its answers. Pure: the same for a look
/// beforehand and for the move itself.
///
/// **What the version does not reckon itself is neither lost nor altered.** An answer that the version does not ask for stays
/// in the record as an *orphan*, is shown apart and exported, and is an answer again when the inspection
/// moves back. One that does not fit any more stays too, as a problem. What the form reckons by itself is
/// reckoned anew, also in the place of an answer to what the older version asked (`Fate.reckoned`); and what the version asks for the first time gets its defaults.
package struct FormMove: Sendable {
    package enum Fate: Equatable, Sendable {
        /// Asked as before.
        case kept
        /// Asked as something else, which the answer is as well: `integer`, `decimal`.
        case retyped(from: String, to: String)
        /// The version does not take the answer as it stands; it stays, and is to be mended.
        case misfit(AnswerProblem)
        /// Not asked any more.
        /// - Parameter renamed: the question that seems to have taken its place.
        case gone(renamed: String?)
        /// Asked again, after it was not.
        case back
        /// The form reckons it, and to something else than before.
        case reckoned(FieldValue)
    }

    package struct Answer: Sendable {
        package let key: AnswerKey
        /// As people write it: `pump[2]/tag`.
        package let address: String
        /// In the old version, or the new one where only that has the question.
        package let label: String
        package let value: FieldValue
        package let fate: Fate
    }

    package struct NewQuestion: Sendable {
        package let path: String
        package let label: String
    }

    /// The versions.
    package let from: String
    package let to: String
    /// What is answered now, in the order of the old version; orphans of an earlier move behind it.
    package let answers: [Answer]
    /// Questions that people are asked for the first time.
    package let added: [NewQuestion]
    /// Addresses of questions without an answer that have to have one now, and had not.
    package let required: [String]
    /// The inspection as it is then.
    package let filling: FormFilling

    /// - Parameters:
    ///   - before: the inspection in its version, with its stored answers.
    ///   - hasBegun: whether anybody has answered anything; before that no default is laid down.
    ///   - laidID: of the row with this number, from 1, of those that the version itself has.
    ///   - countedID: of a row that the version counts, by its place and its number there.
    package init(
        _ before: FormFilling, to form: FormDefinition, hasBegun: Bool = true,
        laidID: (Int) -> String, countedID: (RepeatPlace, Int) -> String
    ) {
        from = before.form.version
        to = form.version
        let difference = FormDifference(from: before.form, to: form)
        var after = FormFilling(form, answers: before.answers, in: before.surroundings)
        if hasBegun { after.begin(since: before, laidID, countedID) }
        filling = after
        answers = (before.keysInOrder + before.orphans).compactMap { key in
            let value = before.answers[key]
            guard !value.isNull else { return nil }
            let question =
                before.form.question(at: key, in: before.answers)
                ?? form.question(at: key, in: before.answers)
            return Answer(
                key: key, address: before.address(of: key), label: question?.label ?? key.path,
                value: value,
                fate: Self.fate(of: value, at: key, before, after, difference))
        }
        // What was answered in an earlier version is asked again, and not for the first time.
        let back = Set(answers.filter { $0.fate == .back }.map(\.key.path))
        added = form.allQuestions.filter { question in
            difference.added.contains(question.path) && question.isAskedOfPeople
                && !back.contains(question.path)
        }.map { NewQuestion(path: $0.path, label: $0.label) }
        let wanted = Set(Self.missing(before))
        required = Self.missing(after).filter { !wanted.contains($0) }
            .map { after.address(of: $0) }
    }

    private static func missing(_ filling: FormFilling) -> [AnswerKey] {
        filling.state.problems.filter { $0.problem == .required }
            .map { AnswerKey(row: $0.row, $0.path) }
    }

    private static func fate(
        of value: FieldValue, at key: AnswerKey, _ before: FormFilling, _ after: FormFilling,
        _ difference: FormDifference
    ) -> Fate {
        let old = before.form.question(at: key, in: before.answers)
        guard let new = after.form.question(at: key, in: after.answers) else {
            return .gone(renamed: difference.renamed.first { $0.old == key.path }?.new)
        }
        let reckoned = after.value(of: key)
        if reckoned != value { return .reckoned(reckoned) }
        if !new.isReckoned, let problem = new.problem(with: value) ?? after.problem(of: key) {
            return .misfit(problem)
        }
        guard let old else { return .back }
        return old.type.word == new.type.word
            ? .kept : .retyped(from: old.type.word, to: new.type.word)
    }

    /// Answers that the version does not ask for, by their number.
    package var orphans: [Answer] {
        answers.filter { if case .gone = $0.fate { true } else { false } }
    }

    package var kept: [Answer] { answers.filter { $0.fate == .kept } }
}

extension FormFilling {
    /// Answers that this version of the form does not ask for at their place, as after a move: those of the
    /// inspection by their paths, then those of rows.
    package var orphans: [AnswerKey] {
        let own = answers.fields.keys.filter { path in
            form.index(of: path) == nil || form.repetition(around: path) != nil
        }.sorted().map { AnswerKey($0) }
        let ofRows = answers.rows.flatMap { row in
            let isPlaced = form.hasPlace(for: row, in: answers)
            return row.fields.keys.filter { path in
                !isPlaced || form.index(of: path) == nil
                    || form.repetition(around: path)?.path != row.path
            }.sorted().map { AnswerKey(row: row.id, $0) }
        }
        return (own + ofRows).filter { !answers[$0].isNull }
    }

    /// Whether this version has the repeat of a row at the place where the row stands.
    package func hasPlace(forRow id: String) -> Bool {
        answers.row(id).map { form.hasPlace(for: $0, in: answers) } ?? false
    }

    /// Lays down what this version begins with and another did not, and makes the rows that it counts. What
    /// stands already, as after a move there and back, stays as it is: answers, and rows that the version does
    /// not count.
    fileprivate mutating func begin(
        since before: FormFilling, _ laidID: (Int) -> String,
        _ countedID: (RepeatPlace, Int) -> String
    ) {
        let standing = Set(before.answers.fields.filter { !$0.value.isNull }.keys)
            .union(before.answers.rows.map(\.path))
        var laid = 0
        _ = begin(
            newID: {
                laid += 1
                return laidID(laid)
            },
            { path in
                before.form.index(of: path) == nil
                    && !before.form.repetitions.contains { $0.path == path }
                    && !standing.contains(path)
            })
        var counted = self
        do throws(CountRefusal) {
            try counted.followCounts(
                since: before.wantedRows, mayRemove: false, newID: countedID)
            self = counted
        } catch {
            // Rows with answers go by an answer of a person alone.
            return
        }
    }
}

extension FormDefinition {
    /// The question that is asked at a place; nil where none is.
    package func question(at key: AnswerKey, in answers: FormAnswers) -> Question? {
        guard let index = index(of: key.path) else { return nil }
        let repetition = repetition(around: key.path)
        guard let row = key.row else { return repetition == nil ? allQuestions[index] : nil }
        guard let row = answers.row(row), row.path == repetition?.path,
            hasPlace(for: row, in: answers)
        else { return nil }
        return allQuestions[index]
    }

    fileprivate func hasPlace(for row: FormAnswers.Row, in answers: FormAnswers) -> Bool {
        guard repetitions.contains(where: { $0.path == row.path }) else { return false }
        let outer = repetition(around: row.path)
        guard let parent = row.parent else { return outer == nil }
        guard let above = answers.row(parent), above.path == outer?.path else { return false }
        return hasPlace(for: above, in: answers)
    }
}

extension Question {
    /// Whether the form works the answer out by itself.
    package var isReckoned: Bool { rules.calculate != nil }

    fileprivate var isAskedOfPeople: Bool { !isHidden && !isReckoned && type.takesAnswer }
}
