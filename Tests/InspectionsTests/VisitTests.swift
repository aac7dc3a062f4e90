import Coding
import Forms
import Inspections
import Testing

/// What the last visit found, beside what is asked now.
struct VisitTests {
    private static func form() throws -> FormDefinition {
        var parts = FormParts(id: "round", version: "2", title: "Round")
        let text = QuestionType.text(multiline: false)
        parts.sections = [
            Section(
                name: "main", text: FormText("Main"),
                items: [
                    .question(
                        Question(path: "psi", label: "Pressure", type: .decimal, unit: "psi")),
                    .question(Question(path: "seal", label: "Seal", type: .verdict)),
                    .repetition(
                        Repetition(
                            path: "pump",
                            items: [
                                .question(Question(path: "pump/tag", label: "Tag", type: text)),
                                .question(
                                    Question(path: "pump/bar", label: "Bar", type: .decimal)),
                            ])),
                ])
        ]
        parts.hidden = [
            Question(path: "began", label: "", type: .dateTime),
            Question(path: "ended", label: "", type: .dateTime),
        ]
        parts.actions = [
            FormAction(events: [.finish], target: "ended", value: .property("now")),
            FormAction(events: [.firstLoad], target: "began", value: .property("now")),
        ]
        return try FormDefinition(parts)
    }

    private static func answers(
        _ fields: [String: FieldValue], pumps: [(id: String, tag: String, bar: Double)] = []
    ) -> FormAnswers {
        FormAnswers(
            fields,
            rows: pumps.map {
                FormAnswers.Row(
                    id: $0.id, path: "pump",
                    fields: ["pump/tag": .string($0.tag), "pump/bar": .double($0.bar)])
            })
    }

    private static func visit(_ answers: FormAnswers) -> Visit {
        Visit(inspection: "before", formVersion: "1", day: "2026-10-03", answers: answers)
    }

    private static func filling(_ answers: FormAnswers) throws -> FormFilling {
        FormFilling(try form(), answers: answers, in: .looking(at: 0))
    }

    @Test(
        "M32 a reading says what it was, when, and by how much it differs",
        arguments: [
            (160.5, "152 psi on 2026-10-03, +8.5"), (152, "152 psi on 2026-10-03, 0"),
            (151.7, "152 psi on 2026-10-03, -0.3"), (nil, "152 psi on 2026-10-03"),
        ] as [(Double?, String)])
    func words(now: Double?, words: String) throws {
        let filling = try Self.filling(
            Self.answers(now.map { ["psi": .double($0)] } ?? [:]))
        let found = filling.previous(
            at: AnswerKey("psi"), in: Self.visit(Self.answers(["psi": .integer(152)])))
        #expect(found?.words("152 psi") == words)
    }

    @Test("where the last visit has no answer nothing is said")
    func nothing() throws {
        let filling = try Self.filling(Self.answers(["psi": .integer(1)]))
        let visit = Self.visit(Self.answers(["gone": .integer(1)]))
        #expect(filling.previous(at: AnswerKey("psi"), in: visit) == nil)
        #expect(filling.previous(at: AnswerKey("gone"), in: visit) == nil)
    }

    @Test("a row is compared with the row that has its tag, wherever that stood")
    func rows() throws {
        let visit = Self.visit(
            Self.answers(
                [:], pumps: [("a", "P-1", 1), ("b", "P-2", 2), ("c", "P-3", 3), ("d", "P-3", 4)]))
        let filling = try Self.filling(
            Self.answers([:], pumps: [("x", "P-2", 5), ("y", "P-3", 6), ("z", "P-9", 7)]))
        func previous(_ row: String) -> FieldValue? {
            filling.previous(at: AnswerKey(row: row, "pump/bar"), in: visit)?.value
        }
        #expect(previous("x") == .double(2))
        #expect(previous("y") == nil, "two had that tag: nobody knows which of them it is")
        #expect(previous("z") == nil)
    }

    @Test("an item that fails in both visits is a repeat violation, and only that")
    func violations() throws {
        for (before, now, isRepeat) in [
            ("fail", "fail", true), ("pass", "fail", false), ("fail", "pass", false),
        ] {
            let filling = try Self.filling(Self.answers(["seal": .string(now)]))
            let visit = Self.visit(Self.answers(["seal": .string(before)]))
            #expect(filling.repeatsViolation(at: AnswerKey("seal"), since: visit) == isRepeat)
        }
    }

    @Test("the day of a visit is what its form set when it was begun, else when it was finished")
    func day() throws {
        let form = try Self.form()
        let began = FieldValue.string("2026-10-03T23:30:00.000-07:00")
        let ended = FieldValue.string("2026-10-04T00:10:00.000-07:00")
        #expect(form.day(of: FormAnswers(["began": began, "ended": ended])) == "2026-10-03")
        #expect(form.day(of: FormAnswers(["ended": ended])) == "2026-10-04")
        #expect(
            form.day(of: FormAnswers(["began": .string("soon"), "ended": ended])) == "2026-10-04")
        #expect(form.day(of: FormAnswers(["psi": .integer(1)])) == nil)
    }

    @Test("the last visit's answer stands beside readings, and where the author asks for it")
    func shown() {
        let masked = { (question: Question) in
            var question = question
            question.appearance = ["masked"]
            return question
        }
        let reading = Question(path: "psi", label: "", type: .integer)
        let seal = Question(path: "seal", label: "", type: .verdict)
        #expect(reading.showsPrevious && !seal.showsPrevious)
        #expect(!masked(reading).showsPrevious)
        #expect(Question(path: "seal", label: "", type: .verdict, previous: true).showsPrevious)
    }
}
