import Coding
import Forms
import Inspections

/// A form filled with the answers of one case, as an inspector would: what is not asked takes no
/// answer.
struct FormCaseRun {
    /// What came out otherwise than it should.
    struct Failure: Equatable, CustomStringConvertible {
        var what: String
        var expected: String?
        var actual: String

        var description: String {
            expected.map { "\(what): expected \($0), is \(actual)" } ?? "\(what): \(actual)"
        }
    }

    private var filling: FormFilling
    private let ids: RowIDs
    /// Rows that the case has given answers to.
    private var given: Set<String> = []
    private(set) var failures: [Failure] = []

    static func failures(of formCase: FormCase, _ form: FormDefinition) -> [Failure] {
        var run = FormCaseRun(formCase, form)
        for answers in formCase.answers { run.answer(answers, in: nil) }
        run.compare(with: formCase.expected)
        return run.failures
    }

    private init(_ formCase: FormCase, _ form: FormDefinition) {
        let (now, properties) = (formCase.now, formCase.properties)
        var surroundings = FillingSurroundings(
            now: { now }, zone: formCase.zone, randomFraction: { 0.5 },
            uuid: { "00000000-0000-4000-8000-000000000000" }, property: { properties[$0] })
        surroundings.language = formCase.language
        filling = FormFilling(form, in: surroundings)
        let ids = RowIDs()
        self.ids = ids
        _ = filling.begin(newID: { ids.next() })
        followCounts(since: [:])
    }

    /// Of rows, whoever makes them.
    private final class RowIDs {
        private var count = 0

        func next() -> String {
            count += 1
            return "row-\(count)"
        }
    }

    private var form: FormDefinition { filling.form }

    // MARK: Answers

    /// In the order of the form, as somebody who goes through it.
    private mutating func answer(_ answers: [String: JSON], in row: String?) {
        let place = row.flatMap { filling.answers.row($0)?.path }
        var items: [(order: Int, target: Target, value: JSON)] = []
        for (name, value) in answers {
            guard let target = target(name, in: place) else {
                fail(name, "there is no such question" + (place.map { " in \($0)" } ?? ""))
                continue
            }
            items.append((order(of: target), target, value))
        }
        for item in items.sorted(by: { $0.order < $1.order }) {
            switch item.target {
            case .question(let question): give(item.value, to: question, in: row)
            case .repetition(let repetition): add(item.value, to: repetition, in: row)
            }
        }
    }

    /// What a name means among the answers of an inspection or row.
    private enum Target {
        case question(Question)
        case repetition(Repetition)
    }

    private func target(_ name: String, in place: String?) -> Target? {
        let full = place.map { $0 + "/" + name } ?? name
        if let repetition = repetition(full, name, in: place) { return .repetition(repetition) }
        let found = [full, name].lazy.compactMap { form.question(named: $0) }.first {
            form.repetition(around: $0.path)?.path == place
        }
        return found.map { .question($0) }
    }

    /// A repeat stands where its first question stands.
    private func order(of target: Target) -> Int {
        switch target {
        case .question(let question): form.index(of: question.path) ?? 0
        case .repetition(let repetition):
            form.allQuestions.firstIndex { $0.path.hasPrefix(repetition.path + "/") } ?? 0
        }
    }

    private func repetition(_ full: String, _ name: String, in place: String?) -> Repetition? {
        form.repetitions.first {
            [full, name].contains($0.path) && form.repetition(around: $0.path)?.path == place
        }
    }

    private mutating func give(_ json: JSON, to question: Question, in row: String?) {
        let key = AnswerKey(row: row, question.path)
        let address = filling.answers.address(of: key)
        let value: FieldValue
        do throws(CodingError) {
            value = json == .null ? .null : try FieldValue(json: json)
        } catch {
            return fail(address, "is given neither a text nor a number")
        }
        guard question.type.takesAnswer else { return fail(address, "is a note, and was answered") }
        guard filling.isRelevant(key) else {
            return fail(address, "is not asked there, and was answered")
        }
        guard question.rules.calculate == nil, !filling.isReadonly(key), !question.isHidden else {
            return fail(address, "cannot be answered by a person, and was")
        }
        let before = filling.wantedRows
        _ = filling.set(value.canonical, at: key)
        followCounts(since: before)
    }

    /// As for somebody who agrees that rows go.
    private mutating func followCounts(since before: [RepeatPlace: Int]) {
        let ids = ids
        do throws(CountRefusal) {
            try filling.followCounts(since: before, mayRemove: true, newID: { _, _ in ids.next() })
        } catch {
            switch error {
            case .removesRows: break
            case .tooManyRows(let limit):
                fail("the count of a repeat", "is more than \(limit) rows")
            case .tooMuchWork:
                fail(
                    "the count of a repeat",
                    "is more than its expressions get done with: they need more than "
                        + "\(FormLimits.stepsOfOneChange) steps")
            }
        }
    }

    /// A list of rows, each an object of answers: those that stand there first.
    private mutating func add(_ json: JSON, to repetition: Repetition, in row: String?) {
        guard case .array(let items) = json else {
            return fail(repetition.path, "a repeat is given a list of rows")
        }
        for item in items {
            guard case .object(let answers) = item else {
                return fail(repetition.path, "a row is an object of answers")
            }
            guard let id = nextRow(of: repetition, in: row) else {
                let count = filling.answers.rows(of: repetition.path, in: row).count
                return fail(
                    repetition.path, "has \(count) rows, and \(items.count) were given answers")
            }
            given.insert(id)
            answer(answers, in: id)
        }
    }

    /// The first row that the form has made and nothing was said of, or a new one where people add
    /// them.
    private mutating func nextRow(of repetition: Repetition, in row: String?) -> String? {
        let standing = filling.answers.rows(of: repetition.path, in: row)
        if let next = standing.first(where: { !given.contains($0.id) }) { return next.id }
        guard filling.takesRows(repetition.path) else { return nil }
        let before = filling.wantedRows
        let id = ids.next()
        _ = filling.add(FormAnswers.Row(id: id, parent: row, path: repetition.path))
        followCounts(since: before)
        return id
    }

    // MARK: What came of them

    private mutating func compare(with expected: FormCase.Expectation) {
        for fault in filling.faults {
            fail(fault.path, "\(fault.rule) comes to nothing: \(fault.error)")
        }
        let keys = addresses
        flags(expected.relevant, keys, "asked", true) { $0.isRelevant($1) }
        flags(expected.irrelevant, keys, "asked", false) { $0.isRelevant($1) }
        flags(expected.required, keys, "required", true) { $0.isRequired($1) }
        flags(expected.readonly, keys, "to be read only", true) { $0.isReadonly($1) }
        for (address, value) in expected.values.sorted(by: { $0.key < $1.key }) {
            guard let key = key(address, keys) else { continue }
            let actual = filling.value(of: key).canonical
            if actual != value.canonical {
                fail(address, expected: value.canonical.shown, actual.shown)
            }
        }
        for (address, text) in expected.texts.sorted(by: { $0.key < $1.key }) {
            guard let key = key(address, keys), let index = form.index(of: key.path) else {
                continue
            }
            let shown = filling.text(form.allQuestions[index].text, at: key)
            if shown != text { fail("label of \(address)", expected: text, shown) }
        }
        for (address, names) in expected.offered.sorted(by: { $0.key < $1.key }) {
            guard let key = key(address, keys) else { continue }
            let offered = filling.offered(at: key).map(\.name)
            guard offered != names else { continue }
            fail(
                "choices of \(address)", expected: names.joined(separator: " "),
                offered.joined(separator: " "))
        }
        compareComments(with: expected.comments, keys)
        compareWhole(with: expected)
    }

    private mutating func compareComments(
        with expected: [String: [String]], _ keys: [String: AnswerKey]
    ) {
        for (address, names) in expected.sorted(by: { $0.key < $1.key }) {
            guard let key = key(address, keys) else { continue }
            let ready = form.question(named: key.path)?.comments.choices.map(\.name) ?? []
            guard ready != names else { continue }
            fail(
                "comments of \(address)", expected: names.joined(separator: " "),
                ready.joined(separator: " "))
        }
    }

    private mutating func compareWhole(with expected: FormCase.Expectation) {
        let problems = filling.state.problems
        if let complete = expected.complete, complete != problems.isEmpty {
            fail(
                "complete", expected: complete ? "yes" : "no",
                complete ? "no: \(words(problems))" : "yes")
        }
        if let name = expected.name, name != filling.instanceName ?? "" {
            fail("name", expected: name, filling.instanceName ?? "none")
        }
        if let score = expected.score { compare(filling.score, with: score) }
        guard let named = expected.problems else { return }
        var wanted: [String: String] = [:]
        for (name, words) in named { wanted[address(named: name)] = words }
        for problem in problems {
            let address = address(of: problem)
            let message = message(of: problem)
            guard let words = wanted.removeValue(forKey: address) else {
                fail(address, expected: "no problem", message)
                continue
            }
            if !words.isEmpty, !message.contains(words) { fail(address, expected: words, message) }
        }
        for (address, words) in wanted.sorted(by: { $0.key < $1.key }) {
            fail(address, expected: words.isEmpty ? "a problem" : words, "without a problem")
        }
    }

    private mutating func compare(
        _ score: Score, with expected: FormCase.Expectation.Score
    ) {
        func tenth(_ percent: Double?) -> String {
            percent.map { plainNumber(($0 * 10).rounded() / 10) } ?? "none"
        }
        var pairs: [(String, String?, String)] = [
            ("failed", expected.failed.map { $0 ? "yes" : "no" }, score.isFailed ? "yes" : "no"),
            ("observed", expected.observed.map(String.init), String(score.observed)),
            ("observable", expected.observable.map(String.init), String(score.observable)),
        ]
        if let percent = expected.percent {
            pairs.append(("percent", tenth(percent), tenth(score.percent)))
        }
        for (what, wanted, actual) in pairs {
            guard let wanted, wanted != actual else { continue }
            fail("score \(what)", expected: wanted, actual)
        }
    }

    /// Of a question that a case names by its bare name.
    private func address(named name: String) -> String {
        guard let question = form.question(named: name),
            form.repetition(around: question.path) == nil
        else { return name }
        return question.path
    }

    private func address(of problem: FormProblem) -> String {
        filling.answers.address(of: AnswerKey(row: problem.row, problem.path))
    }

    private func message(of problem: FormProblem) -> String {
        let unit = form.index(of: problem.path).flatMap { form.allQuestions[$0].unit }
        return problem.problem.message(unit: unit)
    }

    private func words(_ problems: [FormProblem]) -> String {
        problems.map { "\(address(of: $0)) \(message(of: $0))" }.joined(separator: "; ")
    }

    private mutating func flags(
        _ names: [String], _ keys: [String: AnswerKey], _ word: String, _ wanted: Bool,
        _ holds: (FormFilling, AnswerKey) -> Bool
    ) {
        for name in names {
            guard let key = key(name, keys), holds(filling, key) != wanted else { continue }
            fail(name, wanted ? "is not \(word)" : "is \(word)")
        }
    }

    /// Of all answers that there can be with these rows.
    private var addresses: [String: AnswerKey] {
        var keys: [String: AnswerKey] = [:]
        for question in form.questions { keys[question.path] = AnswerKey(question.path) }
        for row in filling.answers.rows {
            for question in form.allQuestions
            where form.repetition(around: question.path)?.path == row.path {
                let key = AnswerKey(row: row.id, question.path)
                keys[filling.answers.address(of: key)] = key
            }
        }
        return keys
    }

    private mutating func key(_ address: String, _ keys: [String: AnswerKey]) -> AnswerKey? {
        if let key = keys[address] ?? form.question(named: address).flatMap({ keys[$0.path] }) {
            return key
        }
        fail(address, "there is no such answer")
        return nil
    }

    private mutating func fail(_ what: String, expected: String? = nil, _ actual: String) {
        failures.append(Failure(what: what, expected: expected, actual: actual))
    }
}
