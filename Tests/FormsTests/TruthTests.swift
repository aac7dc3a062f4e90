import Coding
import Forms
import TestSupport
import Testing

/// What is true or false in a form stays so for whatever looks at it, as a `BooleanData` does in
/// JavaRosa; stored and shown it is a word.
@Suite("Truths among the answers")
struct TruthTests {
    private static let json = """
        {"format": 2, "id": "truths", "version": "1", "title": "Truths",
         "sections": [{"name": "main", "title": "Main", "questions": [
           {"path": "n", "type": "integer", "label": ["N ", {"value": "/data/big"}]},
           {"path": "act", "type": "text", "label": "Act", "required": true,
            "relevant": "/data/big"},
           {"path": "m", "type": "decimal", "label": "M"},
           {"path": "text", "type": "text", "label": "Text"},
           {"path": "rest", "type": "text", "label": "Rest", "relevant": "not(/data/big)"},
           {"begin": "repeat", "path": "r", "title": "R"},
            {"path": "r/v", "type": "integer", "label": "V"},
           {"end": "repeat"}]}],
         "hidden": [
           {"path": "big", "type": "text", "label": "big", "merge": "lww",
            "calculate": "/data/n > 10"},
           {"path": "copy", "type": "text", "label": "copy", "merge": "lww",
            "calculate": "if(/data/n > 0, coalesce(/data/big, 'x'), 'none')"},
           {"path": "zero", "type": "text", "label": "zero", "merge": "lww",
            "calculate": "if(/data/n > 10, 1, 0)"},
           {"path": "copied", "type": "text", "label": "copied", "merge": "lww",
            "calculate": "coalesce(/data/text, '')"},
           {"path": "word", "type": "text", "label": "word", "merge": "lww",
            "calculate": "if(/data/n > 10, 'true', 'false')"},
           {"path": "one", "type": "integer", "label": "one", "merge": "lww",
            "calculate": "/data/n > 10"},
           {"path": "set", "type": "text", "label": "set"},
           {"path": "today", "type": "text", "label": "today", "merge": "lww",
            "calculate": "today() < date('2000-01-01')"},
           {"path": "r/flag", "type": "text", "label": "flag", "merge": "lww",
            "calculate": "../v > 10"},
           {"path": "sum", "type": "integer", "label": "sum", "merge": "lww",
            "calculate": "sum(/data/r/flag)"},
           {"path": "out", "type": "text", "label": "out", "merge": "lww",
            "calculate": "EXPRESSION"}],
         "actions": [{"events": ["xforms-value-changed"], "source": "n", "target": "set",
           "expression": "/data/n > 10"}]}
        """

    private func filling(
        _ expression: String = "''", _ answers: FormAnswers = FormAnswers()
    ) throws -> FormFilling {
        let json = Self.json.replacing("EXPRESSION", with: expression)
        let form = try FormDefinition(json: JSON.parse(Array(json.utf8)))
        var surroundings = FillingSurroundings.looking(at: PumpRound.now)
        surroundings.calculates = .answers
        return FormFilling(form, answers: answers, in: surroundings)
    }

    @Test(
        "an expression sees the truth and not the word for it",
        arguments: [
            ("if(/data/big, 'yes', 'no')", "no", "yes"),
            ("if(/data/big = true(), 'yes', 'no')", "no", "yes"),
            ("if(/data/big = 1, 'yes', 'no')", "no", "yes"),
            ("if(/data/big = 'true', 'yes', 'no')", "no", "yes"),
            ("if(not(/data/big), 'no', 'yes')", "no", "yes"),
            ("if(/data/big and true(), 'yes', 'no')", "no", "yes"),
            ("if(/data/copy, 'yes', 'no')", "no", "yes"),
            ("if(/data/set, 'yes', 'no')", "no", "yes"),
            ("if(/data/one, 'yes', 'no')", "no", "yes"),
            ("/data/big + 1", "1", "2"), ("boolean(/data/big)", "false", "true"),
            ("concat(/data/big, '!')", "false!", "true!"),
            ("checklist(1, 1, /data/big)", "false", "true"),
            ("if(/data/zero, 'yes', 'no')", "no", "yes"),
            ("if(not(/data/zero), 'no', 'yes')", "no", "yes"),
            ("if(/data/zero = true(), 'yes', 'no')", "no", "yes"),
            ("if(/data/zero or false(), 'yes', 'no')", "no", "yes"),
            ("checklist(1, 1, /data/zero)", "false", "true"),
            ("if(/data/m, 'yes', 'no')", "no", "no"),
            ("if(/data/text, 'yes', 'no')", "yes", "yes"),
            ("if(/data/copied, 'yes', 'no')", "yes", "yes"),
            // Words of the author's own are words, and none of them is empty.
            ("if(/data/word, 'yes', 'no')", "yes", "yes"),
            ("if(/data/word = 'false', 'yes', 'no')", "yes", "no"),
        ])
    func expressions(expression: String, small: String, large: String) throws {
        var filling = try filling(expression)
        filling.set(.integer(0), at: AnswerKey("m"))
        filling.set(.string("0"), at: AnswerKey("text"))
        filling.set(.integer(5), at: AnswerKey("n"))
        #expect(filling.value(of: AnswerKey("out")).plainText == small)
        filling.set(.integer(50), at: AnswerKey("n"))
        #expect(filling.value(of: AnswerKey("out")).plainText == large)
    }

    @Test("what hangs on a truth is asked when it holds, and only then is an answer missing")
    func relevance() throws {
        var filling = try filling()
        filling.set(.integer(5), at: AnswerKey("n"))
        #expect(filling.state.relevant.contains("rest") && filling.state.isComplete)
        #expect(!filling.isRelevant(AnswerKey("act")))
        filling.set(.integer(50), at: AnswerKey("n"))
        #expect(filling.isRelevant(AnswerKey("act")) && !filling.isRelevant(AnswerKey("rest")))
        #expect(filling.state.problem(of: "act") == .required)
    }

    @Test("it is stored and shown as a word, and for a number as one or zero")
    func stored() throws {
        var filling = try filling()
        filling.set(.integer(5), at: AnswerKey("n"))
        #expect(filling.value(of: AnswerKey("big")) == .string("false"))
        #expect(filling.value(of: AnswerKey("one")) == .integer(0))
        let label = try #require(filling.form.question(named: "n")).text
        #expect(filling.text(label, at: nil) == "N false")
        filling.set(.integer(11), at: AnswerKey("n"))
        #expect(filling.value(of: AnswerKey("big")) == .string("true"))
        #expect(filling.value(of: AnswerKey("one")) == .integer(1))
    }

    @Test("of rows those are summed up that hold")
    func rows() throws {
        var filling = try filling("count(/data/r[./flag])")
        for (id, value) in [("a", 5), ("b", 50), ("c", 70)] as [(String, Int64)] {
            _ = filling.add(FormAnswers.Row(id: id, path: "r"))
            filling.set(.integer(value), at: AnswerKey(row: id, "r/v"))
        }
        #expect(filling.value(of: AnswerKey("sum")) == .integer(2))
        #expect(filling.value(of: AnswerKey("out")).plainText == "2")
    }

    @Test("a truth that was stored before counts as one, also where it is not reckoned anew")
    func kept() throws {
        let answers = FormAnswers(["n": .integer(5), "today": .string("false")])
        let filling = try filling("if(/data/today, 'yes', 'no')", answers)
        #expect(filling.value(of: AnswerKey("today")) == .string("false"))
        #expect(filling.value(of: AnswerKey("out")).plainText == "no")
    }
}
