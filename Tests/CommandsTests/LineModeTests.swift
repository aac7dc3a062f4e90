import Coding
import LocalStore
import Replication
import TestSupport
import Testing

@Suite("The job line by line")
struct LineModeTests {
    private let bench: StoreBench
    private let id = StoreBench.assigned.rawValue

    init() throws { bench = try StoreBench() }

    private func work(_ lines: String...) throws -> Outcome {
        try bench.bench.run(["--a11y"], typing: lines.map { $0 + "\n" }.joined())
    }

    private func value(_ question: String) throws -> JSON {
        try bench.document("show", id).object("fields").member(question)?.member("value") ?? .null
    }

    @Test("from the worklist through the questions to complete, in words and without a control")
    func job() throws {
        let outcome = try work("1", "150", "1", "tight", "2026-03-01", "y", "q")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("Pier 4\n1  F-17, Cold chain, due 2026-03-09, assigned"))
        #expect(outcome.output.contains("0 of 4 answered, at the server"))
        #expect(outcome.output.contains("It is complete."))
        #expect(outcome.output.contains("complete, 4 of 4 answered, saved here, not sent yet"))
        #expect(outcome.output.unicodeScalars.allSatisfy { $0.value >= 32 || $0 == "\n" })
        #expect(outcome.messages.contains("kept on this device and not at the server yet"))
        #expect(try bench.document("show", id).string("state") == "complete")
        #expect(try value("pressure") == 150 && value("seals") == "GOOD")
    }

    @Test(
        "what belongs to the screen is refused, and nothing is opened",
        arguments: ["read-only", "script"])
    func screenOptions(option: String) throws {
        let script = option == "script" ? [try bench.bench.folder.write("q", to: "script")] : []
        let outcome = try bench.bench.run(
            ["--a11y", "--" + option] + script, typing: "1\n150\nq\n")
        #expect(outcome.status == 2)
        #expect(outcome.messages.contains("--\(option) belongs to the screen"))
        #expect(try value("pressure") == .null)
    }

    @Test("what is stored is what set stores")
    func sameAnswers() throws {
        _ = try work("1", "150", "2", "worn", "", "n", "q")
        let other = try StoreBench()
        #expect(
            try other.run("set", id, "pressure=150", "seals=WORN", "notes=worn").status == 0)
        for question in ["pressure", "seals", "notes", "seen"] {
            let stored = try other.document("show", id).object("fields").member(question)
            #expect(try value(question) == stored?.member("value") ?? .null, "\(question)")
        }
    }

    @Test(
        "a text narrows the list, an unknown word changes nothing, and ? names all that can be typed"
    )
    func words() throws {
        let outcome = try work("/zebra", "/", "7", "zz", "?", "q")
        #expect(outcome.output.contains("No inspection has 'zebra' in it"))
        #expect(outcome.output.contains("There is no line of that number"))
        #expect(outcome.output.contains("That is no word here; ? says what can be typed"))
        for word in ["a NUMBER", "/TEXT", "t ", "s ", "q "] {
            #expect(outcome.output.contains("\n  \(word)"), "\(word)")
        }
        #expect(try bench.document("outbox").asArray().isEmpty)
    }

    @Test("a begins the same form again for the same equipment")
    func again() throws {
        let outcome = try work("a 1", "120", "q", "q")
        #expect(outcome.status == 0)
        let rows = try bench.document("list").asArray()
        #expect(rows.count == 2)
        #expect(try rows.allSatisfy { try $0.string("asset") == "F-17" })
    }

    @Test("a conflict is told with both sides and settled; one that is left stays")
    func conflict() throws {
        try bench.makeConflict()
        let left = try work("t", "1", "q", "q", "q")
        #expect(left.output.contains("Seals, of F-17"))
        #expect(left.output.contains("  mine:   Good\n  theirs: Worn, by device portal:"))
        #expect(left.output.contains("Left undecided; nothing is changed"))
        #expect(try bench.document("status").required("conflict") == 1)
        let settled = try work("t", "1", "x", "t", "q", "q")
        #expect(settled.output.contains("Settled; it goes out with the next synchronisation"))
        #expect(try bench.document("status").required("conflict") == 0)
        #expect(try value("seals") == "WORN")
    }

    @Test("a third value settles it as well, and one that the form refuses is asked for again")
    func edited() throws {
        try bench.makeConflict()
        let outcome = try work("t", "1", "e", "rusty", "e", "Good", "q", "q")
        #expect(outcome.output.contains("The answer is not one of the choices"))
        #expect(outcome.output.contains("Settled"))
        #expect(try value("seals") == "GOOD")
    }

    @Test("a failed change is told with its reason; giving it up asks, and retrying sends it again")
    func failed() throws {
        #expect(try bench.run("set", id, "notes=x").status == 0)
        try bench.settle(by: [
            "status": "rejected", "error": ["code": "out_of_scope", "message": "not your team's"],
        ])
        let kept = try work("t", "d 1", "no", "q", "q")
        #expect(kept.output.contains("F-17; Notes; failed"))
        #expect(kept.output.contains("It is kept"))
        #expect(try bench.document("status").required("failed") == 1)
        let retried = try work("t", "r 1", "d 1", "q", "q")
        #expect(retried.output.contains("It waits to be sent again"))
        #expect(retried.output.contains("Only a failed change is retried or discarded"))
        #expect(try bench.document("status").required("failed") == 0)
        try bench.settle(by: [
            "status": "rejected", "error": ["code": "out_of_scope", "message": "not your team's"],
        ])
        let given = try work("t", "d 1", "yes", "q", "q")
        #expect(given.output.contains("Discarded; the confirmed values are back"))
        #expect(try value("notes") == .null)
    }

    @Test("what the store refuses is said, and the work goes on")
    func refused() throws {
        #expect(try bench.run("outbox", "--limit", "1").status == 0)
        #expect(try bench.run("set", id, "notes=x").status == 0)
        let outcome = try work("a 1", "s", "t", "q", "q")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("oo many changes wait to be sent"))
        #expect(outcome.output.contains("status>"))
        #expect(try bench.document("list").asArray().count == 1)
    }

    @Test("the end of the input leaves anywhere, with everything stored")
    func ends() throws {
        for lines in [[], ["1"], ["1", "150"], ["t"], ["t", "1"]] {
            let outcome = try bench.bench.run(
                ["--a11y"], typing: lines.map { $0 + "\n" }.joined())
            #expect(outcome.status == 0, "\(lines)")
        }
        #expect(try value("pressure") == 150)
    }

    @Test("it has no JSON")
    func json() throws {
        let outcome = try bench.bench.run(["--a11y", "--json"], typing: "q\n")
        #expect(outcome.status == 2)
    }
}
