import Coding
import Forms
import TestSupport
import Testing

/// A round of pumps: towns that depend on regions, a repeat with positions and a sum, a calculation
/// over it, and values that the form itself sets.
enum PumpRound {
    static let json = """
        {"format": 2, "id": "pumps", "version": "1", "title": "Pumps",
         "sections": [
          {"name": "place", "title": "Place", "questions": [
           {"path": "region", "type": "choice", "label": "Region",
            "choices": [{"name": "north"}, {"name": "south"}]},
           {"path": "town", "type": "choice", "label": "Town", "list": 0,
            "filter": "instance('towns')/root/item[region = /data/region]",
            "filterValue": "name"},
           {"path": "hall", "type": "text", "label": ["Hall of ", {"value": "/data/town"}],
            "relevant": "/data/town = 'york'"},
           {"path": "since", "type": "date", "label": "Since",
            "constraint": ". <= today()", "constraintMessage": "not in the future"}
          ]},
          {"name": "pumps", "title": "Pumps", "questions": [
           {"begin": "repeat", "path": "pump", "title": "Pump"},
            {"path": "pump/tag", "type": "text", "label": "Tag", "required": true},
            {"path": "pump/size", "type": "integer", "label": "Size", "min": 0},
            {"path": "pump/big", "type": "text", "label": "Why so big?",
             "relevant": "../size > 100", "required": true},
           {"end": "repeat"}
          ]}],
         "hidden": [
          {"path": "total", "type": "integer", "label": "total", "merge": "lww",
           "calculate": "sum(/data/pump/size)"},
          {"path": "pump/number", "type": "integer", "label": "number", "merge": "lww",
           "calculate": "position(..)"},
          {"path": "begun", "type": "text", "label": "begun"},
          {"path": "pump/found", "type": "text", "label": "found"}],
         "actions": [
          {"events": ["odk-instance-first-load"], "target": "begun", "literal": "yes"},
          {"events": ["odk-new-repeat"], "target": "pump/found",
           "expression": "concat('in ', /data/town)"},
          {"events": ["xforms-value-changed"], "source": "region", "target": "since",
           "literal": "2026-01-02"}],
         "lists": [[{"name": "york"}, {"name": "leeds"}, {"name": "dover"}]],
         "instances": {"towns": {"root": "root", "row": "item", "columns": ["name", "region"],
          "rows": [["york", "north"], ["leeds", "north"], ["dover", "south"]]}}}
        """

    /// 2026-03-14T12:00:00Z.
    static let now: Int64 = 1_773_489_600_000

    static func filling(_ answers: FormAnswers = FormAnswers()) throws -> FormFilling {
        let form = try FormDefinition(json: JSON.parse(Array(json.utf8)))
        return FormFilling(form, answers: answers, in: .looking(at: now))
    }

    static func row(_ id: String) -> FormAnswers.Row { FormAnswers.Row(id: id, path: "pump") }
}

@Suite("Filling a form")
struct FillingTests {
    @Test("a shuffled list keeps its order, and has another for each question and inspection")
    func shuffled() throws {
        var parts = FormParts(id: "mixed", version: "1", title: "Mixed")
        let names = (1...9).map { "c\($0)" }
        let questions = try ["a", "b"].map { path in
            var question = Question(
                path: path, label: path, type: .choice,
                choices: names.map { Choice(name: $0, label: $0) })
            question.filter = ChoiceFilter(
                nodeset: try FormExpression("randomize(instance('k')/root/item)"),
                valueName: "name")
            return question
        }
        parts.sections = [Section(name: "main", title: "Main", questions: questions)]
        parts.lists["k"] = NodeContent(
            "root",
            children: names.map {
                NodeContent("item", children: [NodeContent("name", text: $0)])
            })
        let form = try FormDefinition(parts)
        var orders: Set<[String]> = []
        for inspection in ["i1", "i2", "i3"] {
            var surroundings = FillingSurroundings.looking(at: 0)
            surroundings.inspection = inspection
            let filling = FormFilling(form, in: surroundings)
            for path in ["a", "b"] {
                let order = filling.offered(at: AnswerKey(path)).map(\.name)
                #expect(order.sorted() == names)
                #expect(filling.offered(at: AnswerKey(path)).map(\.name) == order)
                orders.insert(order)
            }
        }
        #expect(orders.count == 6)
    }

    @Test("a town that is no longer offered is dropped, and what hung on it hides")
    func cascade() throws {
        var filling = try PumpRound.filling()
        filling.set(.string("north"), at: AnswerKey("region"))
        #expect(filling.offered(at: AnswerKey("town")).map(\.name) == ["york", "leeds"])
        filling.set(.string("york"), at: AnswerKey("town"))
        #expect(filling.isRelevant(AnswerKey("hall")))
        #expect(
            filling.text(try #require(filling.form.question(named: "hall")).text, at: nil)
                == "Hall of york")
        let changed = filling.set(.string("south"), at: AnswerKey("region"))
        #expect(changed == [AnswerKey("region"), AnswerKey("town")])
        #expect(filling.value(of: AnswerKey("town")).isNull)
        #expect(!filling.isRelevant(AnswerKey("hall")))
        #expect(filling.offered(at: AnswerKey("town")).map(\.name) == ["dover"])
    }

    @Test("a stored choice that is not offered is told, and looking drops nothing")
    func notOffered() throws {
        let filling = try PumpRound.filling(
            FormAnswers(["region": .string("south"), "town": .string("york")]))
        #expect(filling.problem(of: AnswerKey("town")) == .notOffered)
        #expect(filling.value(of: AnswerKey("town")) == .string("york"))
    }

    @Test(
        "rows are counted, summed and numbered anew, whichever is deleted (F49)", arguments: 0..<4)
    func deletion(position: Int) throws {
        var filling = try PumpRound.filling()
        for number in 1...4 {
            _ = filling.add(PumpRound.row("r\(number)"))
            filling.set(.integer(Int64(number)), at: AnswerKey(row: "r\(number)", "pump/size"))
        }
        #expect(filling.value(of: AnswerKey("total")) == .integer(10))
        let changed = filling.remove(row: "r\(position + 1)")
        #expect(filling.value(of: AnswerKey("total")) == .integer(Int64(10 - position - 1)))
        let left = (1...4).filter { $0 != position + 1 }
        #expect(filling.answers.rows.map(\.id) == left.map { "r\($0)" })
        for (index, number) in left.enumerated() {
            let key = AnswerKey(row: "r\(number)", "pump/number")
            #expect(filling.value(of: key) == .integer(Int64(index + 1)))
            #expect(changed.contains(key) == (number > position + 1))
        }
        let again = FormFilling(
            filling.form, answers: filling.answers, in: .looking(at: PumpRound.now))
        #expect(again.state == filling.state)
    }

    @Test("a problem in a row names the row; a hidden one blocks nothing (F52)")
    func problems() throws {
        var filling = try PumpRound.filling()
        _ = filling.add(PumpRound.row("a"))
        _ = filling.add(PumpRound.row("b"))
        filling.set(.string("P-1"), at: AnswerKey(row: "a", "pump/tag"))
        filling.set(.integer(200), at: AnswerKey(row: "b", "pump/size"))
        #expect(
            filling.state.problems == [
                FormProblem(path: "pump/tag", problem: .required, row: "b"),
                FormProblem(path: "pump/big", problem: .required, row: "b"),
            ])
        #expect(filling.state(ofRow: "a").problems.isEmpty)
        #expect(filling.state(ofRow: "b").relevant.contains("pump/big"))
        filling.set(.integer(20), at: AnswerKey(row: "b", "pump/size"))
        #expect(filling.state.problems.map(\.path) == ["pump/tag"])
    }

    @Test("a constraint is told in its author's words, and only of an answer")
    func constraint() throws {
        var filling = try PumpRound.filling()
        #expect(filling.problem(of: AnswerKey("since")) == nil)
        filling.set(.string("2026-03-15"), at: AnswerKey("since"))
        #expect(filling.problem(of: AnswerKey("since")) == .constraint("not in the future"))
        filling.set(.string("2026-03-14"), at: AnswerKey("since"))
        #expect(filling.problem(of: AnswerKey("since")) == nil)
    }

    @Test("the form sets values when it is begun, when a row is added, and when an answer changes")
    func actions() throws {
        var filling = try PumpRound.filling()
        #expect(filling.begin(newID: rowIDs()) == [AnswerKey("begun")])
        #expect(filling.value(of: AnswerKey("begun")) == .string("yes"))
        filling.set(.string("north"), at: AnswerKey("region"))
        #expect(filling.value(of: AnswerKey("since")) == .string("2026-01-02"))
        filling.set(.string("leeds"), at: AnswerKey("town"))
        let changed = filling.add(PumpRound.row("r"))
        #expect(filling.value(of: AnswerKey(row: "r", "pump/found")) == .string("in leeds"))
        #expect(changed.contains(AnswerKey(row: "r", "pump/found")))
    }

    @Test("what the form calculates is nobody's to give")
    func calculated() throws {
        var filling = try PumpRound.filling()
        #expect(filling.set(.integer(5), at: AnswerKey("total")).isEmpty)
        #expect(filling.value(of: AnswerKey("total")) == .integer(0))
        #expect(filling.isReadonly(AnswerKey("total")))
    }

    @Test("who looks works out what rests on the answers alone, and takes the rest as it stands")
    func looking() throws {
        var parts = FormParts(id: "sums", version: "1", title: "Sums")
        parts.sections = [
            Section(
                name: "main", title: "Main",
                questions: ["a", "b"].map { Question(path: $0, label: $0, type: .integer) })
        ]
        parts.hidden = try [
            ("sum", "/data/a + /data/b"), ("double", "/data/sum * 2"),
            ("day", "format-date(today(), '%Y')"), ("when", "if(/data/a > 0, now(), '')"),
            ("key", "concat('k', uuid())"), ("of_key", "concat(/data/key, /data/sum)"),
        ].map { path, calculation in
            var question = Question(path: path, label: path, type: .text(multiline: false))
            question.isHidden = true
            question.rules.calculate = try FormExpression(calculation)
            return question
        }
        let form = try FormDefinition(parts)
        var answers = FormAnswers([
            "a": .integer(30), "b": .integer(40), "sum": .string("21"), "double": .string("42"),
            "day": .string("1999"), "when": .string("then"), "key": .string("k1"),
            "of_key": .string("k121"),
        ])
        answers[AnswerKey("b")] = .integer(40)
        func looked(_ calculates: FillingSurroundings.Calculations) -> [String] {
            var surroundings = FillingSurroundings.looking(at: 1_772_438_400_000)
            surroundings.calculates = calculates
            let filling = FormFilling(form, answers: answers, in: surroundings)
            return parts.hidden.map { filling.value(of: AnswerKey($0.path)).plainText }
        }
        #expect(looked(.none) == ["21", "42", "1999", "then", "k1", "k121"])
        #expect(looked(.answers) == ["70", "140", "1999", "then", "k1", "k170"])
        #expect(looked(.day) == ["70", "140", "2026", "then", "k1", "k170"])
        #expect(looked(.all)[3].hasPrefix("2026-03-02"))
    }

    @Test(
        "what the form works out is an answer: without escapes and control characters",
        arguments: [
            (false, "one two  three\u{1B}[31m!\u{7}", "one two  three!"),
            (false, "one\ntwo\tthree", "one two three"),
            (true, "one\ntwo\tthree\u{0}\u{9B}2J", "one\ntwo\tthree"),
            (false, "\u{1B}]0;title\u{7}", ""),
        ])
    func controlCharacters(isLong: Bool, text: String, expected: String) throws {
        var parts = FormParts(id: "f", version: "1", title: "F")
        let source = Question(path: "source", label: "Source", type: .text(multiline: true))
        var shown = Question(path: "shown", label: "Shown", type: .text(multiline: isLong))
        shown.rules.calculate = try FormExpression("/data/source")
        parts.sections = [Section(name: "s", title: "S", questions: [source, shown])]
        parts.actions = [
            FormAction(events: [.finish], target: "source", value: .literal(text))
        ]
        var filling = FormFilling(
            try FormDefinition(parts), answers: FormAnswers(["source": .string(text)]),
            in: .looking(at: 0))
        let value: FieldValue = expected.isEmpty ? .null : .string(expected)
        #expect(filling.value(of: AnswerKey("shown")) == value)
        #expect(filling.problem(of: AnswerKey("shown")) == nil)
        // What is calculated comes out the same the next time.
        #expect(filling.set(.string(text), at: AnswerKey("source")).isEmpty)
        _ = filling.finish()
        #expect(filling.state.problems.isEmpty)
    }

    @Test("sections count their rows; what is calculated is not counted")
    func progress() throws {
        var filling = try PumpRound.filling()
        #expect(filling.state.sections.map(\.total) == [3, 0])
        #expect(filling.state.sections.map(\.isRelevant) == [true, true])
        _ = filling.add(PumpRound.row("r"))
        filling.set(.string("P"), at: AnswerKey(row: "r", "pump/tag"))
        #expect(filling.state.sections.map(\.total) == [3, 2])
        #expect(filling.state.sections.map(\.answered) == [0, 1])
    }

    @Test("reads back as it was written")
    func roundTrip() throws {
        let form = try PumpRound.filling().form
        #expect(try FormDefinition(json: JSON.parse(form.json.serialized())) == form)
    }

    @Test("answers by seed: each step leaves what a full evaluation gives", arguments: 0..<30)
    func steps(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var filling = try PumpRound.filling()
        _ = filling.begin(newID: rowIDs())
        var rows = 0
        for step in 0..<40 {
            switch random.below(6) {
            case 0:
                rows += 1
                _ = filling.add(PumpRound.row("r\(rows)"))
            case 1 where !filling.answers.rows.isEmpty:
                _ = filling.remove(row: random.pick(filling.answers.rows).id)
            case 2 where !filling.answers.rows.isEmpty:
                let row = random.pick(filling.answers.rows).id
                filling.set(
                    .integer(Int64(random.below(200))), at: AnswerKey(row: row, "pump/size"))
            case 3: filling.set(.string(random.pick(["north", "south"])), at: AnswerKey("region"))
            case 4: filling.set(.null, at: AnswerKey("region"))
            default:
                let offered = filling.offered(at: AnswerKey("town"))
                if let town = offered.first {
                    filling.set(.string(town.name), at: AnswerKey("town"))
                }
            }
            let fresh = FormFilling(
                filling.form, answers: filling.answers, in: .looking(at: PumpRound.now))
            #expect(fresh.answers == filling.answers, "seed \(seed), step \(step)")
            #expect(fresh.state == filling.state, "seed \(seed), step \(step)")
        }
        #expect(filling.faults.isEmpty)
    }
}
