internal import Forms

/// Where a filling by lines stops, in the order of the form as it is at the moment.
enum FillStop: Hashable {
    case section(Int)
    /// A row begins.
    case row(String)
    case question(AnswerKey)
    /// Something to read: a note, or what cannot be changed.
    case reading(AnswerKey)
    /// Whether there is one more.
    case another(RepeatPlace)

    /// Whether an answer is waited for.
    var asks: Bool {
        switch self {
        case .question, .another: true
        case .section, .row, .reading: false
        }
    }
}

/// All stops of an inspection now; an answer may bring others.
struct FillStops {
    private(set) var stops: [FillStop] = []
    private let filling: FormFilling

    init(_ filling: FormFilling) {
        self.filling = filling
        for (index, section) in filling.form.sections.enumerated() {
            let mark = stops.count
            stops.append(.section(index))
            for item in section.items { add(item, in: nil) }
            // A section in which nothing is asked is passed over.
            if stops.count == mark + 1 { stops.removeLast() }
        }
    }

    private mutating func add(_ item: FormItem, in row: String?) {
        switch item {
        case .question(let question): add(question, in: row)
        case .group(let group): for item in group.items { add(item, in: row) }
        case .repetition(let repetition):
            guard filling.isAsked(repetition, in: row) else { return }
            for each in filling.answers.rows(of: repetition.path, in: row) {
                stops.append(.row(each.id))
                for item in repetition.items { add(item, in: each.id) }
            }
            guard filling.takesRows(repetition.path) else { return }
            stops.append(.another(RepeatPlace(repetition.path, in: row)))
        }
    }

    private mutating func add(_ question: Question, in row: String?) {
        let key = AnswerKey(row: row, question.path)
        guard filling.isRelevant(key) else { return }
        stops.append(filling.obstacle(at: key) == nil ? .question(key) : .reading(key))
    }

    /// The place of a stop; where it has gone, the one that it had.
    func index(of stop: FillStop, else former: Int) -> Int {
        stops.firstIndex(of: stop) ?? max(0, min(former, stops.count) - 1)
    }

    /// The nearest stop before this place at which something is asked.
    func asking(before index: Int) -> Int? {
        stops.indices.last { $0 < index && stops[$0].asks }
    }

    func section(after index: Int) -> Int? {
        stops.indices.first { place in
            if case .section = stops[place] { place > index } else { false }
        }
    }
}
