import Coding
import Forms
import Inspections
import LocalStore
import Replication
import Testing
import Vault

@Suite("Findings as commands")
struct FindingCommandTests {
    private let bench: StoreBench
    private let id: String

    private static let form = """
        {"format": 2, "id": "round", "version": "1", "title": "Round", "sections": [
          {"name": "main", "title": "Main", "questions": [
            {"path": "seals", "label": "Door seals", "type": "verdict", "merge": "ask", "list": 0,
             "findingOnFail": true},
            {"path": "alarm", "label": "Alarm", "type": "verdict", "merge": "ask", "list": 0,
             "findingOnFail": true, "photoOnFail": true, "critical": true},
            {"path": "notes", "label": "Notes", "type": "text", "merge": "ask"},
            {"begin": "repeat", "path": "pump", "title": "Pump"},
            {"path": "pump/seal", "label": "Seal", "type": "verdict", "merge": "ask", "list": 0,
             "findingOnFail": true},
            {"end": "repeat"}]}],
         "lists": [[{"name": "in", "label": "In", "verdict": "pass"},
                    {"name": "out", "label": "Out", "verdict": "fail"}]]}
        """

    init() throws {
        bench = try StoreBench()
        try bench.withStore { store in
            try store.store(form: FormDefinition(json: JSON.parse(Array(Self.form.utf8))))
        }
        id = try bench.document("new", "round", "--asset", "F-17").string("id")
    }

    @Test("show, findings and finding tell the same of what a failed answer raised")
    func raised() throws {
        #expect(try bench.run("set", id, "seals=out").status == 0)
        let shown = try #require(
            try bench.document("show", id).member("findings")?.asArray().first)
        #expect(try shown.string("question") == "seals")
        #expect(try shown.string("severity") == "major")
        #expect(try shown.string("status") == "pending")
        #expect(try shown.string("sync") == "pending")
        #expect(try shown.member("row") == nil && shown.member("note") == nil)
        let listed = try #require(try bench.document("findings").asArray().first)
        #expect(try listed.string("id") == shown.string("id"))
        #expect(try listed.string("inspection") == id && listed.string("asset") == "F-17")
        #expect(try bench.document("finding", id, "seals").string("id") == shown.string("id"))
        #expect(try bench.run("show", id).output.contains("findings 1 finding"))
        #expect(try bench.run("findings").output.contains("to be mended"))
    }

    @Test("finding says what is wrong, who mends it and until when; an empty text takes it away")
    func changed() throws {
        #expect(try bench.run("set", id, "seals=out").status == 0)
        let changed = try bench.document(
            "finding", id, "seals", "--severity", "critical", "--status", "corrected", "--owner",
            "Ben", "--due", "+3d", "--note", "gap of 3 mm")
        #expect(try changed.string("severity") == "critical")
        #expect(try changed.string("status") == "corrected")
        #expect(try changed.string("owner") == "Ben" && changed.string("due") == "2026-03-04")
        #expect(try changed.string("note") == "gap of 3 mm")
        let cleared = try bench.document("finding", id, "seals", "--owner=", "--due=")
        #expect(try cleared.member("owner") == nil && cleared.member("due") == nil)
        #expect(
            try bench.run("show", id).output.contains("1 finding, 1 corrected on site"))
        let wrong = try bench.run("finding", id, "seals", "--due", "soon")
        #expect(wrong.status == 3)
        #expect(try bench.run("finding", id, "seals", "--severity", "awful").status == 2)
        #expect(try bench.run("finding", id, "seals", "--remove", "--note", "x").status == 2)
    }

    @Test("a form that asks for a photo of what failed is told that this version takes none")
    func photo() throws {
        let passed = try bench.bench.run(["fill", id], typing: "1\n1\nq\n")
        #expect(!passed.output.contains("asks for a photo"))
        let failed = try bench.bench.run(["fill", id], typing: "\n2\ndead\n\n\nq\n")
        #expect(
            failed.output.contains("The form asks for a photo; this version takes none"))
    }

    @Test("by hand on any question, in a row by its number, and removed again")
    func byHand() throws {
        #expect(try bench.run("set", id, "pump[+]/seal=in").status == 0)
        let raised = try bench.document("finding", id, "pump[1]/seal", "--note", "drips")
        #expect(try raised.string("address") == "pump[1]/seal")
        #expect(try raised.bool("fails") == false)
        #expect(
            try bench.document("finding", id, "notes", "--severity=minor").string("severity")
                == "minor")
        #expect(try bench.document("findings", id).asArray().count == 2)
        #expect(try bench.run("finding", id, "notes", "--remove").status == 0)
        #expect(try bench.run("finding", id, "notes", "--remove").status == 1)
        #expect(try bench.run("finding", id, "pump[+]/seal").status == 3)
        #expect(try bench.run("finding", id, "pump[1]").status == 3)
        #expect(try bench.run("finding", id, "nowhere").status == 3)
        #expect(try bench.document("findings", id).asArray().count == 1)
    }

    @Test("two on one question: refused with their ids, and --id chooses")
    func several() throws {
        #expect(try bench.run("set", id, "seals=out").status == 0)
        let id = id
        _ = try bench.withStore { store in
            try store.raiseFinding(on: AnswerKey("seals"), of: RecordID(id), [.note("other")])
        }
        let refused = try bench.run("finding", id, "seals", "--note", "which")
        #expect(refused.status == 1)
        let all = try bench.document("findings", id).asArray()
        for finding in all { #expect(refused.messages.contains(try finding.string("id"))) }
        let first = try all[0].string("id")
        #expect(
            try bench.document("finding", id, "seals", "--id", first, "--note", "this")
                .string("note") == "this")
        #expect(try bench.run("finding", id, "seals", "--id", "ffff").status == 1)
    }

    @Test("complete names the question whose grave finding does not say what is wrong")
    func completion() throws {
        #expect(try bench.run("set", id, "seals=out", "alarm=out").status == 0)
        let refused = try bench.run("complete", id)
        #expect(refused.status == 3)
        #expect(refused.output.contains("alarm: has a critical finding"))
        #expect(try bench.run("finding", id, "alarm", "--note", "dead").status == 0)
        #expect(try bench.run("complete", id).status == 0)
        let late = try bench.run("finding", id, "seals", "--note", "late")
        #expect(late.status == 3 && late.messages.contains("reopen"))
    }

    @Test(
        "what was found on a question that the form does not ask any more is reached by its place")
    func gone() throws {
        #expect(try bench.run("set", id, "alarm=out", "pump[+]/seal=out").status == 0)
        let newer = Self.form.replacing("\"version\": \"1\"", with: "\"version\": \"2\"")
            .replacing("\"alarm\"", with: "\"siren\"").replacing("pump", with: "motor")
        try bench.withStore { store in
            try store.store(form: FormDefinition(json: JSON.parse(Array(newer.utf8))))
        }
        #expect(try bench.run("move", id, "--to", "2").status == 0)
        let refused = try bench.run("complete", id)
        #expect(refused.status == 3)
        #expect(refused.output.contains("alarm: has a critical finding"))
        let listed = try bench.document("findings", id).asArray()
        #expect(try Set(listed.map { try $0.string("address") }) == ["alarm", "pump[1]/seal"])
        for finding in listed {
            let (place, short) = try (
                finding.string("address"), String(finding.string("id").prefix(8))
            )
            #expect(
                try bench.document("finding", id, place, "--id", short, "--note", "dead")
                    .string("note") == "dead")
        }
        #expect(try bench.run("finding", id, "alarm", "--id", "ffff").status == 1)
        #expect(try bench.run("complete", id).status == 0)
    }

    @Test("the queue names a finding by its question")
    func queue() throws {
        #expect(try bench.run("set", id, "seals=out").status == 0)
        let rows = try bench.document("outbox").asArray()
        let row = try #require(try rows.first { try $0.string("tableName") == "finding" })
        #expect(try row.string("about") == "finding on Door seals")
        #expect(try bench.run("outbox").output.contains("finding on Door seals"))
    }

    @Test("fill asks what is wrong after a failure, and an empty line leaves each as it is")
    func fill() throws {
        let lines = ["out", "gap of 3 mm", "3", "y", "out", "", "", "", "q"]
        let outcome = try bench.bench.run(
            ["fill", id], typing: lines.map { $0 + "\n" }.joined())
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("That is a finding: major, to be mended"))
        let all = try bench.document("findings", id).asArray()
        #expect(try all.map { try $0.string("question") } == ["seals", "alarm"])
        #expect(try all.map { try $0.string("severity") } == ["critical", "critical"])
        #expect(try all.map { try $0.string("status") } == ["corrected", "pending"])
        #expect(try all[0].string("note") == "gap of 3 mm")
        #expect(try all[1].member("note") == nil)
    }

    @Test("in the line mode findings are listed, opened and changed with the words of the command")
    func lines() throws {
        let none = try bench.bench.run(["--a11y"], typing: "f\nf 9\nq\n")
        #expect(none.output.contains("No finding is open"))
        #expect(none.output.contains("There is no line of that number"))
        #expect(try bench.run("set", id, "seals=out", "alarm=out").status == 0)
        let listed = try bench.bench.run(["--a11y"], typing: "f\n7\nzz\n?\nq\nq\n")
        #expect(listed.output.contains("  F-17, seals: major, to be mended"))
        #expect(listed.output.contains("There is no line of that number\nfindings>"))
        #expect(listed.output.contains("That is no word here; ? says what can be typed\nfindings>"))
        let place = try place(of: "seals")
        let changed = try bench.bench.run(
            ["--a11y"],
            typing: """
                f
                \(place)
                severity CRITICAL
                severity awful
                status corrected
                owner Ben
                due +3d
                due soon
                note gap of 3 mm
                noted
                ?
                q
                q
                q

                """)
        #expect(changed.status == 0)
        #expect(changed.output.contains("Saved: seals: critical, to be mended"))
        #expect(
            changed.output.contains("Not saved: severity is one of minor, major, critical"))
        #expect(changed.output.contains("Not saved: due "))
        #expect(
            changed.output.contains("Saved: seals: critical, corrected on site, by 2026-03-04, Ben")
        )
        #expect(changed.output.contains("\n  note TEXT      What is wrong."))
        let finding = try bench.document("finding", id, "seals")
        #expect(try finding.string("severity") == "critical")
        #expect(try finding.string("status") == "corrected")
        #expect(try finding.string("owner") == "Ben" && finding.string("due") == "2026-03-04")
        #expect(try finding.string("note") == "gap of 3 mm")
    }

    @Test(
        "in the line mode a word alone takes away what was said; what is closed is listed no more")
    func linesTakenAway() throws {
        #expect(try bench.run("set", id, "seals=out").status == 0)
        #expect(try bench.run("finding", id, "seals", "--owner", "Ben").status == 0)
        let each = try (1...2).map {
            try bench.bench.run(["--a11y"], typing: "f \($0)\nq\nq\n").output
        }
        let line = "worklist> 1  seals: major, to be mended, Ben"
        #expect(each.filter { $0.contains(line) }.count == 1)
        #expect(each.filter { $0.contains("No finding is open") }.count == 1)
        let closed = try bench.bench.run(
            ["--a11y"], typing: "f\n1\nowner\nstatus closed\n\nq\n")
        #expect(closed.output.contains("Saved: seals: major, closed"))
        #expect(closed.output.contains("No finding is open"))
        let finding = try bench.document("finding", id, "seals")
        #expect(try finding.member("owner") == nil && finding.string("status") == "closed")
    }

    @Test("a note typed half is kept as a draft when the line mode locks")
    func halfNote() throws {
        #expect(try bench.run("set", id, "seals=out").status == 0)
        let typing = try ScriptedTyping(
            bench.bench,
            [.type("f\n1\n"), .type("note gap of"), .signal(LockSignal.number)])
        #expect(try bench.bench.run(["--a11y"], typing).status == 6)
        let told = try bench.bench.run(["--a11y"], typing: "f\n1\nnote gap of 3 mm\nq\nq\nq\n")
        #expect(told.output.contains("  note, typed, not accepted: gap of\n"))
        let after = try bench.bench.run(["--a11y"], typing: "f\n1\nq\nq\nq\n")
        #expect(!after.output.contains("not accepted"))
    }

    /// Its number in the list of all that are open.
    private func place(of question: String) throws -> Int {
        let all = try bench.document("findings").asArray().map { try $0.string("address") }
        return try #require(all.firstIndex(of: question)) + 1
    }
}
