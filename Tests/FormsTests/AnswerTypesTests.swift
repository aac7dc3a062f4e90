import Coding
import Forms
import Testing

@Suite("Answers of each type, as they are typed")
struct AnswerTypesTests {
    static func question(_ type: QuestionType, _ limits: NumberLimits = NumberLimits()) -> Question
    {
        let offers = type.isChoice || type.isChoices
        return Question(
            path: "q", label: "Q", type: type, limits: limits,
            choices: offers ? ["a", "b", "c"].map { Choice(name: $0, label: $0) } : [])
    }

    @Test(
        "taken, and stored in one form",
        arguments: [
            (QuestionType.time, "14:00", "14:00:00"), (.time, "9:05", "09:05:00"),
            (.time, "1400", "14:00:00"), (.time, "14:00:07.250+02:00", "14:00:07"),
            (.dateTime, "2026-03-14 9:30+01:00", "2026-03-14T09:30:00.000+01:00"),
            (.dateTime, "2026-03-14T09:30:00.000Z", "2026-03-14T09:30:00.000+00:00"),
            (.dateTime, "2026-03-14 09:30", "2026-03-14T09:30:00.000-07:00"),
            (.point, "52.1 4.3", "52.1 4.3 0 0"), (.point, "52.1, 4.3", "52.1 4.3 0 0"),
            (.point, "-33.9 18.4 12 3.5", "-33.9 18.4 12 3.5"),
            (.trace, "52 4; 53 5", "52 4 0 0;53 5 0 0"),
            (.shape, "1 1;1 2;2 2;1 1", "1 1 0 0;1 2 0 0;2 2 0 0;1 1 0 0"),
            (.choices, "c a", "a c"), (.choices, "b,c", "b c"), (.ranking, "c a b", "c a b"),
            (.acknowledge, "yes", "OK"), (.barcode, " 4006381333931 ", "4006381333931"),
        ])
    func taken(type: QuestionType, typed: String, stored: String) throws {
        let question = Self.question(type)
        let zone = ExpressionZone(fixedOffset: -7 * 3600)
        let value = try question.parse(typed, rules: .screen, today: nil, zone: zone)
        #expect(value == .string(stored))
        #expect(question.problem(with: value) == nil)
        #expect(try question.parse(stored, rules: .command, today: nil) == value)
    }

    @Test(
        "where the clock is known, t is now and a time alone is today's",
        arguments: [
            (QuestionType.time, "t", "05:00:00"), (.time, "now", "05:00:00"),
            (.dateTime, "T", "2026-03-14T05:00:00.000-07:00"),
            (.dateTime, "0930", "2026-03-14T09:30:00.000-07:00"),
            (.dateTime, "20260401 0930", "2026-04-01T09:30:00.000-07:00"),
            (.dateTime, "+1d 9:30", "2026-03-15T09:30:00.000-07:00"),
        ])
    func now(type: QuestionType, typed: String, stored: String) throws {
        let zone = ExpressionZone(fixedOffset: -7 * 3600)
        let value = try Self.question(type).parse(
            typed, rules: .screen, today: CivilDate("2026-03-14"), zone: zone,
            now: PumpRound.now)
        #expect(value == .string(stored))
    }

    @Test(
        "refused, each with what is the matter",
        arguments: [
            (QuestionType.time, "25:00", AnswerProblem.notATime), (.time, "9:5", .notATime),
            (.time, "noon", .notATime), (.dateTime, "2026-02-30 09:00Z", .notAMoment),
            (.dateTime, "2026-03-14 09:30", .notAMoment), (.dateTime, "09:30", .notAMoment),
            (.point, "91 4", .notAPoint), (.point, "52.1", .notAPoint),
            (.point, "52,1 4,3", .notAPoint), (.point, "1e1 4", .notAPoint),
            (.trace, "52 4", .notATrace), (.shape, "1 1;1 2;2 2;3 3", .notATrace),
            (.choices, "a d", .notOffered), (.choices, "a a", .choiceTwice),
            (.acknowledge, "no", .notOffered),
        ])
    func refused(type: QuestionType, typed: String, problem: AnswerProblem) {
        #expect(throws: problem) {
            try Self.question(type).parse(typed, rules: .command, today: nil)
        }
    }

    @Test(
        "a range takes its steps only",
        arguments: [("0.3", true), ("0.35", false), ("-0.1", false)])
    func steps(typed: String, isTaken: Bool) {
        let limits = NumberLimits(hardMinimum: 0, hardMaximum: 1, step: 0.1)
        let question = Self.question(.decimal, limits)
        do throws(AnswerProblem) {
            _ = try question.parse(typed, rules: .command, today: nil)
            #expect(isTaken)
        } catch {
            #expect(!isTaken, "\(error)")
        }
    }

    @Test("an hour that the clock skips or repeats is one instant, and stays it (F45)")
    func changingZone() throws {
        // Two hours ahead from 2026-03-29T01:00Z on, else one.
        let oslo = ExpressionZone { $0 >= 1_774_746_000 ? 7200 : 3600 }
        for typed in ["2026-03-29 01:30", "2026-03-29 02:30", "2026-03-29 03:30"] {
            let moment = try #require(PointInTime(typed, in: oslo))
            #expect(PointInTime(moment.description) == moment)
            let elsewhere = ExpressionZone(fixedOffset: -7 * 3600)
            let again = try #require(PointInTime(moment.description, in: elsewhere))
            #expect(again.milliseconds == moment.milliseconds)
        }
    }
}
