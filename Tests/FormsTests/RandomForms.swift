import Coding
import Forms
import TestSupport
import Testing

/// Forms, answers and damage by seed.
struct RandomForms {
    var random: SeededRandom
    /// Of the form that was made last, by section or question.
    private(set) var conditions: [String: PlainCondition] = [:]

    init(random: SeededRandom) { self.random = random }

    mutating func form() throws -> FormDefinition {
        var paths: [String] = []
        conditions = [:]
        let sections = try (0...random.below(4)).map { number in
            let place = "s\(number)"
            let relevant = try condition(at: place, on: paths)
            let questions = try (0..<(1 + random.below(6))).map { position in
                let question = try question("s\(number)/q\(position)", after: paths)
                if question.type.takesAnswer { paths.append(question.path) }
                return question
            }
            return Section(
                name: "s\(number)", title: "Section \(number)", relevant: relevant,
                questions: questions)
        }
        return try FormDefinition(
            id: "random", version: "\(random.below(9))", title: "Random", sections: sections)
    }

    mutating func answers(to form: FormDefinition) -> [String: FieldValue] {
        var answers: [String: FieldValue] = [:]
        for question in form.questions where !random.oneIn(3) {
            answers[question.path] = value(for: question)
        }
        return answers
    }

    private mutating func question(_ path: String, after paths: [String]) throws -> Question {
        let type = random.pick([
            QuestionType.text(multiline: false), .text(multiline: true), .integer, .decimal,
            .choice, .verdict, .date, .note,
        ])
        let low = Double(random.below(100)) - 50
        return try Question(
            path: path, label: "Label of \(path)", type: type,
            hint: random.oneIn(3) ? "A hint" : nil,
            required: type.takesAnswer && random.oneIn(2),
            relevant: condition(at: path, on: paths), unit: random.oneIn(4) ? "psi" : nil,
            limits: type.isNumber && random.oneIn(2)
                ? NumberLimits(hardMinimum: low, softMaximum: low + 0.5) : NumberLimits(),
            choices: type == .choice
                ? (0...random.below(3)).map { Choice(name: "c\($0)", label: "C \($0)") } : [],
            merge: random.pick(["ask", "quarantine", "lww"]), previous: random.oneIn(2),
            critical: random.oneIn(3), weight: random.oneIn(2) ? 1 : 2.5,
            photoOnFail: random.oneIn(3), findingOnFail: random.oneIn(3))
    }

    private mutating func condition(
        at place: String, on paths: [String]
    ) throws -> FormExpression? {
        guard !paths.isEmpty, random.oneIn(2) else { return nil }
        let condition = term(on: paths, depth: 3)
        conditions[place] = condition
        return try FormExpression(condition.text)
    }

    private mutating func term(on paths: [String], depth: Int) -> PlainCondition {
        let path = random.pick(paths)
        switch random.below(depth > 0 ? 6 : 3) {
        case 0: return .answered(question: path)
        case 1: return .selected(question: path, name: "c0")
        case 2:
            let constant = random.pick([FieldValue.integer(0), .double(2.5), .string("c1")])
            return .compare(
                question: path, random.pick(PlainCondition.comparisons), constant)
        case 3: return .not(term(on: paths, depth: depth - 1))
        case 4:
            return .all((0..<random.below(3)).map { _ in term(on: paths, depth: depth - 1) })
        default:
            return .any((0..<random.below(3)).map { _ in term(on: paths, depth: depth - 1) })
        }
    }

    private mutating func value(for question: Question) -> FieldValue {
        switch question.type {
        case .note: .null
        case .text: .string("c\(random.below(3))")
        case .integer: .integer(Int64(random.below(200)) - 100)
        case .decimal: .double(Double(random.below(400)) / 4 - 50)
        case .choice, .verdict: .string(random.pick(question.choices).name)
        default: .string("2026-0\(1 + random.below(9))-1\(random.below(10))")
        }
    }
}

extension RandomForms {
    /// By plain recursion, without an order: slow, and obviously what is meant.
    func isRelevant(
        _ path: String, in form: FormDefinition, answers: [String: FieldValue]
    ) -> Bool {
        let section = path.prefix { $0 != "/" }
        return [conditions[String(section)], conditions[path]].compactMap(\.self)
            .allSatisfy { condition in
                condition.holds { other in
                    isRelevant(other, in: form, answers: answers)
                        ? answers[other] ?? .null : .null
                }
            }
    }
}

@Suite("Any form")
struct RandomFormTests {
    @Test("reads back as it was written", arguments: 0..<100)
    func roundTrip(seed: UInt64) throws {
        var forms = RandomForms(random: SeededRandom(seed: seed))
        let form = try forms.form()
        let again = try FormDefinition(json: JSON.parse(form.json.serialized()))
        #expect(again == form, "seed \(seed)")
    }

    @Test(
        "is as relevant as its conditions say when they are followed one by one", arguments: 0..<100
    )
    func relevance(seed: UInt64) throws {
        var forms = RandomForms(random: SeededRandom(seed: seed))
        let form = try forms.form()
        for _ in 0..<10 {
            let answers = forms.answers(to: form)
            let state = form.evaluate(answers: answers)
            let expected = form.questions.filter {
                forms.isRelevant($0.path, in: form, answers: answers)
            }
            #expect(state.relevant == Set(expected.map(\.path)), "seed \(seed)")
            #expect(state.answered <= state.total, "seed \(seed)")
            let blamed = state.problems.map(\.path)
            #expect(Set(blamed).isSubset(of: state.relevant), "seed \(seed)")
            #expect(Set(blamed).count == blamed.count, "seed \(seed)")
        }
    }

    @Test("damaged at one place is refused or still a form, and never a crash", arguments: 0..<50)
    func damage(seed: UInt64) throws {
        var forms = RandomForms(random: SeededRandom(seed: seed))
        let form = try forms.form()
        for _ in 0..<40 {
            let damaged = Self.damage(form.json, with: &forms.random)
            do throws(FormError) {
                let survived = try FormDefinition(json: damaged)
                let again = try FormDefinition(json: survived.json)
                #expect(again == survived, "seed \(seed)")
            } catch {
                #expect(!error.message.isEmpty, "seed \(seed)")
            }
        }
    }

    private static func damage(_ json: JSON, with random: inout SeededRandom) -> JSON {
        switch json {
        case .array(var items) where !items.isEmpty && !random.oneIn(6):
            let index = random.below(items.count)
            if random.oneIn(8) { items.append(items[index]) }
            items[index] = damage(items[index], with: &random)
            return .array(items)
        case .object(var members) where !members.isEmpty && !random.oneIn(6):
            let key = random.pick(members.keys.sorted())
            members[key] = random.oneIn(8) ? nil : damage(members[key] ?? .null, with: &random)
            return .object(members)
        default:
            return random.pick([
                .null, .bool(true), .integer(-1), .double(.greatestFiniteMagnitude),
                .string(""), .string("\u{1B}[2J"), .string("@x"), .array([]), .object([:]),
            ])
        }
    }
}
