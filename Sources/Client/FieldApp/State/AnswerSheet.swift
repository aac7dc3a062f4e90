import Coding
import Forms
import Inspections
import Replication

/// The form as it is filled in on the screen: what is stored, and over it the writes on their way. A
/// change evaluates only what depends on it.
struct AnswerSheet: Equatable, Sendable {
    private(set) var filling: FormFilling
    private let lastSaved: FormAnswers?

    /// - Parameter writes: on their way, oldest first.
    init(
        _ picture: InspectionPicture, in surroundings: FillingSurroundings,
        writes: [(key: AnswerKey, value: FieldValue)]
    ) {
        var surroundings = surroundings
        surroundings.inspection = picture.id.rawValue
        surroundings.settle(for: picture.state)
        surroundings.remember(picture.lastSaved, by: picture.form)
        lastSaved = picture.lastSaved
        filling = FormFilling(
            picture.form, answers: picture.stored, drafts: Set(picture.drafts.keys),
            in: surroundings)
        for write in writes { filling.set(write.value, at: write.key) }
    }

    mutating func set(_ value: FieldValue, at key: AnswerKey, in surroundings: FillingSurroundings)
    {
        // What belongs to the inspection stays; time and language are those of the moment.
        let own = filling.surroundings
        filling.surroundings = surroundings
        filling.surroundings.inspection = own.inspection
        filling.surroundings.instances = own.instances
        filling.set(value, at: key)
    }

    mutating func setTroubles(_ troubles: [AnswerKey: AnswerProblem]) {
        filling.findingTroubles = troubles
    }

    mutating func setDrafts(_ keys: Set<AnswerKey>) {
        for key in filling.drafts.subtracting(keys) { filling.set(draft: false, at: key) }
        for key in keys.subtracting(filling.drafts) { filling.set(draft: true, at: key) }
    }

    /// Whether a picture says what stands here, so that nothing has to be evaluated: as a rule the
    /// store has come to the same as the screen did before it.
    /// - Parameter keys: of writes on their way, which the picture does not have yet.
    func agrees(with picture: InspectionPicture, writing keys: Set<AnswerKey>) -> Bool {
        let stored = picture.stored
        guard filling.form == picture.form, lastSaved == picture.lastSaved,
            stored.rows.map(\.id) == filling.answers.rows.map(\.id)
        else { return false }
        // What the form calculates is not stored by mere looking.
        return filling.changes(from: stored).allSatisfy { key in
            keys.contains(key)
                || filling.form.question(named: key.path)?.rules.calculate != nil
        }
    }

    /// As far as a person could tell.
    static func == (left: AnswerSheet, right: AnswerSheet) -> Bool {
        left.filling.answers == right.filling.answers
            && left.filling.drafts == right.filling.drafts
            && left.filling.surroundings.language == right.filling.surroundings.language
    }
}
