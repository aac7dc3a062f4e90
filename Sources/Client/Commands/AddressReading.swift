internal import Forms
internal import LocalStore

/// Why a word names no answer; a sentence without a final stop.
struct AddressTrouble: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}

/// What the words of a command name: `notes`, `pump[2]/tag`, `pump[+]/tag`, `pump[2]`.
struct AddressReading {
    enum Target {
        case answer(AnswerKey, Question)
        /// A row itself; nil for a new one, which stands among the additions.
        case row(String?)
    }

    /// Rows that the words so far make. Several `[+]` of one place are one row.
    private(set) var additions: [AnswerChange] = []
    private var made: [RepeatPlace: String] = [:]
    private let filling: FormFilling
    private let newID: () -> String

    init(_ filling: FormFilling, newID: @escaping () -> String) {
        self.filling = filling
        self.newID = newID
    }

    mutating func read(_ word: String) throws(AddressTrouble) -> Target {
        guard let address = AnswerAddress(word) else {
            throw AddressTrouble("is no question: write QUESTION, or ROW[2]/QUESTION")
        }
        if let question = try question(address) {
            let row = try row(
                around: question.path, ending: question.path, address, word)
            return .answer(AnswerKey(row: row, question.path), question)
        }
        guard let repetition = repetition(address) else {
            throw AddressTrouble(
                "the form \(filling.form.id) \(filling.form.version) has no such question")
        }
        let isNew = address.parts.last?.place == .new
        let row = try row(around: repetition.path + "/", ending: repetition.path, address, word)
        return .row(isNew ? nil : row)
    }

    private func question(_ address: AnswerAddress) throws(AddressTrouble) -> Question? {
        let path = address.path
        if let question = filling.form.question(named: path) { return question }
        let fitting = filling.form.allQuestions.filter { $0.path.hasSuffix("/" + path) }
        guard fitting.count > 1 else { return fitting.first }
        throw AddressTrouble("several questions are called that; name one by its path")
    }

    /// Only with a place: its name alone names no row.
    private func repetition(_ address: AnswerAddress) -> Repetition? {
        guard address.parts.last?.place != nil else { return nil }
        return filling.form.repetitions.first {
            $0.path == address.path || $0.path.hasSuffix("/" + address.path)
        }
    }

    /// The innermost row that a path stands in, by the places of the address.
    /// - Parameter path: what the address names in full.
    private mutating func row(
        around inner: String, ending path: String, _ address: AnswerAddress, _ word: String
    ) throws(AddressTrouble) -> String? {
        let skipped = path.split(separator: "/").count - address.parts.count
        var places: [Int: AnswerAddress.Place] = [:]
        for (index, part) in address.parts.enumerated() { places[index + skipped] = part.place }
        var row: String?
        for repetition in filling.form.repetitions where inner.hasPrefix(repetition.path + "/") {
            let place = places.removeValue(
                forKey: repetition.path.split(separator: "/").count - 1)
            row = try self.row(at: RepeatPlace(repetition.path, in: row), place)
        }
        guard places.isEmpty else {
            throw AddressTrouble("what is no repeat has no rows: leave the [ ] out")
        }
        return row
    }

    private mutating func row(
        at place: RepeatPlace, _ number: AnswerAddress.Place?
    ) throws(AddressTrouble) -> String {
        let rows = filling.answers.rows(of: place.path, in: place.parent)
        switch number {
        case .new: return try newRow(at: place)
        case .number(let number):
            guard rows.indices.contains(number - 1) else {
                throw AddressTrouble("there is no row \(number) of \(place.path): \(count(rows))")
            }
            return rows[number - 1].id
        case nil:
            if let row = made[place], rows.isEmpty { return row }
            guard rows.count == 1 else {
                let name = place.path.split(separator: "/").last ?? ""
                throw AddressTrouble(
                    "say which row of \(place.path): \(count(rows)); \(name)[2] is the second,"
                        + " \(name)[+] a new one")
            }
            return rows[0].id
        }
    }

    private func count(_ rows: [FormAnswers.Row]) -> String {
        switch rows.count {
        case 0: "there is none yet"
        case 1: "there is one"
        default: "there are \(rows.count)"
        }
    }

    private mutating func newRow(at place: RepeatPlace) throws(AddressTrouble) -> String {
        if let row = made[place] { return row }
        guard filling.takesRows(place.path) else {
            throw AddressTrouble("the form itself says how often \(place.path) is asked")
        }
        let row = newID()
        made[place] = row
        additions.append(.add(row: row, path: place.path, parent: place.parent))
        return row
    }
}
