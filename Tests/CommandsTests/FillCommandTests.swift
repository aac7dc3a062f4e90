import Coding
import Forms
import LocalStore
import Testing

@Suite("Filling line by line")
struct FillCommandTests {
    private let round: RoundBench

    init() throws { round = try RoundBench() }

    private func fill(_ lines: String..., json: Bool = false) throws -> Outcome {
        try round.bench.bench.run(
            ["fill", round.id] + (json ? ["--json"] : []),
            typing: lines.map { $0 + "\n" }.joined())
    }

    @Test("each question stands alone with what helps to answer it, and each answer is saved")
    func answers() throws {
        let outcome = try fill("Pier 4", "2", "door is jammed", "160,5", "1 3", "", "0")
        #expect(outcome.status == 0)
        #expect(
            outcome.output.contains(
                "Gauge (psi)\n  at the valve\n  0 to 500\n> "), "\(outcome.output)")
        #expect(outcome.output.contains("All right?\n  1  Yes\n  2  No\n> "))
        #expect(outcome.output.contains("Site, required\n> "))
        #expect(outcome.output.contains("Begun\n  now: today\n> "))
        #expect(try round.value("site") == "Pier 4")
        #expect(try round.value("why") == "door is jammed")
        #expect(try round.value("gauge") == .double(160.5))
        #expect(try round.value("sides") == "l t")
        #expect(try round.value("pumps") == 0)
    }

    @Test("an empty line keeps, - clears, < goes back, > goes on, q leaves, \\ is an answer")
    func keys() throws {
        _ = try fill("Pier 4", "q")
        let outcome = try fill("", "<", "-", "\\q", ">", "q")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("now: Pier 4"))
        #expect(outcome.output.contains("Doors: 0 of 0 answered"))
        #expect(try round.value("site") == .null)
        #expect(try round.value("ok") == .null)
        #expect(try fill("\\q", "q").status == 0)
        #expect(try round.value("site") == "q")
    }

    @Test("what is refused is said and asked again; the end of the input keeps what was saved")
    func refused() throws {
        let outcome = try fill("Pier 4", "3", "yes", "501", "13", "many")
        #expect(outcome.status == 3)
        #expect(outcome.output.contains("Not saved: the answer is not one of the choices"))
        #expect(outcome.output.contains("Not saved: the answer must be at most 500 psi"))
        #expect(outcome.output.contains("not on a ship"))
        #expect(try round.value("ok") == "yes")
        #expect(try round.value("gauge") == .null)
        #expect(try fill("", "", "many", "50").status == 0)
        #expect(try round.value("gauge") == 50)
    }

    @Test("a language that the form has not is refused with those that it has")
    func language() throws {
        let outcome = try round.bench.bench.run(["fill", round.id, "--language", "Klingon"])
        #expect(outcome.status == 2)
        #expect(outcome.messages.contains("the form has no language Klingon"))
        #expect(outcome.messages.contains("It has texts in one language only."))
    }

    @Test("what a form says of a rule stands there with the answers in it, and in no other place")
    func ruleWithAnswers() throws {
        let bench = try StoreBench()
        try bench.withStore { store in
            try store.store(form: FormDefinition(json: JSON.parse(Array(Self.stock.utf8))))
        }
        let id = try bench.document("new", "stock").string("id")
        let outcome = try bench.bench.run(["fill", id], typing: "12\n13\nq\n")
        #expect(
            outcome.output.contains("Not saved: the answer is refused by the form: Only 12 are"))
        // A script's messages go to logs.
        let refused = try bench.bench.run(["set", id, "sold=13"])
        #expect(refused.status == 3)
        #expect(refused.messages.contains("Only … are") && !refused.messages.contains("12"))
    }

    private static let stock = """
        {"format": 2, "id": "stock", "version": "1", "title": "Stock", "sections": [
          {"name": "main", "title": "Main", "questions": [
            {"path": "have", "label": "In stock", "type": "integer"},
            {"path": "sold", "label": "Sold", "type": "integer",
             "constraint": ". <= /data/have",
             "constraintMessage": ["Only ", {"value": "/data/have"}, " are there"]}]}]}
        """

    @Test("an unusual number is asked for once more")
    func unusual() throws {
        _ = try fill("", "", "400", "n", "q")
        #expect(try round.value("gauge") == .null)
        _ = try fill("", "", "400", "y", "q")
        #expect(try round.value("gauge") == 400)
    }

    @Test("? says more, with the rule and what it sees")
    func help() throws {
        let outcome = try fill("", "no", "?", "q")
        #expect(outcome.output.contains("asked because: /data/ok = 'no'"))
        #expect(outcome.output.contains("All right?: No"))
    }

    @Test("rows are added, named by their first answer, and deleted after a question")
    func rows() throws {
        let added = try fill(
            ">", "y", "D-1", "2", "good", "y", "D-2", "3", "good", "n")
        #expect(added.status == 0)
        #expect(added.output.contains("add a door? [y/N] "))
        #expect(added.output.contains("add another door? [y/N] "))
        #expect(try round.value("door/tag", ofRow: 2) == "D-2")
        let deleted = try fill(">", "", "", "", "", "", "", "d 1", "y", "")
        #expect(deleted.output.contains("Delete Door 1: D-1, with the answers there? [y/N] "))
        #expect(try round.value("door/tag", ofRow: 1) == "D-2")
        #expect(try round.value("total") == 3)
    }

    @Test("a lower count asks before it takes rows away")
    func counted() throws {
        #expect(try round.set("pumps=2").status == 0)
        #expect(try round.set("pump[2]/name=P-2").status == 0)
        let kept = try fill("", "", "", "", "", "1", "n", "", "q")
        #expect(kept.output.contains("Delete Pump 2: P-2, with the answers there?"))
        #expect(try round.value("pumps") == 2)
        _ = try fill("", "", "", "", "", "1", "y", "q")
        #expect(try round.value("pumps") == 1)
    }

    @Test("at its end it says what is missing, goes there, and offers to complete")
    func end() throws {
        let missing = try fill(">", "n", "n")
        #expect(missing.status == 0)
        #expect(missing.output.contains("Missing or wrong:\n  site: needs an answer"))
        let done = try fill(">", "n", "y", "Pier 4", ">", "n", "y")
        #expect(done.output.contains("Nothing is missing. Complete the inspection?"))
        #expect(done.output.contains("It is complete."))
        #expect(try round.bench.document("show", round.id).string("state") == "complete")
        #expect(try fill("x").status == 3)
    }

    @Test("with --json the lines go where messages go, and one document comes out")
    func document() throws {
        let outcome = try fill("Pier 4", "q", json: true)
        #expect(outcome.status == 0)
        #expect(try outcome.json?.string("id") == round.id)
        #expect(outcome.messages.contains("Site, required"))
    }

    @Test("an id that is not here exits 1, before anything is asked")
    func unknown() throws {
        #expect(try round.bench.run("fill", "feed").status == 1)
    }
}
