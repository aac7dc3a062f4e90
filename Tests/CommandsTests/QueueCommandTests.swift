import Coding
import Foundation
import LocalStore
import Replication
import SQLite
import Testing
import Vault

@Suite("Commands about the queue and its conflicts")
struct QueueCommandTests {
    private let bench: StoreBench
    private let id = StoreBench.assigned.rawValue

    init() throws {
        bench = try StoreBench()
    }

    @Test("status of a fresh device has every key")
    func status() throws {
        let status = try bench.document("status")
        for key in ["pending", "inFlight", "failed", "conflict", "inReview", "mediaPending"] {
            #expect(try status.integer(key) == 0, "\(key)")
        }
        #expect(try status.integer("drafts") == 0)
        #expect(try status.string("digest") == "unproven")
        #expect(try status.required("nothingUnsynced") == .bool(false))
        #expect(try status.required("lastSyncUtc") == .null)
        #expect(try status.required("oldestUnsyncedUtc") == .null)
        #expect(try status.string("deviceId") == CommandBench.deviceId)
        #expect(try bench.run("status").output.contains("never"))
    }

    @Test("a conflict is shown with its sides, and mine goes out as a new mutation")
    func resolveMine() throws {
        try bench.makeConflict()
        let shown = try bench.document("show", id)
        let conflict = try #require(try shown.elements("conflicts").first)
        #expect(try conflict.string("column") == "seals")
        #expect(try conflict.string("mine") == "GOOD")
        #expect(try conflict.string("theirs") == "WORN")
        #expect(try conflict.string("theirsNode") == "portal:office")
        #expect(try bench.document("status").string("state") == "attention")
        #expect(try bench.run("show", id).output.contains("conflict in seals"))
        #expect(try bench.run("resolve", id, "--mine").status == 0)
        let status = try bench.document("status")
        #expect(try status.integer("conflict") == 0)
        #expect(try status.integer("pending") == 1)
    }

    @Test("a side of a conflict that has no answer is said, and is no empty place")
    func clearedSide() throws {
        try bench.makeConflict(theirs: nil)
        let shown = try bench.run("show", id).output
        #expect(shown.contains("\n  base    (no answer)\n"), "\(shown)")
        #expect(shown.contains("\n  mine    GOOD\n"))
        #expect(shown.contains("\n  theirs  (no answer)  by portal:office\n"))
        let conflict = try #require(try bench.document("show", id).elements("conflicts").first)
        #expect(try conflict.required("theirs") == .null)
    }

    @Test("theirs leaves nothing to send of that question")
    func resolveTheirs() throws {
        try bench.makeConflict()
        #expect(try bench.run("resolve", id, "--theirs").status == 0)
        let shown = try bench.document("show", id)
        #expect(try shown.object("fields").object("seals").string("value") == "WORN")
        #expect(try shown.elements("conflicts").isEmpty)
    }

    @Test("a conflict with a deletion says that it is one; let go, the inspection is gone")
    func deletionConflict() throws {
        try bench.makeDeletionConflict()
        let shown = try bench.run("show", id).output
        #expect(shown.contains("theirs  deleted  by portal:office"))
        #expect(shown.contains("'resolve --mine' restores it, '--theirs' lets it go"))
        let settled = try bench.document("resolve", id, "--theirs")
        #expect(try settled.string("id") == id)
        #expect(try settled.required("deleted") == .bool(true))
        #expect(try bench.run("show", id).status == 1)
        #expect(try bench.document("status").integer("conflict") == 0)
    }

    @Test("what somebody wrote since is shown, and taken")
    func newestTheirs() throws {
        try bench.makeConflict()
        try bench.withStore { store in
            try bench.apply(
                [
                    bench.record(
                        "inspection", id,
                        [
                            "@form": "cold_chain", "@formVersion": "3", "@state": "inProgress",
                            "seals": "GOOD", "notes": "new",
                        ], parent: StoreBench.asset.rawValue, version: 3)
                ], in: store)
        }
        let conflict = try #require(try bench.document("show", id).elements("conflicts").first)
        #expect(try conflict.string("theirs") == "GOOD")
        #expect(try bench.run("resolve", id, "--theirs").status == 0)
        let fields = try bench.document("show", id).object("fields")
        #expect(try fields.object("seals").string("value") == "GOOD")
    }

    @Test("a value of one's own settles it; another question or a wrong value exits 3")
    func resolveValue() throws {
        try bench.makeConflict()
        #expect(try bench.run("resolve", id, "notes=x").status == 3)
        #expect(try bench.run("resolve", id, "seals=BROKEN").status == 3)
        #expect(try bench.run("resolve", id).status == 2)
        #expect(try bench.run("resolve", id, "--mine", "--theirs").status == 2)
        #expect(try bench.document("status").integer("conflict") == 1)
        #expect(try bench.run("resolve", id, "seals=WORN").status == 0)
        #expect(try bench.document("status").integer("conflict") == 0)
    }

    @Test("resolving where nothing is in conflict exits 1")
    func nothingToResolve() throws {
        #expect(try bench.run("resolve", id, "--mine").status == 1)
    }

    private func makeFailure() throws -> String {
        #expect(try bench.run("set", id, "notes=x").status == 0)
        try bench.settle(by: [
            "status": "rejected", "error": ["code": "out_of_scope", "message": "not your team's"],
        ])
        let row = try #require(try bench.document("outbox").asArray().first)
        #expect(try row.string("status") == "FAILED")
        #expect(try row.string("lastError").contains("not your team's"))
        return try row.string("mutationId")
    }

    @Test("retry sends a failed row again under a new id")
    func retry() throws {
        let failed = try makeFailure()
        let waiting = try bench.document("retry", String(failed.prefix(8))).string("mutationId")
        #expect(waiting != failed)
        #expect(try bench.document("status").integer("pending") == 1)
        #expect(try bench.run("retry", waiting).status == 1)
    }

    @Test("discard needs --yes where nobody can be asked, and then puts the confirmed value back")
    func discard() throws {
        let failed = try makeFailure()
        let unasked = try bench.run("discard", failed)
        #expect(unasked.status == 2)
        #expect(unasked.messages.contains("--yes"))
        #expect(try bench.document("discard", failed, "--yes").bool("discarded"))
        let shown = try bench.document("show", id)
        #expect(try shown.string("state") == "assigned")
        #expect(try bench.document("outbox").asArray().isEmpty)
    }

    @Test("sql reads the form's view, and writes only when told to, captured like an answer")
    func sql() throws {
        #expect(try bench.run("set", id, "pressure=160.5").status == 0)
        let rows = try bench.document("sql", "SELECT id, pressure FROM cold_chain").asArray()
        #expect(try rows.first?.double("pressure") == 160.5)
        #expect(try bench.run("sql", "SELECT pressure FROM cold_chain").output == "160.5\n")
        let update = "UPDATE cold_chain SET notes = 'by hand' WHERE id = '\(id)'"
        let refused = try bench.run("sql", update)
        #expect(refused.status == 1)
        #expect(refused.messages.contains("--write"))
        #expect(try bench.run("sql", "--write", update).status == 0)
        let row = try #require(try bench.document("outbox").asArray().first)
        #expect(try row.strings("columns").contains("notes"))
    }

    @Test(
        "bad SQL is told without harm",
        arguments: [
            "SELECT", "SELECT * FROM nowhere", "", "DROP TABLE record", "SELECT 1; SELECT 2",
            "/*select*/DELETE FROM __sync_outbox", "/* only a comment */",
        ])
    func badSQL(statement: String) throws {
        let outcome = try bench.run("sql", statement)
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(outcome.messages.hasPrefix("walkdown: "))
        #expect(!outcome.messages.contains("engine("), "\(outcome.messages)")
    }

    @Test("at the queue's limit it is the queue that is named, and no field")
    func fullQueue() throws {
        try bench.withRawDatabase {
            try $0.execute("UPDATE __sync_metadata SET value = 0 WHERE key = 'queue_limit'")
        }
        let outcome = try bench.run("set", id, "notes=x")
        #expect(outcome.status == 1)
        #expect(outcome.messages.hasPrefix("walkdown: too many changes"))
    }

    @Test("M06 the queue's limit is told and set, within reason")
    func limit() throws {
        #expect(try bench.document("status").integer("queueLimit") == 1000)
        #expect(try bench.run("outbox", "--limit", "1").output == "1 change may wait\n")
        #expect(try bench.document("status").integer("queueLimit") == 1)
        #expect(try bench.run("set", id, "notes=x").status == 0)
        #expect(try bench.run("new", "cold_chain").status == 1)
        #expect(try bench.document("outbox", "--limit", "2").integer("queueLimit") == 2)
        #expect(try bench.run("new", "cold_chain").status == 0)
        for words in ["0", "1000001", "-1", "many", ""] {
            #expect(try bench.run("outbox", "--limit", words).status == 2, "\(words)")
        }
        #expect(try bench.document("status").integer("queueLimit") == 2)
    }

    @Test("sql --write changes neither the queue nor the triggers, whatever stands before the word")
    func guardedSQL() throws {
        #expect(try bench.run("set", id, "notes=x").status == 0)
        for statement in [
            "/*select*/DROP TRIGGER field_updated", ";DELETE FROM __sync_outbox",
            "/*select\n*/ UPDATE __sync_metadata SET value = 1 WHERE key = 'applying'",
            "SELECT 1; DELETE FROM __sync_outbox", "DELETE FROM question",
        ] {
            let outcome = try bench.run("sql", "--write", statement)
            #expect(outcome.status == 1, "\(statement)")
            #expect(outcome.output == "" && outcome.messages.hasPrefix("walkdown: "))
        }
        #expect(try bench.document("status").integer("pending") == 1)
        #expect(try bench.run("set", id, "pressure=900").status == 3)
        #expect(try bench.run("doctor").status == 0)
    }

    @Test("doctor finds triggers that somebody has taken away")
    func tampered() throws {
        let statements = "DROP TRIGGER field_updated"
        try bench.withRawDatabase { try $0.execute(statements) }
        let outcome = try bench.run("doctor")
        #expect(outcome.status == 6)
        #expect(outcome.output.contains("a trigger is missing: field_updated"))
    }

    @Test("a device that has lost its server's address is damaged, and the line is not to blame")
    func noServer() throws {
        let outcome = try bench.run("sync")
        #expect(outcome.status == 6)
        #expect(outcome.messages.contains("does not know its server"))
    }

    @Test("what a server has written does not reach the terminal as it is")
    func hostileWords() throws {
        try bench.withStore { store in
            try store.store(
                Enrolment(
                    serverURL: "http://127.0.0.1:1", deviceID: "a\u{1B}[2Jb\u{202E}c", token: "t",
                    team: "x", caPem: "", pins: [], deviceKey: ""))
        }
        let outcome = try bench.run("status")
        #expect(outcome.status == 0)
        #expect(!outcome.output.contains("\u{1B}") && !outcome.output.contains("\u{202E}"))
    }

    @Test("while another process holds the home, reading works and writing names it")
    func held() throws {
        let lease = try HomeLease.acquire(bench.bench.home)
        defer { withExtendedLifetime(lease) {} }
        for words in [["list"], ["show", id], ["status"], ["outbox"], ["sql", "SELECT 1"]] {
            #expect(try bench.bench.run(words).status == 0, "\(words)")
        }
        for words in [
            ["set", id, "notes=x"], ["new", "cold_chain"], ["complete", id], ["delete", id],
            ["sync"], ["sql", "--write", "SELECT 1"],
        ] {
            let outcome = try bench.bench.run(words)
            #expect(outcome.status == 6, "\(words)")
            #expect(outcome.messages.contains("process"), "\(words)")
        }
    }

    @Test("doctor finds a healthy store in order")
    func doctor() throws {
        let outcome = try bench.run("doctor", "--json")
        let findings = try #require(outcome.json).elements("findings")
        let database = try findings.first { try $0.string("name") == "database" }
        #expect(try database?.bool("ok") == true)
    }

    @Test("a database that is no database is damage, never a wrong PIN")
    func damagedDatabase() throws {
        let file = try #require(fopen(bench.bench.home.database, "r+"))
        fseek(file, 0, SEEK_SET)
        fputs(String(repeating: "x", count: 4096), file)
        fclose(file)
        let outcome = try bench.run("list")
        #expect(outcome.status == 6)
        #expect(!outcome.messages.contains("PIN is wrong"))
        #expect(outcome.messages.contains("store"))
    }
}
