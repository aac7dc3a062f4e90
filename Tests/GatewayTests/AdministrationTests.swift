import Arguments
import Coding
import Forms
import HTTP
import Replication
import ServerStore
import TestSupport
import Testing

@testable import Gateway

#if canImport(Glibc)
    import Glibc
#endif

/// A data folder, and `walkdownd` called on it without a process of its own.
final class Office: Sendable {
    let parent: TemporaryFolder
    var folder: DataFolder { DataFolder(parent.file("data")) }

    init() throws {
        parent = try TemporaryFolder("office")
        let made = call("init", "--host", "127.0.0.1")
        guard made.status == 0 else { throw RawConnection.Failure(description: made.messages) }
    }

    func call(_ words: String...) -> ControlReply { call(words) }

    func call(_ words: [String]) -> ControlReply {
        Captured.run { Walkdownd.run(words + ["--data", folder.path], console: $0) }
    }

    func json(_ words: String...) throws -> JSON {
        let reply = call(words + ["--json"])
        guard reply.status == 0 else { throw RawConnection.Failure(description: reply.messages) }
        return try JSON.parse(Array(reply.output.utf8))
    }

    /// A server's control socket over this folder, with a store of its own.
    func serve<Result>(
        _ settings: ControlServer.Settings = ControlServer.Settings(),
        log: Log = Log(now: SystemTime.milliseconds) { _ in },
        _ body: (any Store) throws -> Result
    ) throws -> Result {
        let lock = try FolderLock(folder)
        defer { withExtendedLifetime(lock) {} }
        let store = try SQLiteStore.open(at: folder.database, .live)
        let authority = try Authority.der(in: folder)
        let session = Session(
            store: store, folder: folder, authority: { authority },
            now: SystemTime.milliseconds, read: { try SmallFile.readText($0) }, isServing: true)
        let control = try ControlServer(
            session: session, runtime: parent.path, log: log, settings: settings)
        defer { control.stop() }
        let result = try body(store)
        try store.close()
        return result
    }

    func file(_ name: String, _ text: String) throws -> String {
        try parent.write(text, to: name)
    }
}

@Suite("Administration commands", .timeLimit(.minutes(10)))
struct AdministrationTests {
    @Test("init makes a private folder and never overwrites")
    func initOnce() throws {
        let office = try Office()
        let before = try SmallFile.readText(office.folder.authority)
        let again = office.call("init")
        #expect(again.status == 1)
        #expect(again.messages.contains("nothing was changed"))
        #expect(try SmallFile.readText(office.folder.authority) == before)
        #expect(office.call("doctor").status == 0)
        #expect(try office.parent.names() == ["data"], "nothing is left beside it")
    }

    @Test("init refuses a folder that holds something else, and a host that is none")
    func initRefuses() throws {
        let parent = try TemporaryFolder("office")
        _ = try parent.write("precious", to: "notes.txt")
        let full = Captured.run { Walkdownd.run(["init", "--data", parent.path], console: $0) }
        #expect(full.status == 1)
        let words = ["init", "--data", parent.file("new"), "--host", "no host"]
        #expect(Captured.run { Walkdownd.run(words, console: $0) }.status == 3)
        let nameless = Captured.run {
            Walkdownd.run(["init", "--data", parent.file("new"), "--host", ""], console: $0)
        }
        #expect(nameless.status == 3)
        #expect(nameless.messages.contains("neither a host's name nor an address"))
        #expect(try parent.names() == ["notes.txt"])
    }

    @Test("the same commands do the same alone and beside a server", arguments: [false, true])
    func workOfADay(serving: Bool) throws {
        let office = try Office()
        if serving { try office.serve { _ in try day(at: office) } } else { try day(at: office) }
    }

    private func day(at office: Office) throws {
        #expect(office.call("team", "add", "North").status == 0)
        let sites = try office.file("sites.csv", "id,name,team\nS1,\"Dock, east\",North\n")
        let assets = try office.file("assets.csv", "tag,id,site\nRT-1,A1,S1\n")
        let due = try office.file("due.csv", "asset,form,due\nA1,cold,2026-03-31\n")
        let form = try office.file("cold.json", TestServer.form().json.text())
        #expect(office.call("form", "publish", form).output == "cold 1 published\n")
        #expect(
            office.call("import", "sites", sites).output == "1 created, 0 updated, 0 unchanged\n")
        #expect(office.call("import", "assets", assets).status == 0)
        #expect(office.call("import", "assignments", due).status == 0)
        #expect(office.call("import", "assignments", due).output.contains("1 unchanged"))
        let exported = try office.json("export", "--format", "json").asArray()
        #expect(exported.count == 1)
        #expect(try exported.first?.string("state") == "assigned")
        let lines = office.call("export").output.split(separator: "\n")
        #expect(lines.first == "id,form,formVersion,asset,state,version,notes,pressure")
        #expect(lines.last?.hasSuffix("cold,1,RT-1,assigned,1,,") == true)
        #expect(try office.json("status").integer("inspections") == 1)
        #expect(try office.json("review", "list").asArray() == [])
        #expect(try office.json("form", "list").asArray().first?.string("id") == "cold")
    }

    @Test("no exported cell that somebody typed begins like a formula, and numbers stay numbers")
    func formulas() throws {
        let office = try Office()
        try office.serve { store in
            let ground = Ground(tag: "=A1")
            try ground.lay(in: store)
            let device = try ground.enrol("h1", node: "n1", in: store)
            let values: [FieldName: FieldValue] = [
                "notes": .string("=HYPERLINK(\"x\")"), "pressure": .double(-5.5),
            ]
            let mutation = Mutation(
                id: "m1", sequence: 1, table: RecordTable.inspection,
                record: TestServer.inspection, parent: ImportedID.asset("A1"),
                operation: .update, lamport: 1,
                changes: values.mapValues {
                    FieldChange(value: $0, baseValue: .null, baseVersion: 1, lamport: 1)
                }, createdAtUtc: "2026-03-02T08:00:00.000Z", schemaVersion: 1)
            let batch = PushRequest(
                clientNodeId: "n1", clientEpoch: 1, baton: nil, pullPosition: nil,
                mutations: [mutation])
            #expect(try store.push(batch, from: device).results.map(\.status) == [.applied])
        }
        let line = office.call("export").output.split(separator: "\n").last
        #expect(
            line?.hasSuffix(#"cold,1,'=A1,assigned,2,"'=HYPERLINK(""x"")",-5.5"#) == true,
            "\(line ?? "")")
        let document = try office.json("export").asArray().first
        #expect(try document?.string("asset") == "=A1")
    }

    @Test("a device's code is alone on the first line; the device is listed and revoked")
    func devices() throws {
        let office = try Office()
        _ = office.call("team", "add", "North")
        let reply = office.call("device", "code", "--team", "North", "--valid", "2d")
        let code = try EnrollmentCode(parsing: String(reply.output.dropLast()))
        #expect(code.names(caCertificate: try Authority.der(in: office.folder)))
        try office.serve { store in
            let device = try store.enrol(
                Enrolment(
                    secretHash: code.secretHash, deviceName: "h1", node: "n1", publicKey: "",
                    tokenHash: [1]))
            let listed = try office.json("device", "list").asArray()
            #expect(try listed.first?.string("state") == "active")
            #expect(office.call("device", "revoke", device.id).status == 0)
            #expect(try store.device(id: device.id)?.state == .revoked)
        }
        #expect(office.call("device", "revoke", "nobody").status == 1)
    }

    /// Making one costs a password hash; none of the bad lines changes it.
    static let quietOffice = Result { try Office() }

    @Test(
        "bad command lines and values say what is wrong",
        arguments: [
            (["frobnicate"], 2), (["team"], 2), (["team", "add"], 2), (["team", "add", ""], 3),
            (["device", "code"], 2), (["device", "code", "--team", "Nobody"], 3),
            (["device", "code", "--team", "N", "--valid", "9m"], 2),
            (["device", "code", "--team", "N", "--valid", "8d"], 2),
            (["device", "code", "--team", "N", "--valid", "99999999999999999999d"], 2),
            (["form", "publish"], 2), (["form", "publish", "/no/such/file"], 1),
            (["import", "sites", "/no/such/file"], 1), (["review", "resolve", "x"], 2),
            (["review", "resolve", "x", "--mine", "--theirs"], 2),
            (["review", "resolve", "x", "--mine"], 1),
            (["review", "resolve", "x", "--value", "1"], 1),
            (["approve", "nobody"], 1), (["return", "nobody"], 2),
            (["return", "nobody", "--comment", "c"], 1), (["export", "--form", "nothing"], 1),
            (["export", "--format", "xml"], 2), (["export", "--format", "csv", "--json"], 2),
            (["serve", "--listen", "here"], 2),
            (["serve", "--insecure-loopback", "--listen", "0.0.0.0:0"], 2),
            (["prune", "now"], 2), (["backup"], 2), (["restore"], 2),
            (["restore", "/no/such/file"], 1),
        ])
    func badLines(words: [String], status: Int) throws {
        let reply = try Self.quietOffice.get().call(words)
        #expect(reply.status == Int32(status), "\(reply.messages)")
        #expect(reply.messages.hasPrefix("walkdownd: "))
        #expect(reply.output.isEmpty || words.contains("--json"))
    }

    @Test("what fails is one JSON document where one was asked for", arguments: [false, true])
    func failedDocument(serving: Bool) throws {
        let office = try Office()
        func check() throws {
            for (words, status) in [
                (["device", "code", "--team", "nope"], 3), (["approve", "nope"], 1),
                (["import", "sites", "/no/such"], 1), (["init"], 1),
                (["frobnicate"], 2), (["device", "code", "--tame", "x"], 2), (["approve"], 2),
                (["backup"], 2), (["serve", "--frob"], 2), (["restore", "/no/such"], 1),
            ] {
                let reply = office.call(words + ["--json"])
                #expect(reply.status == Int32(status))
                let error = try JSON.parse(Array(reply.output.utf8)).object("error")
                #expect(try error.integer("exitCode") == Int64(status))
                #expect(try reply.messages.contains(error.string("message")))
            }
        }
        if serving { try office.serve { _ in try check() } } else { try check() }
    }

    @Test("a folder whose database is gone is damaged, not empty")
    func lostDatabase() throws {
        let office = try Office()
        #expect(unlink(office.folder.database) == 0)
        let reply = office.call("status")
        #expect(reply.status == 6)
        #expect(!reply.messages.contains("init"))
    }

    @Test("an id that stands twice in a file is refused, with both lines")
    func repeatedID() throws {
        let office = try Office()
        _ = office.call("team", "add", "North")
        let file = try office.file("sites.csv", "id,name,team\nS1,Dock,North\nS1,Quay,North\n")
        let reply = office.call("import", "sites", file)
        #expect(reply.status == 3)
        #expect(reply.messages.contains("sites.csv:3: the id 'S1' stands in line 2 already"))
    }

    @Test(
        "a file that is refused names the line, and nothing of it is taken",
        arguments: [false, true])
    func badFiles(serving: Bool) throws {
        let office = try Office()
        _ = office.call("team", "add", "North")
        let bad = try office.file("sites.csv", "id,name,team\nS1,Dock,North\nS2,Hold,Nobody\n")
        let torn = try office.file("torn.csv", "id,name,team\nS1,\"Dock\n")
        func check() throws {
            let refused = office.call("import", "sites", bad)
            #expect(refused.status == 3)
            #expect(refused.messages.contains("Nobody"))
            let broken = office.call("import", "sites", torn)
            #expect(broken.status == 3)
            #expect(broken.messages.contains("torn.csv:2:2: a quote is never closed"))
        }
        if serving { try office.serve { _ in try check() } } else { try check() }
    }

    @Test("a folder without a server, and one that another process holds, are said so")
    func noServer() throws {
        let parent = try TemporaryFolder("office")
        let reply = Captured.run { Walkdownd.run(["status", "--data", parent.path], console: $0) }
        #expect(reply.status == 1)
        #expect(reply.messages.contains("walkdownd init"))
    }

    @Test("help and version need no folder", arguments: ["--help", "--version"])
    func help(word: String) {
        let reply = Captured.run { Walkdownd.run([word], console: $0) }
        #expect(reply.status == 0)
        #expect(reply.messages.isEmpty)
    }
}
