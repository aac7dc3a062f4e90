import Coding
import Forms
import TestSupport
import Testing

@Suite("Typed text becomes an answer")
struct AnswerParsingTests {
    static let today = CivilDate("2026-03-02")

    static let pressure = Question(
        path: "p", label: "Pressure", type: .decimal, unit: "psi",
        limits: NumberLimits(hardMinimum: 0, hardMaximum: 600, softMinimum: 20, softMaximum: 400))
    static let count = Question(path: "n", label: "Count", type: .integer)
    static let day = Question(path: "d", label: "Day", type: .date)
    static let line = Question(path: "l", label: "Line", type: .text(multiline: false))
    static let lines = Question(path: "m", label: "Lines", type: .text(multiline: true))
    static let seal = Question(path: "s", label: "Seal", type: .verdict)
    static let gas = Question(
        path: "g", label: "Gas", type: .choice,
        choices: [
            Choice(name: "R404A", label: "R-404A"), Choice(name: "R404", label: "Old R-404"),
            Choice(name: "ABC", label: "First"), Choice(name: "abc", label: "Second"),
        ])

    struct Case: Sendable {
        let question: Question
        let text: String
        let value: FieldValue?
        let problem: AnswerProblem?

        init(_ question: Question, _ text: String, _ value: FieldValue) {
            (self.question, self.text, self.value, problem) = (question, text, value, nil)
        }

        init(_ question: Question, _ text: String, _ problem: AnswerProblem) {
            (self.question, self.text, value, self.problem) = (question, text, nil, problem)
        }

        func check(_ rules: TypingRules) {
            do throws(AnswerProblem) {
                let parsed = try question.parse(text, rules: rules, today: today)
                #expect(parsed == value, "\(text.debugDescription) as \(question.path)")
            } catch {
                #expect(error == problem, "\(text.debugDescription) as \(question.path)")
            }
        }
    }

    @Test(
        "in both places",
        arguments: [
            Case(pressure, "160", .integer(160)), Case(pressure, " 160.5 ", .double(160.5)),
            Case(pressure, "+1e2", .integer(100)), Case(pressure, ".5", .double(0.5)),
            Case(pressure, "5.", .integer(5)), Case(pressure, "-0", .integer(0)),
            Case(pressure, "", .null), Case(pressure, "  ", .null),
            Case(pressure, "0x10", .notANumber), Case(pressure, "inf", .notANumber),
            Case(pressure, "nan", .notANumber), Case(pressure, "1 000", .notANumber),
            Case(pressure, "-1", .belowMinimum(0)), Case(pressure, "600.5", .aboveMaximum(600)),
            Case(pressure, "1e999", .tooManyDigits), Case(pressure, "-", .notANumber),
            Case(pressure, "1e", .notANumber), Case(pressure, ".", .notANumber),
            Case(count, "9007199254740993", .integer(9_007_199_254_740_993)),
            Case(count, "3.0", .notWhole), Case(count, "1e3", .notWhole),
            Case(count, "99999999999999999999", .tooManyDigits), Case(count, "٣", .notANumber),
            Case(day, "2026-03-14", .string("2026-03-14")),
            Case(day, "20260314", .string("2026-03-14")),
            Case(day, "t", .string("2026-03-02")), Case(day, "+3d", .string("2026-03-05")),
            Case(day, "-1w", .string("2026-02-23")), Case(day, "+0", .string("2026-03-02")),
            Case(day, "2026-02-30", .notADate), Case(day, "+d", .notADate),
            Case(day, "+999999d", .notADate), Case(day, "soon", .notADate),
            Case(line, "  two words ", .string("  two words ")), Case(line, "   ", .null),
            Case(line, "a\nb", .controlCharacter), Case(line, "a\u{1B}[2J", .controlCharacter),
            Case(line, "a\u{0}b", .controlCharacter), Case(lines, "a\n\tb", .string("a\n\tb")),
            Case(lines, "a\r\nb", .controlCharacter),
            Case(lines, String(repeating: "x", count: 65_537), .tooLong),
            Case(line, "e\u{301}", .string("e\u{301}")),
            Case(seal, "fail", .string("fail")),
            Case(seal, "Not observed", .string("not_observed")),
            Case(seal, "maybe", .notOffered), Case(gas, "r-404a", .string("R404A")),
            Case(gas, "abc", .string("abc")), Case(gas, "Abc", .severalChoices),
            Case(gas, "-", .notOffered),
        ])
    func bothPlaces(_ item: Case) {
        item.check(.command)
        item.check(.screen)
    }

    @Test(
        "on the screen the keypad's mark is the decimal mark",
        arguments: [
            Case(pressure, "12,5", .double(12.5)), Case(pressure, "1,234.5", .ambiguousNumber),
            Case(pressure, "1.2.3", .ambiguousNumber), Case(pressure, "−5", .belowMinimum(0)),
            Case(pressure, ",5", .double(0.5)),
        ])
    func screen(_ item: Case) { item.check(.screen) }

    @Test(
        "in a command a comma is no number",
        arguments: [
            Case(pressure, "12,5", .notANumber), Case(pressure, "1.2.3", .notANumber),
        ])
    func command(_ item: Case) { item.check(.command) }

    @Test("soft limits only ask")
    func unusual() {
        #expect(Self.pressure.isUnusual(.integer(500)))
        #expect(Self.pressure.isUnusual(.integer(3)))
        #expect(!Self.pressure.isUnusual(.integer(20)))
        #expect(!Self.count.isUnusual(.integer(1_000_000)))
        #expect(Self.pressure.problem(with: .integer(500)) == nil)
    }

    @Test("no text makes the reader crash, and what it accepts passes the check", arguments: 0..<8)
    func anyText(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("0123456789+-.,eEtdw xyR4A\u{1B}\u{0}\n\u{301}−é温")
        let all = [
            Self.pressure, Self.count, Self.day, Self.line, Self.lines, Self.seal, Self.gas,
        ]
        for _ in 0..<200 {
            let text = (0..<random.below(12)).map { _ in String(random.pick(alphabet)) }.joined()
            for question in all {
                for rules in [TypingRules.command, .screen] {
                    guard
                        let value = try? question.parse(text, rules: rules, today: Self.today)
                    else { continue }
                    #expect(question.problem(with: value) == nil, "seed \(seed)")
                    // What was understood is understood again from its plain form.
                    let again = try question.parse(
                        value.plainText, rules: .command, today: Self.today)
                    #expect(again == value, "seed \(seed)")
                }
            }
        }
    }
}
