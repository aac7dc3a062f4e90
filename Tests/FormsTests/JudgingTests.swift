import Coding
import Forms
import Testing

@Suite("Rules that only the device where the answers were given could judge")
struct JudgingTests {
    /// A group that is asked where `condition` holds, with a required question, a calculation and a choice.
    private func form(_ condition: String) throws -> FormDefinition {
        var must = Question(path: "more/must", label: "Must", type: .text(multiline: false))
        must.rules.required = .always
        var twice = Question(path: "more/twice", label: "Twice", type: .decimal)
        twice.isHidden = true
        twice.rules.calculate = try FormExpression("2 * 21")
        var day = Question(path: "day", label: "Day", type: .date)
        day.rules.constraint = try FormExpression(". >= today()")
        var parts = FormParts(id: "f", version: "1", title: "F")
        parts.sections = [
            Section(
                name: "s", text: FormText("S"),
                items: [
                    .question(day),
                    .group(Group(path: "more", items: [.question(must), .question(twice)])),
                ])
        ]
        parts.groups = [
            GroupRules(path: "more", relevant: try FormExpression(condition), readonly: nil)
        ]
        return try FormDefinition(parts)
    }

    private func filling(
        _ condition: String, _ answers: [String: FieldValue],
        judging judged: FillingSurroundings.Calculations
    ) throws -> FormFilling {
        // 2026-03-14
        var surroundings = FillingSurroundings.looking(at: 1_773_446_400_000)
        surroundings.judges = judged
        return FormFilling(try form(condition), answers: FormAnswers(answers), in: surroundings)
    }

    private static let ofTheDevice = [
        "today() < '2026-01-01'", "property('username') = 'kim'",
        "instance('__last-saved')/data/day != ''", "random() > 2",
    ]

    @Test("a day that has passed since it was planned breaks no rule any more")
    func constraint() throws {
        let answers: [String: FieldValue] = ["day": .string("2026-03-01")]
        let there = try filling("false()", answers, judging: .all)
        #expect(there.state.problem(of: "day") != nil)
        let here = try filling("false()", answers, judging: .answers)
        #expect(here.state.isComplete)
    }

    @Test(
        "what may have been hidden is neither demanded nor worked out, and kept where it was given",
        arguments: ofTheDevice)
    func relevance(condition: String) throws {
        let empty = try filling(condition, [:], judging: .answers)
        #expect(empty.state.isComplete)
        #expect(empty.value(of: AnswerKey("more/twice")) == .null)
        let given: [String: FieldValue] = ["more/must": .string("x")]
        let full = try filling(condition, given, judging: .answers)
        #expect(full.askedAnswers.fields == given)
    }

    @Test("what rests on answers alone is judged everywhere")
    func answers() throws {
        let here = try filling("/data/day = ''", [:], judging: .answers)
        #expect(here.state.problem(of: "more/must") == .required)
        #expect(here.value(of: AnswerKey("more/twice")) == .integer(42))
        let day: [String: FieldValue] = ["day": .string("2026-03-01")]
        #expect(try filling("/data/day = ''", day, judging: .answers).state.isComplete)
    }
}
