import Coding
import Forms
import Inspections
import Testing

@Suite("What verdicts come to")
struct ScoreTests {
    static func form() throws -> FormDefinition {
        try FormDefinition(
            id: "retail", version: "1", title: "Retail",
            sections: [
                Section(
                    name: "s", title: "S",
                    questions: [
                        Question(path: "hands", label: "Hands washed", type: .verdict, weight: 2),
                        Question(
                            path: "cold", label: "Cold held", type: .verdict, critical: true),
                        Question(
                            path: "pests", label: "No pests", type: .verdict,
                            relevant: FormExpression("/data/hands != 'na'")),
                        Question(path: "name", label: "Name", type: .text(multiline: false)),
                    ])
            ])
    }

    static func score(_ answers: [String: String]) throws -> Score {
        let values = answers.mapValues { FieldValue.string($0) }
        return FormFilling(
            try form(), answers: FormAnswers(values), in: .looking(at: 0)
        ).score
    }

    @Test("weights count; what is not applicable, not observed or not answered leaves both sides")
    func weights() throws {
        let all = try Self.score(["hands": "pass", "cold": "pass", "pests": "fail"])
        #expect(all.earned == 3 && all.possible == 4 && all.percent == 75)
        #expect(all.observed == 3 && all.observable == 3 && !all.isFailed)
        #expect(all.failed == [AnswerKey("pests")])

        let unseen = try Self.score(["hands": "pass", "cold": "not_observed", "pests": "na"])
        #expect(unseen.percent == 100)
        #expect(unseen.observed == 1 && unseen.observable == 2)
        #expect(unseen.words == "100 %, 1 of 2 observed")

        let begun = try Self.score([:])
        #expect(begun.percent == nil && begun.observable == 3)
        #expect(begun.words == "0 of 3 observed")
    }

    @Test("a failed critical item fails the inspection, whatever the share")
    func critical() throws {
        let score = try Self.score(["hands": "pass", "cold": "fail", "pests": "pass"])
        #expect(score.isFailed && score.failedCritical == [AnswerKey("cold")])
        #expect(score.words == "FAILED (critical), 75 %, 3 of 3 observed")
    }

    @Test("what is not asked counts for nothing, though its answer is kept")
    func irrelevant() throws {
        let score = try Self.score(["hands": "na", "cold": "pass", "pests": "fail"])
        #expect(score.failed.isEmpty && score.percent == 100 && score.observable == 1)
    }

    @Test("a form without verdicts has no score")
    func none() throws {
        let form = try FormDefinition(
            id: "f", version: "1", title: "F",
            sections: [
                Section(
                    name: "s", title: "S",
                    questions: [Question(path: "q", label: "Q", type: .integer)])
            ])
        let score = FormFilling(form, in: .looking(at: 0)).score
        #expect(!score.counts && score.words == nil)
    }

    @Test("a violation is repeated where both visits failed, and the score says how many are")
    func repeated() throws {
        let now = FormFilling(
            try Self.form(), answers: FormAnswers(["cold": .string("fail")]), in: .looking(at: 0))
        func visit(_ answers: [String: FieldValue]) -> Visit {
            Visit(inspection: "i", formVersion: "1", day: nil, answers: FormAnswers(answers))
        }
        let failed = visit(["cold": .string("fail"), "hands": .string("fail")])
        #expect(now.repeatsViolation(at: AnswerKey("cold"), since: failed))
        #expect(!now.repeatsViolation(at: AnswerKey("hands"), since: failed))
        #expect(
            !now.repeatsViolation(at: AnswerKey("cold"), since: visit(["cold": .string("pass")])))
        #expect(!now.repeatsViolation(at: AnswerKey("cold"), since: visit([:])))
        #expect(now.score(since: failed).repeated == [AnswerKey("cold")])
        #expect(now.score(since: failed).words?.hasSuffix(", 1 failed again") == true)
        #expect(now.score.repeated.isEmpty)
    }
}
