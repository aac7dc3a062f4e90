import Coding
import Forms
import TestSupport
import Testing

/// Values that the form itself sets, in the order in which JavaRosa has them: defaults, then actions,
/// then what is reckoned once.
@Suite("What a form sets by itself")
struct ActionTests {
    private static let json = """
        {"format": 2, "id": "acts", "version": "1", "title": "Acts",
         "sections": [{"name": "main", "title": "Main", "questions": [
           {"path": "count", "type": "integer", "label": "Count", "initial": "3"},
           {"path": "more", "type": "integer", "label": "More"},
           {"path": "first", "type": "text", "label": "First"},
           {"path": "second", "type": "text", "label": "Second"},
           {"path": "third", "type": "text", "label": "Third"},
           {"path": "ping", "type": "text", "label": "Ping"},
           {"path": "pong", "type": "text", "label": "Pong"},
           {"begin": "repeat", "path": "r", "title": "R"},
            {"path": "r/q", "type": "integer", "label": "Q", "initial": "7"},
            {"path": "r/d", "type": "integer", "label": "D"},
            {"path": "r/t", "type": "text", "label": "T"},
            {"begin": "repeat", "path": "r/s", "title": "S"},
             {"path": "r/s/v", "type": "text", "label": "V"},
            {"end": "repeat"},
           {"end": "repeat"}]}],
         "hidden": [
           {"path": "once", "type": "text", "label": "once", "merge": "lww",
            "calculate": "once(concat('o', /data/count))"},
           {"path": "later", "type": "text", "label": "later", "merge": "lww",
            "calculate": "once(concat('o', /data/more))"},
           {"path": "after", "type": "text", "label": "after", "merge": "lww",
            "calculate": "concat(/data/later, '!')"},
           {"path": "r/once", "type": "text", "label": "once", "merge": "lww",
            "calculate": "once(concat('o', ../q, ../d))"}],
         "rows": [{"repeat": "r", "values": {"r/q": "7"}}],
         "actions": [
          {"events": ["odk-instance-first-load"], "target": "more",
           "expression": "/data/count + 1"},
          {"events": ["odk-instance-first-load", "odk-new-repeat"], "target": "r/d",
           "expression": "/data/count * 2"},
          {"events": ["xforms-value-changed"], "source": "r/d", "target": "r/t",
           "expression": "concat('t', ../d)"},
          {"events": ["xforms-value-changed"], "source": "r/s/v", "target": "r/t",
           "expression": "concat('s', position(..))"},
          {"events": ["xforms-value-changed"], "source": "count", "target": "first",
           "expression": "concat('1-', /data/count)"},
          {"events": ["xforms-value-changed"], "source": "first", "target": "second",
           "expression": "concat('2-', /data/first)"},
          {"events": ["xforms-value-changed"], "source": "second", "target": "third",
           "expression": "concat('3-', /data/second)"},
          {"events": ["xforms-value-changed"], "source": "ping", "target": "pong",
           "expression": "concat(/data/ping, 'o')"},
          {"events": ["xforms-value-changed"], "source": "pong", "target": "ping",
           "expression": "concat(/data/pong, 'i')"}]}
        """

    private func filling() throws -> FormFilling {
        let form = try FormDefinition(json: JSON.parse(Array(Self.json.utf8)))
        return FormFilling(form, in: .looking(at: PumpRound.now))
    }

    @Test("what is reckoned once sees the form's defaults, and keeps what it saw")
    func once() throws {
        var filling = try filling()
        let changed = filling.begin(newID: { "a" })
        #expect(filling.value(of: AnswerKey("once")) == .string("o3"))
        #expect(filling.value(of: AnswerKey("later")) == .string("o4"))
        #expect(filling.value(of: AnswerKey("after")) == .string("o4!"))
        #expect(filling.value(of: AnswerKey(row: "a", "r/once")) == .string("o76"))
        #expect(changed.isSuperset(of: [AnswerKey("once"), AnswerKey("later")]))
        filling.set(.integer(9), at: AnswerKey("count"))
        #expect(filling.value(of: AnswerKey("once")) == .string("o3"))
        _ = filling.add(FormAnswers.Row(id: "b", path: "r"))
        #expect(filling.value(of: AnswerKey(row: "b", "r/once")) == .string("o718"))
        #expect(filling.value(of: AnswerKey(row: "a", "r/once")) == .string("o76"))
    }

    @Test("what was reckoned once and stored stays when a form begins anew")
    func kept() throws {
        let form = try FormDefinition(json: JSON.parse(Array(Self.json.utf8)))
        var filling = FormFilling(
            form, answers: FormAnswers(["once": .string("o1")]), in: .looking(at: PumpRound.now))
        _ = filling.begin(newID: { "a" })
        #expect(filling.value(of: AnswerKey("once")) == .string("o1"))
    }

    @Test("a value that the form sets sets off what hangs on it, at the beginning too")
    func chains() throws {
        var filling = try filling()
        _ = filling.begin(newID: { "a" })
        #expect(filling.value(of: AnswerKey(row: "a", "r/t")) == .string("t6"))
        let changed = filling.set(.integer(5), at: AnswerKey("count"))
        #expect(filling.value(of: AnswerKey("third")) == .string("3-2-1-5"))
        #expect(changed.contains(AnswerKey("third")))
        _ = filling.add(FormAnswers.Row(id: "b", path: "r"))
        #expect(filling.value(of: AnswerKey(row: "b", "r/t")) == .string("t10"))
        #expect(filling.value(of: AnswerKey(row: "a", "r/t")) == .string("t6"))
    }

    @Test("from a row within a row the form sets a value in the outer one")
    func outwards() throws {
        var filling = try filling()
        _ = filling.begin(newID: { "a" })
        _ = filling.add(FormAnswers.Row(id: "b", path: "r"))
        _ = filling.add(FormAnswers.Row(id: "c", parent: "b", path: "r/s"))
        filling.set(.string("x"), at: AnswerKey(row: "c", "r/s/v"))
        #expect(filling.value(of: AnswerKey(row: "b", "r/t")) == .string("s2"))
        #expect(filling.value(of: AnswerKey(row: "a", "r/t")) == .string("t6"))
    }

    @Test("actions that set each other off in a circle come to an end")
    func circle() throws {
        var filling = try filling()
        filling.set(.string("x"), at: AnswerKey("ping"))
        #expect(filling.value(of: AnswerKey("pong")).plainText.hasPrefix("xo"))
        #expect(filling.value(of: AnswerKey("pong")).plainText.utf8.count < 100)
    }
}
