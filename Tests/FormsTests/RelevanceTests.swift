import Coding
import Forms
import Testing

@Suite("Relevance and progress")
struct RelevanceTests {
    /// A leak question that counts only after `yes`, its grade only after a leak over 5, and a
    /// section for ammonia plants.
    static func form() throws -> FormDefinition {
        let ammonia = try FormExpression("/data/gas = 'R717'")
        return try FormDefinition(
            id: "leaks", version: "1", title: "Leaks",
            sections: [
                Section(
                    name: "main", title: "Main",
                    questions: [
                        Question(
                            path: "gas", label: "Gas", type: .text(multiline: false),
                            required: true),
                        Question(
                            path: "leak", label: "Leak?", type: .choice, required: true,
                            choices: ["yes", "no"].map { Choice(name: $0, label: $0) }),
                        Question(
                            path: "rate", label: "Rate", type: .decimal, required: true,
                            relevant: FormExpression("/data/leak = 'yes'"),
                            limits: NumberLimits(hardMinimum: 0)),
                        Question(
                            path: "grade", label: "Grade", type: .text(multiline: false),
                            required: true,
                            relevant: FormExpression("/data/rate > 5")),
                        Question(path: "thanks", label: "Thank you", type: .note),
                    ]),
                Section(
                    name: "ammonia", title: "Ammonia", relevant: ammonia,
                    questions: [
                        Question(
                            path: "mask", label: "Mask", type: .verdict, required: true)
                    ]),
            ])
    }

    @Test("a hidden answer is kept, counts for nothing, and hides what depends on it")
    func hidden() throws {
        let answers: [String: FieldValue] = [
            "gas": .string("R290"), "leak": .string("yes"), "rate": .integer(9),
            "grade": .string("B"), "mask": .string("fail"),
        ]
        let form = try Self.form()
        let open = form.evaluate(answers: answers)
        #expect(open.relevant == ["gas", "leak", "rate", "grade", "thanks"])
        #expect(open.answered == 4 && open.total == 4 && open.isComplete)

        var closed = answers
        closed["leak"] = .string("no")
        let state = form.evaluate(answers: closed)
        #expect(state.relevant == ["gas", "leak", "thanks"])
        #expect(state.answered == 2 && state.total == 2 && state.isComplete)
    }

    @Test("a hidden answer that breaks a rule blocks nothing (F52)")
    func hiddenAndInvalid() throws {
        let state = try Self.form().evaluate(answers: [
            "gas": .string("R290"), "leak": .string("no"), "rate": .integer(-4),
        ])
        #expect(state.isComplete)
    }

    @Test("problems stand in the order of the form; a draft that was not accepted is one")
    func problems() throws {
        let state = try Self.form().evaluate(
            answers: ["leak": .string("yes"), "rate": .integer(-4)], drafts: ["leak"])
        #expect(
            state.problems == [
                FormProblem(path: "gas", problem: .required),
                FormProblem(path: "leak", problem: .unfinishedDraft),
                FormProblem(path: "rate", problem: .belowMinimum(0)),
            ])
        #expect(state.sections.map(\.problems) == [3, 0])
        #expect(state.sections.map(\.isRelevant) == [true, false])
    }

    @Test("a section's condition holds for all of its questions")
    func section() throws {
        let state = try Self.form().evaluate(answers: ["gas": .string("R717")])
        #expect(state.relevant.contains("mask"))
        #expect(state.sections[1].total == 1)
    }

    @Test("a bare name finds a question while it is the only one of that name")
    func names() throws {
        let paths = ["doors/seal", "hatches/seal", "doors/lock"]
        let form = try FormDefinition(
            id: "f", version: "1", title: "F",
            sections: [
                Section(
                    name: "s", title: "S",
                    questions: paths.map {
                        Question(path: $0, label: $0, type: .text(multiline: false))
                    })
            ])
        #expect(form.question(named: "lock")?.path == "doors/lock")
        #expect(form.question(named: "seal") == nil)
        #expect(form.question(named: "hatches/seal")?.path == "hatches/seal")
    }
}
