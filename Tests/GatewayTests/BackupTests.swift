import Coding
import Foundation
import Replication
import ServerStore
import TestSupport
import Testing

@testable import Gateway

@Suite("walkdownd backup and restore", .timeLimit(.minutes(10)))
struct BackupTests {
    private func file(_ office: Office, _ name: String = "backup.db") -> String {
        office.parent.file(name)
    }

    @Test(
        "a backup is made alone and beside a server, and never over a file",
        arguments: [false, true])
    func backUp(serving: Bool) throws {
        let office = try Office()
        _ = office.call("team", "add", "North")
        func check() throws {
            let made = try office.json("backup", file(office))
            #expect(try made.integer("bytes") == size(of: file(office)))
            #expect(try made.integer("serverEpoch") > 0)
            let again = office.call("backup", file(office))
            #expect(again.status == 1)
            #expect(again.messages.contains("nothing was written"))
        }
        if serving { try office.serve { _ in try check() } } else { try check() }
        #expect(try office.parent.names() == ["backup.db", "data"])
    }

    private func size(of path: String) throws -> Int64 {
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size]
        return (size as? NSNumber)?.int64Value ?? 0
    }

    @Test(
        "T86 a restore brings back what the backup has, begins an epoch and keeps what it replaces")
    func restore() throws {
        let office = try Office()
        _ = office.call("team", "add", "North")
        #expect(office.call("backup", file(office)).status == 0)
        _ = office.call("team", "add", "South")
        let before = try office.json("status").integer("serverEpoch")
        let restored = try office.json("restore", file(office))
        #expect(try restored.integer("serverEpoch") > before)
        #expect(office.call("team", "list").output == "North\n")
        let kept = try restored.string("replaced")
        #expect(kept == office.folder.database + ".before-restore")
        #expect(office.call("doctor").status == 0)
        // And back again: what was replaced is a whole database.
        let back = try office.json("restore", kept)
        #expect(try back.string("replaced") == office.folder.database + ".before-restore.2")
        #expect(office.call("team", "list").output == "North\nSouth\n")
        let status = try office.json("status")
        #expect(try status.integer("serverEpoch") == back.integer("serverEpoch"))
        #expect(try status.array("offeredAgain") { value throws(CodingError) in value } == [])
        #expect(try !status.string("epochBeganUtc").isEmpty)
    }

    @Test("a restore is refused while a server holds the folder")
    func held() throws {
        let office = try Office()
        #expect(office.call("backup", file(office)).status == 0)
        try office.serve { store in
            let epoch = try store.serverEpoch()
            let refused = office.call("restore", file(office))
            #expect(refused.status == 6)
            #expect(refused.messages.contains("pid"))
            #expect(try store.serverEpoch() == epoch)
        }
        #expect(try office.folder(contains: ".before-restore") == false)
    }

    @Test("a database that is gone or damaged is restored; what is left of it is kept")
    func lost() throws {
        let office = try Office()
        _ = office.call("team", "add", "North")
        #expect(office.call("backup", file(office)).status == 0)
        try FileManager.default.removeItem(atPath: office.folder.database)
        #expect(office.call("restore", file(office)).status == 0)
        #expect(office.call("team", "list").output == "North\n")
        try Data(repeating: 7, count: 8192)
            .write(to: URL(fileURLWithPath: office.folder.database))
        let damaged = office.call("restore", file(office))
        #expect(damaged.status == 0, "\(damaged.messages)")
        #expect(damaged.messages.contains("cannot be read"))
        #expect(try office.folder(contains: "server.db.before-restore"))
        #expect(office.call("team", "list").output == "North\n")
    }

    @Test("a restore lets no revoked device in again, and says what is to be done again")
    func revoked() throws {
        let office = try Office()
        _ = office.call("team", "add", "North")
        try office.serve { store in
            _ = try store.issueCode(
                team: "North", deviceName: nil, secretHash: [1], validFor: 600_000)
            let device = try store.enrol(
                Enrolment(
                    secretHash: [1], deviceName: "h1", node: "n1", publicKey: "", tokenHash: [1]))
            #expect(office.call("backup", file(office)).status == 0)
            #expect(office.call("device", "revoke", device.id).status == 0)
        }
        let restored = office.call("restore", file(office))
        #expect(restored.status == 0)
        #expect(restored.messages.contains("approvals, returns and review decisions"))
        #expect(!restored.messages.contains("let in again"))
        let listed = try office.json("device", "list").asArray()
        #expect(try listed.first?.string("state") == "revoked")
        // Without the database that was replaced nobody knows.
        try FileManager.default.removeItem(atPath: office.folder.database)
        #expect(office.call("restore", file(office)).messages.contains("let in again"))
    }

    @Test("T86 a restore tells which devices it has taken over, and what to do where it cannot")
    func laterDevices() throws {
        let office = try Office()
        _ = office.call("team", "add", "North")
        #expect(office.call("backup", file(office)).status == 0)
        try office.serve { store in
            _ = try store.issueCode(
                team: "North", deviceName: nil, secretHash: [1], validFor: 600_000)
            _ = try store.enrol(
                Enrolment(
                    secretHash: [1], deviceName: "h1", node: "n1", publicKey: "", tokenHash: [1]))
        }
        let restored = try office.json("restore", file(office))
        #expect(
            try restored.array("devicesTakenOver") { value throws(CodingError) in
                try value.asString()
            } == ["h1"])
        #expect(try office.json("device", "list").asArray().first?.string("name") == "h1")
        try FileManager.default.removeItem(atPath: office.folder.database)
        let blind = office.call("restore", file(office))
        #expect(blind.messages.contains("walkdown enroll --again"))
        #expect(try office.json("device", "list").asArray().isEmpty)
    }

    @Test("what is no backup is refused, and nothing is changed")
    func noBackup() throws {
        let office = try Office()
        _ = office.call("team", "add", "North")
        #expect(office.call("restore", file(office)).status == 1)
        let text = try office.file("notes.txt", String(repeating: "no database ", count: 100))
        let refused = office.call("restore", text)
        #expect(refused.status == 3)
        #expect(refused.messages.contains("notes.txt is no database of walkdownd"))
        let nowhere = office.call("backup", office.parent.file("nowhere/x.db"))
        #expect(nowhere.status == 1)
        #expect(nowhere.messages.contains("cannot write"))
        #expect(office.call("backup", file(office)).status == 0)
        // As another program's copy is: its header says that it has no log (sqlite.org/fileformat2.html).
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file(office))))
        (bytes[18], bytes[19]) = (1, 1)
        let copy = office.parent.file("copy.db")
        try Data(bytes).write(to: URL(fileURLWithPath: copy))
        let foreign = office.call("restore", copy)
        #expect(foreign.status == 3)
        #expect(foreign.messages.contains("copy.db is no backup of walkdownd"))
        _ = try office.file("backup.db-wal", "in use")
        #expect(office.call("restore", file(office)).status == 3)
        #expect(office.call("team", "list").output == "North\n")
        #expect(try office.folder(contains: "restor") == false)
        let elsewhere = Captured.run {
            Walkdownd.run(["restore", text, "--data", office.parent.file("none")], console: $0)
        }
        #expect(elsewhere.status == 1)
    }
}

extension Office {
    fileprivate func folder(contains part: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .contains { $0.contains(part) }
    }
}
