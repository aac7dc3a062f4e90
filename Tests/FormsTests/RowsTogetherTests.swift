import Coding
import Forms
import TestSupport
import Testing

/// Rows that a count asks for are made with one evaluation, and come to what they would come to if
/// each had been added by itself.
@Suite("Rows made together")
struct RowsTogetherTests {
    /// - Parameter defaults: what is set in each new row, by the question.
    private func form(_ defaults: [(String, String)]) throws -> FormDefinition {
        let questions = ["name", "x", "y"].map { name in
            "{\"path\": \"r/\(name)\", \"label\": \"\(name)\", \"type\": "
                + "\"\(name == "name" ? "text" : "integer")\"}"
        }
        let actions = defaults.map { target, expression in
            "{\"events\": [\"odk-new-repeat\"], \"target\": \"r/\(target)\", "
                + "\"expression\": \"\(expression)\"}"
        }
        let json = """
            {"format": 2, "id": "rows", "version": "1", "title": "Rows",
             "sections": [{"name": "s", "title": "S", "questions": [
              {"path": "n", "type": "integer", "label": "N"},
              {"begin": "repeat", "path": "r", "count": "/data/n"},
               \(questions.joined(separator: ", ")),
              {"end": "repeat"}]}],
             "hidden": [
              {"path": "r/run", "type": "integer", "label": "run", "merge": "lww", "calculate":
               "sum(/data/r[position() <= position(current()/..)]/x)"},
              {"path": "r/like", "type": "integer", "label": "like", "merge": "lww", "calculate":
               "count(/data/r[name = current()/../name])"},
              {"path": "total", "type": "integer", "label": "total", "merge": "lww",
               "calculate": "sum(/data/r/x)"},
              {"path": "all", "type": "integer", "label": "all", "merge": "lww",
               "calculate": "count(/data/r)"}],
             "actions": [\(actions.joined(separator: ", "))]}
            """
        return try FormDefinition(json: JSON.parse(Array(json.utf8)))
    }

    private static let defaults: [[(String, String)]] = [
        [],
        [("name", "concat('row ', position(..))"), ("x", "2")],
        [("x", "position(..) * 3"), ("y", "../x + 1"), ("name", "concat('n', ../y)")],
        [("x", "count(/data/r)")],
        [("x", "/data/all + 1"), ("y", "/data/total")],
        [("x", "1"), ("y", "/data/total"), ("name", "../run")],
        [("x", "coalesce(max(/data/r/x), 0) + 1"), ("y", "../like")],
        [("x", "count-non-empty(/data/r/x) + 1"), ("y", "../run + ../x")],
        [("x", "indexed-repeat(/data/r/x, /data/r, position(..) - 1) + 1")],
    ]

    @Test("rows of a count are what rows added by themselves are", arguments: defaults.indices)
    func together(number: Int) throws {
        let form = try form(Self.defaults[number])
        var counted = FormFilling(form, in: .looking(at: PumpRound.now))
        var single = counted
        for count in [3, 12, 5, 40, 0, 2] {
            let before = counted.wantedRows
            counted.set(.integer(Int64(count)), at: AnswerKey("n"))
            try counted.followCounts(since: before, mayRemove: true) { _, number in "r\(number)" }
            single.set(.integer(Int64(count)), at: AnswerKey("n"))
            let rows = single.answers.rows.map(\.id)
            for id in rows.dropFirst(count).reversed() { _ = single.remove(row: id) }
            for number in rows.count..<max(rows.count, count) {
                _ = single.add(FormAnswers.Row(id: "r\(number + 1)", path: "r"))
            }
            #expect(counted.answers == single.answers, "\(count) rows")
            #expect(counted.state == single.state)
            let again = FormFilling(
                form, answers: counted.answers, in: .looking(at: PumpRound.now))
            #expect(again.answers == counted.answers)
        }
    }

    @Test("a count whose rows need more work than a change may take is refused")
    func tooMuchWork() throws {
        var surroundings = FillingSurroundings.looking(at: PumpRound.now)
        surroundings.stepsOfOneChange = 20_000
        var filling = FormFilling(try form([("name", "'x'")]), in: surroundings)
        let before = filling.wantedRows
        filling.set(.integer(300), at: AnswerKey("n"))
        var trial = filling
        do {
            try trial.followCounts(since: before, mayRemove: true) { _, number in "r\(number)" }
            Issue.record("300 rows were made")
        } catch {
            #expect(error == .tooMuchWork)
        }
        filling.set(.integer(9), at: AnswerKey("n"))
        try filling.followCounts(since: before, mayRemove: true) { _, number in "r\(number)" }
        #expect(filling.value(of: AnswerKey(row: "r9", "r/like")) == .integer(9))
        #expect(filling.faults.isEmpty)
    }

    @Test("an answer that needs too much work is kept, and a fault says what was not reckoned")
    func workOfAnAnswer() throws {
        let rows = (1...200).map { FormAnswers.Row(id: "r\($0)", path: "r") }
        var surroundings = FillingSurroundings.looking(at: PumpRound.now)
        surroundings.stepsOfOneChange = 20_000
        var filling = FormFilling(
            try form([]), answers: FormAnswers(["n": .integer(200)], rows: rows), in: surroundings)
        filling.set(.string("A"), at: AnswerKey(row: "r7", "r/name"))
        #expect(filling.value(of: AnswerKey(row: "r7", "r/name")) == .string("A"))
        #expect(filling.faults.contains { $0.error.code == .tooLarge })
    }

    @Test("what is the same in all rows is what each row would come to")
    func sameForAllRows() throws {
        let json = """
            {"format": 2, "id": "same", "version": "1", "title": "Same",
             "sections": [{"name": "s", "title": "S", "questions": [
              {"path": "key", "type": "text", "label": "Key"},
              {"begin": "repeat", "path": "r"},
               {"path": "r/own", "type": "text", "label": "Own", "relevant": "/data/key != 'c'"},
              {"end": "repeat"}]}],
             "hidden": [
              {"path": "r/all", "type": "text", "label": "all", "merge": "lww",
               "calculate": "instance('l')/root/item[code = /data/key]/size"},
              {"path": "r/mine", "type": "text", "label": "mine", "merge": "lww",
               "calculate": "instance('l')/root/item[code = current()/../own]/size"},
              {"path": "r/place", "type": "text", "label": "place", "merge": "lww",
               "calculate": "concat(/data/key, position(..))"}],
             "instances": {"l": {"root": "root", "row": "item", "columns": ["code", "size"],
              "rows": [["a", "1"], ["b", "2"], ["c", "3"]]}}}
            """
        let form = try FormDefinition(json: JSON.parse(Array(json.utf8)))
        let rows = ["a", "b", "c"].map {
            FormAnswers.Row(id: $0, path: "r", fields: ["r/own": .string($0)])
        }
        var filling = FormFilling(
            form, answers: FormAnswers(rows: rows), in: .looking(at: PumpRound.now))
        for (key, size) in [("b", "2"), ("c", "3"), ("a", "1")] {
            filling.set(.string(key), at: AnswerKey("key"))
            for (number, row) in rows.enumerated() {
                let own = key == "c" ? FieldValue.null : .string("\(number + 1)")
                #expect(filling.value(of: AnswerKey(row: row.id, "r/all")) == .string(size))
                #expect(filling.value(of: AnswerKey(row: row.id, "r/mine")) == own)
                #expect(
                    filling.value(of: AnswerKey(row: row.id, "r/place"))
                        == .string("\(key)\(number + 1)"))
                #expect(filling.isRelevant(AnswerKey(row: row.id, "r/own")) == (key != "c"))
            }
        }
    }
}
