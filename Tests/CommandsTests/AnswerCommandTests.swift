import Coding
import LocalStore
import Replication
import Testing
import Vault

@Suite("Commands that answer and finish")
struct AnswerCommandTests {
    private let bench: StoreBench
    private let id = StoreBench.assigned.rawValue

    init() throws {
        bench = try StoreBench()
    }

    @Test("list shows what was assigned, with the keys that scripts rely on")
    func list() throws {
        let row = try #require(try bench.document("list").asArray().first)
        #expect(try row.string("id") == id)
        #expect(try row.string("form") == "cold_chain")
        #expect(try row.string("formVersion") == "3")
        #expect(try row.string("asset") == "F-17")
        #expect(try row.string("site") == "Pier 4")
        #expect(try row.string("state") == "assigned")
        #expect(try row.string("dueOn") == "2026-03-09")
        #expect(try row.string("sync") == "synced")
        #expect(try row.integer("answered") == 0)
        #expect(try row.integer("total") == 4)
        #expect(try row.integer("version") == 1)
        #expect(try bench.run("list").output.contains("F-17"))
    }

    @Test("the first answer on an assigned inspection begins it, in the same mutation")
    func firstAnswer() throws {
        #expect(try bench.run("set", id, "pressure=160.5").status == 0)
        #expect(try bench.document("status").integer("pending") == 1)
        let shown = try bench.document("show", id)
        #expect(try shown.string("state") == "inProgress")
        let answer = try shown.object("fields").object("pressure")
        #expect(try answer.double("value") == 160.5)
        #expect(try answer.string("sync") == "pending")
        let row = try #require(try bench.document("outbox").asArray().first)
        #expect(try row.string("status") == "PENDING")
        #expect(try row.strings("columns") == ["@state", "pressure"])
    }

    @Test("F04 the queue can be copied out exactly as it would be sent")
    func payload() throws {
        let id = id
        #expect(try bench.run("set", id, "pressure=160.5", "seals=good", "notes=é x").status == 0)
        let row = try #require(try bench.document("outbox").asArray().first)
        #expect(
            try row.object("payload") == [
                "@state": "inProgress", "pressure": .double(160.5), "seals": "GOOD",
                "notes": "é x",
            ])
        #expect(try row.strings("columns") == ["@state", "notes", "pressure", "seals"])
    }

    @Test("several answers are one transaction, and an empty value clears")
    func severalAnswers() throws {
        #expect(try bench.run("set", id, "pressure=160", "seals=good", "notes=a = b").status == 0)
        var fields = try bench.document("show", id).object("fields")
        #expect(try fields.object("pressure").integer("value") == 160)
        #expect(try fields.object("seals").string("value") == "GOOD")
        #expect(try fields.object("notes").string("value") == "a = b")
        #expect(try bench.run("set", id, "notes=").status == 0)
        fields = try bench.document("show", id).object("fields")
        #expect(try fields.member("notes")?.member("value") == nil)
    }

    @Test("t and +3d are counted from the day where the device is, not from UTC's")
    func today() throws {
        for (word, day) in [("t", "2026-03-01"), ("+3d", "2026-03-04")] {
            #expect(try bench.run("set", id, "seen=\(word)").status == 0)
            let fields = try bench.document("show", id).object("fields")
            #expect(try fields.object("seen").string("value") == day)
        }
    }

    @Test(
        "what is refused changes nothing, names the question and exits 3",
        arguments: [
            ("pressure=501", "at most 500 psi"), ("pressure=1,5", "not a number"),
            ("pressure=abc", "not a number"), ("seals=BROKEN", "GOOD, WORN"),
            ("seen=yesterday", "YYYY-MM-DD"), ("nothing=1", "no such question"),
            ("@state=approved", "no such question"), ("notes=\u{7}", "control characters"),
        ])
    func refused(word: String, reason: String) throws {
        let other = word.hasPrefix("notes") ? "seals=GOOD" : "notes=kept?"
        let outcome = try bench.run("set", id, other, word)
        #expect(outcome.status == 3)
        #expect(outcome.messages.contains(reason), "\(outcome.messages)")
        #expect(outcome.output == "")
        #expect(try bench.document("status").integer("pending") == 0)
    }

    @Test("several refusals are all listed")
    func severalRefusals() throws {
        let outcome = try bench.run("set", id, "pressure=501", "seals=BROKEN")
        #expect(outcome.status == 3)
        #expect(outcome.messages.contains("pressure:") && outcome.messages.contains("seals:"))
    }

    @Test("words that are no answers are a wrong command line", arguments: ["pressure", "=1"])
    func noAnswer(word: String) throws {
        #expect(try bench.run("set", id, word).status == 2)
        #expect(try bench.run("set", id).status == 2)
        #expect(try bench.run("set", id, "notes=a", "notes=b").status == 2)
    }

    @Test(
        "an unknown id exits 1 in every command that takes one",
        arguments: [
            ["show", "feed"], ["set", "feed", "notes=x"], ["complete", "feed"],
            ["reopen", "feed"], ["delete", "feed"], ["resolve", "feed", "--mine"],
            ["retry", "feed"], ["discard", "feed", "--yes"], ["new", "feed"],
            ["new", "cold_chain", "--asset", "feed"],
        ])
    func unknownID(words: [String]) throws {
        let outcome = try bench.bench.run(words)
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(outcome.messages.contains("feed"))
    }

    @Test("the beginning of an id suffices where it is unique")
    func shortID() throws {
        #expect(try bench.document("show", "1a5b").string("id") == id)
        #expect(try bench.run("show", "").status == 1)
    }

    @Test("new prints the id alone and begins in progress at the asset")
    func new() throws {
        let outcome = try bench.run("new", "cold_chain", "--asset", "F-17")
        #expect(outcome.status == 0)
        let made = String(outcome.output.dropLast())
        #expect(made.count == 36)
        let shown = try bench.document("show", made)
        #expect(try shown.string("state") == "inProgress")
        #expect(try shown.string("asset") == "F-17")
        #expect(try shown.integer("version") == 0)
        #expect(try bench.document("new", "cold_chain").string("id").count == 36)
    }

    @Test("new stores the asset's tag, whether it was named by its tag or by its id")
    func newAtAsset() throws {
        for name in ["F-17", StoreBench.asset.rawValue] {
            let made = try bench.document("new", "cold_chain", "--asset", name).string("id")
            let row = try #require(
                try bench.document(
                    "sql", "SELECT \"@asset\" AS asset FROM cold_chain WHERE id = '\(made)'"
                ).asArray().first)
            #expect(try row.string("asset") == "F-17")
        }
    }

    @Test("show keeps each answer on its line, and a long one does not widen the others")
    func longAnswers() throws {
        let long = String(repeating: "x", count: 20_000)
        try bench.withStore { store in
            try store.set([("notes", .string("one\ntwo\tthree\\"))], on: StoreBench.assigned)
            try store.set(
                [("seals", .string("GOOD")), ("@title", .string(long))], on: StoreBench.assigned)
        }
        var shown = try bench.run("show", id).output
        #expect(shown.contains(#"one\ntwo\tthree\\  pending"#), "\(shown.suffix(300))")
        #expect(
            try bench.run("sql", "SELECT id, notes FROM cold_chain").output
                == id + "\t" + #"one\ntwo\tthree\\"# + "\n")
        #expect(try bench.run("set", id, "notes=\(long)").status == 0)
        shown = try bench.run("show", id).output
        #expect(shown.utf8.count < 42_000, "\(shown.utf8.count)")
    }

    @Test("show tells why an inspection was returned")
    func comment() throws {
        #expect(try bench.document("show", id).required("comment") == .null)
        try bench.withStore { store in
            try bench.apply(
                [
                    bench.record(
                        "inspection", id,
                        [
                            "@form": "cold_chain", "@formVersion": "3", "@state": "returned",
                            "@comment": "The picture\nis blurred",
                        ], parent: StoreBench.asset.rawValue, version: 2)
                ], in: store)
        }
        #expect(try bench.document("show", id).string("comment") == "The picture\nis blurred")
        #expect(
            try bench.run("show", id).output.contains(#"comment  The picture\nis blurred"# + "\n"))
    }

    @Test("complete lists what is missing and exits 3, and finishes what is whole")
    func complete() throws {
        #expect(try bench.run("set", id, "notes=x").status == 0)
        let refused = try bench.run("complete", id, "--json")
        #expect(refused.status == 3)
        let problem = try #require(try refused.json?.elements("problems").first)
        #expect(try problem.string("question") == "pressure")
        #expect(try bench.run("complete", id).output == "pressure: needs an answer\n")
        #expect(try bench.run("set", id, "pressure=160").status == 0)
        #expect(try bench.document("complete", id).string("state") == "complete")
        #expect(try bench.run("complete", id).status == 3)
    }

    @Test("a complete inspection takes no answer until it is reopened")
    func reopen() throws {
        #expect(try bench.run("reopen", id).status == 3)
        #expect(try bench.run("set", id, "pressure=160").status == 0)
        #expect(try bench.run("complete", id).status == 0)
        let closed = try bench.run("set", id, "notes=late")
        #expect(closed.status == 3)
        #expect(closed.messages.contains("reopen"))
        #expect(try bench.document("reopen", id).string("state") == "inProgress")
        #expect(try bench.run("set", id, "notes=late").status == 0)
    }

    @Test("a deleted inspection is gone from the list and waits to be sent")
    func delete() throws {
        #expect(try bench.document("delete", id).bool("deleted"))
        #expect(try bench.document("list").asArray().isEmpty)
        let row = try #require(try bench.document("outbox").asArray().first)
        #expect(try row.string("operation") == "DELETE")
        #expect(try bench.run("show", id).status == 1)
    }
}
