import Coding
import Forms
import Testing

@Suite("Why a question is as it is")
struct ExplanationTests {
    private func filling() throws -> FormFilling {
        try PumpRound.filling(
            FormAnswers(
                ["region": .string("north"), "town": .string("leeds")],
                rows: [
                    FormAnswers.Row(
                        id: "a", path: "pump",
                        fields: ["pump/tag": .string("P-1"), "pump/size": .integer(7)]),
                    FormAnswers.Row(id: "b", path: "pump", fields: ["pump/size": .integer(200)]),
                ]))
    }

    @Test(
        "a hidden question names its condition, the answers that it looks at, and what it comes to")
    func hidden() throws {
        let filling = try filling()
        let why = try #require(filling.why(AnswerKey("hall")).first)
        #expect(why.rule == .relevant && why.result == "false")
        #expect(why.lines == ["Asked only while town = 'york'", "Town is leeds", "now: no"])
        let section = filling.form.sections[0]
        #expect(filling.hidden(among: section.items, in: nil).map(\.path) == ["hall"])
    }

    @Test("in a row the answers are those of the row")
    func rows() throws {
        let filling = try filling()
        let small = filling.why(AnswerKey(row: "a", "pump/big")).map(\.lines)
        #expect(small == [["Asked only while ../size > 100", "Size is 7", "now: no"]])
        let big = filling.why(AnswerKey(row: "b", "pump/big")).map(\.lines)
        #expect(big == [["Asked only while ../size > 100", "Size is 200", "now: yes"]])
        let inside = filling.form.repetitions[0].items
        #expect(filling.hidden(among: inside, in: "a").map(\.path) == ["pump/big"])
        #expect(filling.hidden(among: inside, in: "b") == [])
    }

    @Test("a calculation over rows says how many there are, a filter what it looks at")
    func others() throws {
        let filling = try filling()
        let total = filling.why(AnswerKey("total")).map(\.lines)
        #expect(
            total == [
                ["Filled in by the form: sum(pump/size)", "Size is asked in 2 rows", "now: 207"]
            ])
        let town = filling.why(AnswerKey("town"))
        #expect(town.map(\.rule) == [.choices])
        #expect(town[0].values.map(\.sentence) == ["Region is north"])
    }

    @Test("a refused answer shows its rule; what nobody answered yet has none")
    func refused() throws {
        var filling = try filling()
        #expect(filling.why(AnswerKey("since")) == [])
        filling.set(.string("2026-12-24"), at: AnswerKey("since"))
        let why = filling.why(AnswerKey("since")).map(\.lines)
        #expect(
            why == [
                ["An answer is taken only where . <= today()", "Since is 2026-12-24", "now: no"]
            ])
    }

    @Test("what always holds, and what is not in the form, has no reasons")
    func none() throws {
        let filling = try filling()
        #expect(filling.why(AnswerKey(row: "a", "pump/tag")) == [])
        #expect(filling.why(AnswerKey("nothing")) == [])
        #expect(filling.why(AnswerKey(row: "gone", "pump/tag")) == [])
    }
}
