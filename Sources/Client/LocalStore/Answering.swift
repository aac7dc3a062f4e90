package import Coding
package import Forms
internal import Inspections
internal import Replication

/// What a person does to the answers of an inspection.
package enum AnswerChange: Sendable {
    case answer(AnswerKey, FieldValue)
    /// At the end of its repeat. The id is the caller's, so that the same edit can answer in it.
    case add(row: String, path: String, parent: String?)
    case remove(row: String)
}

/// One edit of a person, as far as the form is concerned: what it changes, and all that follows.
///
/// Pure: what comes out is written by `DeviceStore.change`.
struct Answering {
    private(set) var filling: FormFilling
    private let stored: FormAnswers
    /// Where an answer failed before that asks for a finding.
    private let failedBefore: Set<AnswerKey>
    private let rowIDs: FormRowIDs
    /// Rows that were laid down now and hold nothing: the first that a person adds takes the place of one.
    private var blank: Set<String> = []

    /// - Parameters:
    ///   - stored: the answers as they stand, before the form has reckoned anything anew.
    ///   - earlier: in the version that the inspection has had so far, where that is another one.
    ///   - rowIDs: of rows that no person adds.
    init(
        _ filling: FormFilling, over stored: FormAnswers, since earlier: FormFilling? = nil,
        rowIDs: FormRowIDs
    ) {
        self.filling = filling
        self.stored = stored
        failedBefore = (earlier ?? filling).findingKeys(by: stored)
        self.rowIDs = rowIDs
    }

    /// Lays down what an inspection begins with.
    mutating func begin() throws {
        let rowIDs = rowIDs
        var laid = 0
        _ = filling.begin {
            laid += 1
            return rowIDs.laid(laid)
        }
        // Rows beyond a count are the form's own, and nobody's loss.
        try followCounts(since: [:], agreed: true)
        dropWhatIsNoAnswer(but: [])
        blank = Set(filling.answers.rows.map(\.id).filter { !filling.isFilled(row: $0) })
    }

    /// - Parameters:
    ///   - isBeginning: whether nobody has answered anything before.
    ///   - agreed: whether the person agreed that rows with answers go.
    /// - Throws: `AnswerRefusal`
    mutating func make(
        _ changes: [AnswerChange], isBeginning: Bool, agreed: Bool
    ) throws {
        if isBeginning { try begin() }
        let before = filling.wantedRows
        var given: [(AnswerKey, FieldValue)] = []
        for change in changes {
            switch change {
            case .answer(let key, let value):
                if let row = key.row, filling.answers.row(row) == nil {
                    throw AnswerRefusal.noSuchRow
                }
                filling.set(value, at: key)
                given.append((key, value))
            case .add(let row, let path, let parent):
                try add(FormAnswers.Row(id: row, parent: parent, path: path))
            case .remove(let row): try remove(row, agreed: agreed)
            }
        }
        // An answer may have dropped one that was given before it and that now stands again.
        for (key, value) in given where filling.value(of: key) != value {
            filling.set(value, at: key)
        }
        try check(given)
        try followCounts(since: before, agreed: agreed)
        dropWhatIsNoAnswer(but: Set(given.map(\.0)))
    }

    /// Makes the rows that are missing where a count has changed otherwise than by an answer that was given
    /// here. None go, as nobody was asked: what stands in them is somebody's.
    /// - Parameter before: what was wanted before; what it does not name counts as changed.
    mutating func makeMissingRows(since before: [RepeatPlace: Int]) throws {
        let enough = filling.wantedRows.filter { place, count in
            filling.answers.rows(of: place.path, in: place.parent).count >= count
        }
        try followCounts(since: before.merging(enough) { $1 }, agreed: false)
        dropWhatIsNoAnswer(but: [])
    }

    private mutating func followCounts(since before: [RepeatPlace: Int], agreed: Bool) throws {
        do throws(CountRefusal) {
            try filling.followCounts(since: before, mayRemove: agreed, newID: rowIDs.counted)
        } catch {
            switch error {
            case .removesRows(let rows): throw AnswerRefusal.removesRows(rows.map(mention))
            case .tooManyRows(let limit): throw AnswerRefusal.tooManyRows(limit: limit)
            case .tooMuchWork: throw AnswerRefusal.tooMuchWork
            }
        }
    }

    private mutating func add(_ row: FormAnswers.Row) throws {
        guard filling.takesRows(row.path) else { throw AnswerRefusal.fixedRows(row.path) }
        if let parent = row.parent, filling.answers.row(parent) == nil {
            throw AnswerRefusal.noSuchRow
        }
        let place = filling.answers.rows(of: row.path, in: row.parent).first {
            blank.contains($0.id)
        }
        if let place {
            blank.remove(place.id)
            _ = filling.remove(row: place.id)
        }
        _ = filling.add(row)
    }

    private mutating func remove(_ id: String, agreed: Bool) throws {
        guard let row = filling.answers.row(id) else { throw AnswerRefusal.noSuchRow }
        guard filling.takesRows(row.path) else { throw AnswerRefusal.fixedRows(row.path) }
        guard agreed || !filling.isFilled(row: id) else {
            throw AnswerRefusal.removesRows([mention(id)])
        }
        _ = filling.remove(row: id)
    }

    private func mention(_ id: String) -> AnswerRefusal.Row {
        let path = filling.answers.row(id)?.path ?? ""
        return AnswerRefusal.Row(
            address: filling.address(of: AnswerKey(row: id, path)),
            name: filling.name(ofRow: id))
    }

    /// All that is wrong with what was given, seen with all of it in place. An answer may be cleared
    /// though it is required: only *complete* asks for it.
    private func check(_ given: [(AnswerKey, FieldValue)]) throws {
        let troubles = given.compactMap { key, value -> AnswerRefusal.Trouble? in
            guard stored[key] != value || filling.value(of: key) != value,
                let problem = problem(of: value, at: key)
            else { return nil }
            return AnswerRefusal.Trouble(
                address: filling.address(of: key), path: key.path, problem: problem,
                offered: problem == .notOffered ? filling.choosable(at: key) ?? [] : [])
        }
        guard troubles.isEmpty else { throw AnswerRefusal.answers(troubles) }
    }

    private func problem(of value: FieldValue, at key: AnswerKey) -> AnswerProblem? {
        if let obstacle = filling.obstacle(at: key) { return obstacle }
        if value.isNull { return nil }
        // It was dropped again: its list depends on another answer.
        if filling.value(of: key).isNull { return .notOffered }
        if case .string(let names) = value, question(at: key)?.type == .ranking,
            names.split(separator: " ").count != filling.offered(at: key).count
        {
            return .partialOrder
        }
        return filling.problem(of: key)
    }

    /// What a default or an action of the form gives and the question does not take is left out: the
    /// author's mistake must not stand in the way of the inspector's answer.
    private mutating func dropWhatIsNoAnswer(but given: Set<AnswerKey>) {
        for key in filling.changes(from: stored) where !given.contains(key) {
            guard let question = question(at: key), !question.isDerived,
                question.problem(with: filling.value(of: key)) != nil
            else { continue }
            filling.set(.null, at: key)
        }
    }

    /// What sets the form's own values when an inspection is completed.
    mutating func finish() {
        _ = filling.finish()
        dropWhatIsNoAnswer(but: [])
    }

    /// Takes what a move to another version has come to.
    mutating func settleMove() { dropWhatIsNoAnswer(but: []) }

    // MARK: What is stored

    /// What differs from what is stored, with the value that it gets.
    func writes(on id: RecordID) -> [AnswerKey: FieldValue] {
        var writes: [AnswerKey: FieldValue] = [:]
        for key in filling.changes(from: stored) {
            let value = filling.value(of: key)
            // A calculation may come to more than an answer may be.
            let isText = AnswerText.isAcceptable(Array(value.formText.utf8))
            writes[key] = isText ? value : .null
        }
        // An inspection is one submission for ever, however often its form reckons a name for it.
        for question in filling.form.parts.hidden where question.name == "instanceID" {
            writes[AnswerKey(question.path)] = .string("uuid:" + id.rawValue)
        }
        return writes.filter { stored[$0.key] != $0.value }
    }

    /// - Parameter written: the answers that change.
    func failures(writing written: Set<AnswerKey>) -> FailureChange {
        FailureChange(
            since: failedBefore, now: filling.findingKeys(), in: filling,
            isSaid: written.contains)
    }

    private func question(at key: AnswerKey) -> Question? {
        filling.form.index(of: key.path).map { filling.form.allQuestions[$0] }
    }
}
