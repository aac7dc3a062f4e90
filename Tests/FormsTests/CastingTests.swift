import Coding
import Forms
import TestSupport
import Testing

/// What a form makes is brought into the type of the question that it is for, as JavaRosa stores it.
@Suite("What a form makes, in the type that is asked for")
struct CastingTests {
    /// One question of a type, filled by a calculation, an action or a default.
    enum Source: CaseIterable {
        case calculation, action
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let type: String
        let expression: String
        let value: FieldValue

        init(_ type: String, _ expression: String, _ value: FieldValue) {
            self.type = type
            self.expression = expression
            self.value = value
        }

        var testDescription: String { "\(type) \(expression)" }
    }

    /// 2026-07-01 23:30 two hours ahead of UTC.
    private static let start = "2026-07-01T21:30:00.000+00:00"

    private static func filling(
        _ type: String, _ expression: String, from source: Source,
        calculates: FillingSurroundings.Calculations = .all
    ) throws -> FormFilling {
        let calculate = source == .calculation ? ", \"calculate\": \"\(expression)\"" : ""
        let actions =
            source == .action
            ? """
            , "actions": [{"events": ["odk-instance-first-load"], "target": "q",
              "expression": "\(expression)"}]
            """ : ""
        let isChoice = ["choice", "choices"].contains(type)
        let choices =
            isChoice
            ? ", \"choices\": [{\"name\": \"a\", \"label\": \"A\"}, {\"name\": \"b\", \"label\": \"B\"}]"
            : ""
        let json = """
            {"format": 2, "id": "cast", "version": "1", "title": "Cast",
             "sections": [{"name": "main", "title": "Main", "questions": [
               {"path": "day", "type": "date", "label": "Day"},
               {"path": "q", "type": "\(type)", "label": "Q"\(calculate)\(choices)}]}],
             "hidden": [{"path": "start", "type": "dateTime", "label": "start"}]\(actions)}
            """
        let form = try FormDefinition(json: JSON.parse(Array(json.utf8)))
        var surroundings = FillingSurroundings.looking(
            at: 1_782_941_400_000, zone: ExpressionZone(fixedOffset: 7_200))
        surroundings.calculates = calculates
        let answers = FormAnswers([
            "start": .string(start), "day": .string("2026-03-28"),
        ])
        var filling = FormFilling(form, answers: answers, in: surroundings)
        _ = filling.begin(newID: { "row" })
        return filling
    }

    @Test(
        "of a moment the day, the time or both; of a number days, or whole ones; of a truth 1 or 0",
        arguments: [
            Case("date", "now()", .string("2026-07-01")),
            Case("date", "/data/start", .string("2026-07-01")),
            Case("date", "date(/data/start)", .string("2026-07-01")),
            Case("date", "date(20000)", .string("2024-10-04")),
            Case("date", "/data/day + 30", .string("2026-04-27")),
            Case("date", "date(decimal-date-time(/data/day) + 30)", .string("2026-04-27")),
            Case("date", "concat('2026-1-5', '')", .string("2026-01-05")),
            Case("date", "'2026-01-31'", .string("2026-01-31")),
            Case("dateTime", "today()", .string("2026-07-01T00:00:00.000+02:00")),
            Case("dateTime", "/data/day", .string("2026-03-28T00:00:00.000+02:00")),
            Case("dateTime", "/data/start", .string(start)),
            Case("dateTime", "now()", .string("2026-07-01T23:30:00.000+02:00")),
            Case("time", "now()", .string("23:30:00")),
            Case("time", "/data/start", .string("23:30:00")),
            Case("time", "format-date-time(now(), '%H:%M')", .string("23:30")),
            Case("integer", "7 div 2", .integer(3)), Case("integer", "-7 div 2", .integer(-3)),
            Case("integer", "1 = 1", .integer(1)), Case("integer", "1 div 0", .null),
            Case("decimal", "-1 div 0", .null),
            Case("integer", "concat('1', '2')", .integer(12)),
            Case("decimal", "7 div 2", .double(3.5)),
            Case("text", "today()", .string("2026-07-01")),
            Case("choices", "concat('a', ' ', 'b')", .string("a b")),
        ], Source.allCases)
    func casts(each: Case, source: Source) throws {
        let filling = try Self.filling(each.type, each.expression, from: source)
        #expect(filling.value(of: AnswerKey("q")) == each.value)
        #expect(filling.state.isComplete)
    }

    @Test(
        "what cannot be brought into it stands as it is, and in nobody's way",
        arguments: [
            Case("integer", "'abc'", .string("abc")), Case("choice", "'nope'", .string("nope")),
            Case("date", "'soon'", .string("soon")), Case("date", "1 = 1", .string("true")),
            Case("time", "'late'", .string("late")), Case("point", "'here'", .string("here")),
        ])
    func leaves(each: Case) throws {
        let filling = try Self.filling(each.type, each.expression, from: .calculation)
        #expect(filling.value(of: AnswerKey("q")) == each.value)
        #expect(filling.state.isComplete)
        #expect(filling.problem(of: AnswerKey("q")) == nil)
    }

    @Test("a constraint of what is reckoned is one on the answers that it follows from")
    func constraint() throws {
        let json = """
            {"format": 2, "id": "cast", "version": "1", "title": "Cast",
             "sections": [{"name": "main", "title": "Main", "questions": [
               {"path": "a", "type": "integer", "label": "A"},
               {"path": "sum", "type": "integer", "label": "Sum", "calculate": "/data/a * 2",
                "constraint": ". < 10", "max": 100}]}]}
            """
        let form = try FormDefinition(json: JSON.parse(Array(json.utf8)))
        var filling = FormFilling(form, in: .looking(at: 0))
        filling.set(.integer(5), at: AnswerKey("a"))
        #expect(filling.state.problems.map(\.path) == ["sum"])
        filling.set(.integer(4), at: AnswerKey("a"))
        #expect(filling.state.isComplete)
    }

    @Test("who reckons elsewhere leaves the day of a moment to who was there")
    func elsewhere() throws {
        let filling = try Self.filling(
            "date", "/data/start", from: .calculation, calculates: .answers)
        #expect(filling.value(of: AnswerKey("q")) == .null)
    }

    @Test(
        "a default that is a moment too; a bare number is no day",
        arguments: [
            ("date", "2026-01-05T23:30:00.000+02:00", FieldValue.string("2026-01-05")),
            ("date", "2026-1-5", .string("2026-01-05")), ("date", "5", .string("5")),
            ("dateTime", "2026-01-05", .string("2026-01-05T00:00:00.000+02:00")),
            ("integer", "3.5", .integer(3)),
        ])
    func defaults(type: String, text: String, value: FieldValue) throws {
        let filling = try Self.filling(type, "''", from: .calculation)
        let question = try #require(filling.form.question(named: "q"))
        #expect(
            question.value(ofExpression: text, in: ExpressionZone(fixedOffset: 7_200)) == value)
    }
}
