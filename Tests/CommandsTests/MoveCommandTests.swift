import Coding
import Forms
import LocalStore
import Replication
import Testing

@Suite("Moving an inspection to another version")
struct MoveCommandTests {
    private let bench: StoreBench
    private let id = StoreBench.assigned.rawValue

    init() throws {
        bench = try StoreBench()
        #expect(try bench.run("set", id, "pressure=450", "notes=hums", "seals=GOOD").status == 0)
        try bench.withStore { store in
            try store.store(form: FormDefinition(json: JSON.parse(Array(Self.form.utf8))))
        }
    }

    /// No notes, remarks of the same label instead; less pressure; a signature.
    private static let form = """
        {"id": "cold_chain", "version": "4", "title": "Cold chain", "sections": [
          {"name": "main", "title": "Main", "questions": [
            {"path": "pressure", "label": "Pressure", "type": "decimal", "unit": "psi",
             "required": true, "min": 0, "max": 400, "merge": "quarantine"},
            {"path": "seals", "label": "Seals", "type": "choice", "choices": [
              {"name": "GOOD", "label": "Good"}, {"name": "WORN", "label": "Worn"}]},
            {"path": "remarks", "label": "Notes", "type": "text"},
            {"path": "signed", "label": "Signed by", "type": "text", "required": true},
            {"path": "seen", "label": "Seen", "type": "date"}]}]}
        """

    @Test("F37 --dry-run says what becomes of each answer, and moves nothing")
    func dryRun() throws {
        let text = try bench.run("move", id, "--dry-run").output
        #expect(
            text == """
                From version 3 to version 4
                  1 answer stays as it is
                  pressure = 450: stays, but must be at most 400 psi
                  notes = hums: not asked any more, kept; it seems to be called remarks now
                  signed: required now, and not answered
                  remarks: new, "Notes"

                Nothing is moved: that was a look beforehand.

                """)
        let document = try bench.document("move", id, "--dry-run")
        #expect(try document.bool("moved") == false && document.string("to") == "4")
        let fates = try document.array("answers", of: { $0 }).map { answer in
            try "\(answer.string("question")) \(answer.string("fate"))"
        }
        #expect(fates == ["pressure misfit", "seals kept", "notes gone"])
        #expect(try document.strings("required") == ["signed"])
        let shown = try bench.document("show", id)
        #expect(try shown.string("formVersion") == "3" && shown.string("newerVersion") == "4")
        #expect(try bench.run("show", id).output.contains("version 4 is here: 'walkdown move'"))
    }

    @Test("F37 after the move the orphan is shown apart and exported; moving back works")
    func move() throws {
        #expect(
            try bench.run("move", id, "--to", "4").output.hasPrefix("\(id) is in version 4 now\n"))
        let shown = try bench.document("show", id)
        #expect(try shown.string("formVersion") == "4")
        let orphan = try #require(try shown.array("orphans", of: { $0 }).first)
        #expect(try orphan.string("question") == "notes" && orphan.string("value") == "hums")
        let text = try bench.run("show", id).output
        #expect(text.contains("not asked by version 4, kept:\nQUESTION"))
        let csv = try bench.run("export").output
        #expect(csv.contains("notes") && csv.contains("remarks") && csv.contains("hums"))
        let problems = try bench.run("complete", id)
        #expect(
            problems.status == 3 && problems.output.contains("pressure: must be at most 400 psi"))
        #expect(try bench.run("set", id, "notes=x").status == 3)
        #expect(try bench.run("move", id).status == 1)
        #expect(try bench.run("move", id, "--to", "3").status == 0)
        #expect(try bench.document("show", id).array("orphans", of: { $0 }).isEmpty)
        #expect(try bench.run("complete", id).status == 0)
        #expect(try bench.run("move", id).status == 3)
    }
}
