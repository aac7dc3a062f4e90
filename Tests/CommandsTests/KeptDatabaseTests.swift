import Coding
import Foundation
import LocalStore
import Replication
import TestSupport
import Testing
import Vault

/// What commands do to the files of a home.
@Suite("The database is left as it is")
struct KeptDatabaseTests {
    private let bench: StoreBench
    private let id = StoreBench.assigned.rawValue

    init() throws {
        bench = try StoreBench()
    }

    private var home: Home { bench.bench.home }

    /// The database's files, by their names.
    private func files() throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: home.directory) {
            guard name.hasPrefix("walkdown.db") else { continue }
            found[name] = FileManager.default.contents(atPath: home.directory + "/" + name)
        }
        return found
    }

    /// The answer is committed and only in the log, as a process leaves it that was killed.
    private func leaveHotLog() throws {
        let names = ["", "-wal", "-shm"].map { home.database + $0 }
        let held = try bench.withStore { store in
            try store.set([("notes", .string("in the log"))], on: StoreBench.assigned)
            return names.map { FileManager.default.contents(atPath: $0) }
        }
        for (name, content) in zip(names, held) {
            try #require(content).write(to: URL(fileURLWithPath: name))
        }
    }

    @Test("V10 passwd touches no byte of the database nor of its log, and both open afterwards")
    func passwd() throws {
        try leaveHotLog()
        let before = try files()
        #expect(before["walkdown.db-wal"]?.isEmpty == false)
        let new = try bench.bench.folder.write("a longer passphrase\n", to: "new")
        #expect(chmod(new, 0o600) == 0)
        #expect(try bench.run("passwd", "--new-pin-file", new).status == 0)
        #expect(try files() == before)
        let shown = try bench.bench.runWithoutPIN("show", id, "--json", "--pin-file", new)
        let fields = try #require(shown.json).object("fields")
        #expect(try fields.object("notes").string("value") == "in the log")
    }

    @Test("V05 without its key a database is neither opened nor replaced, and the way back is told")
    func keyLost() throws {
        #expect(try bench.run("set", id, "notes=unsent").status == 0)
        let before = try files()
        let vault = try #require(FileManager.default.contents(atPath: home.vault))
        for path in [home.vault, home.vaultCopy] { #expect(unlink(path) == 0) }
        let code = EnrollmentCode(secret: Array(1...16), caCertificate: [1, 2, 3]).text
        for words in [["list"], ["sync"], ["enroll", "http://127.0.0.1:1", code]] {
            let outcome = try bench.bench.run(words)
            #expect(outcome.status == 6, "\(words)")
            #expect(outcome.messages.contains("without the vault.json"), "\(outcome.messages)")
            #expect(outcome.messages.contains("enrol"), "\(outcome.messages)")
            #expect(!outcome.messages.contains("PIN"), "\(outcome.messages)")
        }
        #expect(try files() == before)
        // The key comes back, and with it everything.
        try vault.write(to: URL(fileURLWithPath: home.vault))
        #expect(try bench.document("status").integer("pending") == 1)
    }
}

/// Forms come and go; what was begun with them stays.
@Suite("Forms that are closed or missing")
struct MissingFormTests {
    private let bench: StoreBench
    private let id = StoreBench.assigned.rawValue

    init() throws {
        bench = try StoreBench()
    }

    @Test("F27 a closed form begins nothing new, says so, and what was begun is finished with it")
    func closed() throws {
        try bench.withStore { try $0.setState("closed", ofForm: "cold_chain", version: "3") }
        let refused = try bench.run("new", "cold_chain")
        #expect(refused.status == 1)
        #expect(refused.messages.contains("is closed"), "\(refused.messages)")
        #expect(try bench.document("list").asArray().count == 1)
        #expect(try bench.run("set", id, "pressure=160").status == 0)
        #expect(try bench.run("complete", id).status == 0)
        #expect(try bench.document("show", id).string("state") == "complete")
    }

    @Test("F19 an inspection whose form is not here can be read, copied out and deleted by itself")
    func missing() throws {
        let strange = "1a5b0000-0000-4000-8000-000000000002"
        try bench.withStore { store in
            try bench.apply(
                [
                    bench.record(
                        "inspection", strange,
                        [
                            "@form": "from_the_future", "@formVersion": "9",
                            "@state": "inProgress", "reading": 160, "remark": "frost",
                        ], parent: StoreBench.asset.rawValue)
                ], in: store)
        }
        #expect(try bench.document("list").asArray().count == 2)
        let fields = try bench.document("show", strange).object("fields")
        #expect(try fields.object("reading").integer("value") == 160)
        #expect(try fields.object("remark").string("value") == "frost")
        let copied = try bench.document(
            "sql", "SELECT name, value FROM field WHERE record_id = '\(strange)'")
        #expect(try copied.asArray().contains { try $0.string("name") == "remark" })
        for words in [["set", strange, "remark=x"], ["complete", strange]] {
            let outcome = try bench.bench.run(words)
            #expect(outcome.status != 0, "\(words)")
            #expect(outcome.messages.contains("from_the_future"), "\(outcome.messages)")
        }
        #expect(try bench.document("status").integer("pending") == 0)
        #expect(try bench.document("delete", strange).bool("deleted"))
        #expect(try bench.document("list").asArray().count == 1)
        #expect(try bench.run("set", id, "notes=x").status == 0)
    }
}
