import Coding
import Foundation
import Glibc
import LocalStore
import Replication
import TestSupport
import Testing
import Vault

@Suite("doctor and a damaged database")
struct RepairTests {
    private let bench: StoreBench

    init() throws {
        bench = try StoreBench()
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "pressure=160").status == 0)
        #expect(try bench.run("new", "cold_chain").status == 0)
    }

    private var database: String { bench.bench.home.database }

    private func overwriteStart() throws {
        let file = try #require(FileHandle(forUpdatingAtPath: database))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 8192))
        try file.close()
    }

    /// What is wrong; the process of a test is not hardened, which is of no interest here.
    private func troubles(_ words: String...) throws -> [String] {
        let outcome = try bench.bench.run(["doctor", "--json"] + words)
        let findings = try #require(outcome.json).elements("findings")
        return try findings.filter { try !$0.bool("ok") }.map { try $0.string("name") }
            .filter { $0 != "memory" }
    }

    private func queue() throws -> [String] {
        try bench.document("outbox").asArray().map { row in
            try row.string("mutationId") + " " + row.string("operation") + " "
                + row.strings("columns").joined(separator: " ")
        }
    }

    @Test("F01 a sound home has its changes a second time, and nothing to repair")
    func sound() throws {
        let outcome = try bench.run("doctor")
        #expect(try troubles() == [])
        #expect(outcome.output.contains("ok     journal: 2 waiting changes stand in it"))
        let repair = try bench.run("doctor", "--repair")
        #expect(repair.output.contains("ok     repair: there was nothing to repair"))
    }

    @Test(
        "F01 F03 a damaged database is named, set aside, and made anew with everything that waits")
    func damaged() throws {
        let before = try queue()
        try overwriteStart()
        let finding = try bench.run("doctor")
        #expect(finding.status == 6)
        #expect(finding.output.contains("wrong  database: the database cannot be used"))
        #expect(finding.output.contains("walkdown doctor --repair"))
        #expect(try bench.run("status").status == 6)
        let repair = try bench.run("doctor", "--repair")
        #expect(repair.output.contains("made anew with 2 waiting changes"))
        #expect(repair.output.contains(database + ".damaged-1"))
        #expect(access(database + ".damaged-1", F_OK) == 0)
        #expect(try queue() == before)
        #expect(try bench.document("status").integer("pending") == 2)
        #expect(try bench.document("status").string("deviceId") == CommandBench.deviceId)
        #expect(try troubles() == [])
    }

    @Test("a database that is missing is made anew in the same way")
    func missing() throws {
        let before = try queue()
        #expect(unlink(database) == 0)
        #expect(try bench.run("doctor").status == 6)
        #expect(try troubles() == ["database"])
        #expect(try troubles("--repair") == [])
        #expect(try queue() == before)
    }

    @Test("without a journal there is nothing to make it from, and nothing is touched")
    func noJournal() throws {
        try FileManager.default.removeItem(atPath: bench.bench.home.journal)
        try overwriteStart()
        let told = try bench.run("doctor")
        #expect(told.status == 6)
        #expect(!told.output.contains("doctor --repair"), "it would fail")
        #expect(told.output.contains("What was entered and not sent is lost then"))
        #expect(told.output.contains("wrong  journal: it does not say who this device is"))
        let repair = try bench.run("doctor", "--repair")
        #expect(repair.status == 6)
        #expect(repair.output.contains("its second copy does not say who this device is"))
        #expect(access(database, F_OK) == 0)
    }

    /// Tries it on a server that cannot be reached: nothing on this device is in the way.
    private func expectLeavable(_ advice: String, _ home: String) throws {
        #expect(advice.contains("'mv \(home) \(home).old'"), "\(advice)")
        let code = EnrollmentCode(secret: Array(1...16), caCertificate: [1, 2, 3]).text
        #expect(try bench.run("enroll", "http://127.0.0.1:1", code).status != 4)
        #expect(rename(home, home + ".old") == 0)
        #expect(try bench.run("enroll", "http://127.0.0.1:1", code).status == 4)
    }

    @Test("F01 where database and journal are gone the advice can be followed")
    func bothGone() throws {
        try FileManager.default.removeItem(atPath: bench.bench.home.journal)
        #expect(unlink(database) == 0)
        let told = try bench.run("doctor")
        #expect(!told.output.contains("doctor --repair"))
        try expectLeavable(told.output, bench.bench.home.directory)
    }

    enum LostKey: CaseIterable {
        case gone, damaged, goneWithTheDatabase
    }

    @Test(
        "V05 where both key slots are gone or damaged the advice can be followed",
        arguments: LostKey.allCases)
    func keyGone(how: LostKey) throws {
        let home = bench.bench.home
        for path in [home.vault, home.vaultCopy] {
            #expect((how == .damaged ? truncate(path, 40) : unlink(path)) == 0)
        }
        if how == .goneWithTheDatabase { #expect(unlink(database) == 0) }
        let told = try bench.run("doctor")
        #expect(told.status == 6)
        #expect(!told.output.contains("is not enrolled"), "\(told.output)")
        #expect(told.output.contains("Put vault.json or vault.copy.json back"))
        #expect(try bench.run("list").status == 6)
        try expectLeavable(told.output, home.directory)
    }

    @Test("F01 what of the journal cannot be read is wrong, and what helps depends on the database")
    func damagedJournal() throws {
        let path = bench.bench.home.journal + "/00000001.journal"
        let bytes = try #require(FileManager.default.contents(atPath: path))
        let last = try #require(bytes.lastIndex { $0 != 0 })
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(last - 500))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 490))
        try file.close()
        #expect(try troubles() == ["journal"])
        #expect(try bench.run("doctor").output.contains("makes it anew from the database"))
        try overwriteStart()
        #expect(try troubles() == ["database", "journal"])
        let finding = try bench.run("doctor")
        #expect(!finding.output.contains("makes it anew from the database"))
        #expect(finding.output.contains("makes a new one from what can be read"))
        let repair = try bench.run("doctor", "--repair")
        #expect(repair.output.contains("of the journal could not be read"))
        #expect(repair.output.contains("1 damaged file is beside it"))
        #expect(try troubles() == ["missing"])
        #expect(try troubles("--acknowledge") == [])
    }

    @Test("M18 status and doctor tell that an older database lacks what its journal has")
    func behindJournal() throws {
        let early = try #require(FileManager.default.contents(atPath: database))
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "seals=GOOD").status == 0)
        #expect(try bench.document("status").integer("behindJournal") == 0)
        try early.write(to: URL(fileURLWithPath: database))
        let status = try bench.document("status")
        #expect(try status.integer("behindJournal") == 1)
        #expect(try status.bool("nothingUnsynced") == false)
        #expect(
            try bench.run("status").output.contains("1 change stands in the journal and not yet"))
        #expect(try troubles() == ["database"])
        #expect(try bench.run("doctor").output.contains("lacks 1 change that its journal has"))
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=x").status == 0)
        #expect(try bench.document("status").integer("behindJournal") == 0)
        #expect(try troubles() == [])
        #expect(try queue().contains { $0.contains("seals") })
    }

    @Test(
        "F01 what an older database and its damaged journal lack is told until it is acknowledged")
    func missingChange() throws {
        let early = try #require(FileManager.default.contents(atPath: database))
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "seals=GOOD").status == 0)
        try spoilLastChange()
        try early.write(to: URL(fileURLWithPath: database))
        for _ in 0..<2 {
            let status = try bench.document("status")
            #expect(try status.integer("missing") == 1)
            #expect(try status.string("state") == "attention")
            #expect(try status.bool("nothingUnsynced") == false)
            let words = try bench.run("status").output
            #expect(words.contains("at least 1 change is missing that was saved here"))
            #expect(words.contains("'walkdown doctor --acknowledge' puts this word away"))
            let finding = try bench.run("doctor")
            #expect(finding.status == 1)
            #expect(finding.output.contains("wrong  missing: at least 1 change is missing"))
            #expect(!finding.output.contains("The database is damaged as well"))
            // Nor does the next command that writes put it away.
            #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=x").status == 0)
        }
        #expect(try bench.run("doctor", "--acknowledge").status == 0)
        #expect(try troubles() == [])
        #expect(try bench.document("status").integer("missing") == 0)
        let again = try bench.run("doctor", "--acknowledge")
        #expect(again.output.contains("nothing is missing that is known of"))
    }

    @Test("F01 that the journal was gone is told until it is acknowledged")
    func journalGone() throws {
        try FileManager.default.removeItem(atPath: bench.bench.home.journal)
        #expect(try bench.run("status").output.contains("the journal is gone"))
        #expect(try bench.document("status").string("state") == "attention")
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=x").status == 0)
        let status = try bench.document("status")
        #expect(try status.bool("journalGone") && status.string("state") == "attention")
        #expect(try bench.run("status").output.contains("the journal was gone once"))
        #expect(try troubles() == ["missing"])
        #expect(try troubles("--acknowledge") == [])
        #expect(try bench.document("status").bool("journalGone") == false)
    }

    /// The last entry of the journal says that the one before it counts; that one is damaged.
    private func spoilLastChange() throws {
        let path = bench.bench.home.journal + "/00000001.journal"
        var bytes = [UInt8](try #require(FileManager.default.contents(atPath: path)))
        let magic = Array("WDJ1".utf8)
        let starts = bytes.indices.filter { bytes[$0...].starts(with: magic) }
        try #require(starts.count > 2)
        bytes[starts[starts.count - 2] + 60] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    @Test("another process that holds the home is not repaired away from under it")
    func held() throws {
        try bench.withStore { _ in
            let repair = try bench.run("doctor", "--repair")
            #expect(repair.status == 6)
            #expect(repair.output.contains("process \(getpid())"))
        }
    }

    @Test(
        "a change that was not yet saved is offered once, to be taken or left",
        arguments: [("take", Int64(170)), ("leave", 160)])
    func lastChange(word: String, pressure: Int64) throws {
        try makeOffer()
        let finding = try bench.run("doctor")
        #expect(try troubles() == [])
        #expect(finding.output.contains("\(StoreBench.assigned): pressure"))
        #expect(finding.output.contains("--last-change show"))
        #expect(!finding.output.contains("170"))
        let status = try bench.document("status")
        #expect(try status.integer("offered") == 1)
        #expect(try !status.bool("nothingUnsynced"))
        #expect(try status.strings("notices").contains { $0.contains("in the journal alone") })
        let shown = try bench.run("doctor", "--repair", "--last-change", "show")
        #expect(shown.output.contains("pressure: offered 170, shown 160"))
        #expect(try troubles("--repair", "--last-change", word) == [])
        #expect(try !bench.run("doctor").output.contains("--last-change"))
        #expect(try bench.document("status").integer("offered") == 0)
        let fields = try bench.document("show", StoreBench.assigned.rawValue).object("fields")
        #expect(try fields.object("pressure").integer("value") == pressure)
    }

    /// The database of a moment before the last commit, beside the journal of the moment after its
    /// entry.
    private func makeOffer() throws {
        let manager = FileManager.default
        let home = bench.bench.home
        let early = bench.bench.folder.file("early.db")
        let late = bench.bench.folder.file("late")
        try manager.copyItem(atPath: database, toPath: early)
        try bench.withStore { store in
            try store.set([("pressure", .integer(170))], on: StoreBench.assigned)
            try manager.copyItem(atPath: home.journal, toPath: late)
        }
        try manager.removeItem(atPath: database)
        try manager.removeItem(atPath: home.journal)
        try manager.copyItem(atPath: early, toPath: database)
        try manager.copyItem(atPath: late, toPath: home.journal)
        // The next command that writes finds it.
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=x").status == 0)
    }

    @Test("--last-change goes with --repair, and knows two words")
    func usage() throws {
        #expect(try bench.run("doctor", "--last-change", "take").status == 2)
        #expect(try bench.run("doctor", "--repair", "--last-change", "maybe").status == 2)
    }
}
