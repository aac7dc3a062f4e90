import Coding
import Foundation
import TestSupport
import Testing

/// An inspection travels: from one handheld, offline, to the server and to a second one.
@Suite("Two handhelds and a server", .serialized)
struct JourneyTests {
    private let folder: TemporaryFolder
    private let server: ServerProcess
    private let first: Handheld
    private let second: Handheld

    init() throws {
        folder = try TemporaryFolder("journey")
        server = try ServerProcess(folder)
        first = Handheld(name: "first", folder: folder)
        second = Handheld(name: "second", folder: folder)
        try first.enrol(at: server)
    }

    private func count(_ key: String, on device: Handheld) throws -> Int64 {
        try #require(device.run("status", "--json").json).integer(key)
    }

    private func assignedID() throws -> String {
        let list = try #require(first.run("list", "--json").json).asArray()
        return try #require(list.first).string("id")
    }

    @Test("an answer waits, goes out, and arrives; nothing of it or the PIN stands in clear")
    func journey() throws {
        try second.enrol(at: server)
        let id = try assignedID()
        #expect(try first.run("set", id, "notes=zebra needle").status == 0)
        #expect(try count("pending", on: first) == 1)
        #expect(try first.run("sync").status == 0)
        #expect(try count("pending", on: first) == 0)
        #expect(try second.run("sync").status == 0)
        let shown = try #require(second.run("show", id, "--json").json)
        #expect(try shown.object("fields").object("notes").string("value") == "zebra needle")
        #expect(try shown.string("state") == "inProgress")
        try expectNothingInClear(["zebra", Handheld.pin])
        let read = try first.run("sql", "SELECT notes FROM cold_chain_equipment")
        #expect(read.output == "zebra needle\n")
    }

    private func expectNothingInClear(_ needles: [String]) throws {
        for device in [first, second] {
            for name in try FileManager.default.subpathsOfDirectory(atPath: device.home)
            where name != "journal" {
                let path = device.home + "/" + name
                let content = try Data(contentsOf: URL(fileURLWithPath: path))
                for needle in needles {
                    #expect(content.range(of: Data(needle.utf8)) == nil, "\(needle) in \(path)")
                }
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                #expect((mode as? NSNumber)?.intValue == 0o600, "\(path)")
            }
            let header = try Data(contentsOf: URL(fileURLWithPath: device.home + "/walkdown.db"))
            #expect(!header.starts(with: Data("SQLite format 3".utf8)))
        }
    }

    @Test("the same question on two devices is a conflict that one of them settles")
    func conflict() throws {
        try second.enrol(at: server)
        let id = try assignedID()
        #expect(try first.run("set", id, "notes=one").status == 0)
        #expect(try second.run("set", id, "notes=two").status == 0)
        #expect(try first.run("sync").status == 0)
        let met = try second.run("sync", "--json")
        #expect(met.status == 5)
        #expect(try met.json?.integer("conflicts") == 1)
        #expect(try met.json?.bool("complete") == true)
        #expect(try second.run("resolve", id, "--mine").status == 0)
        #expect(try second.run("sync").status == 0)
        #expect(try first.run("sync").status == 0)
        let shown = try #require(first.run("show", id, "--json").json)
        #expect(try shown.object("fields").object("notes").string("value") == "two")
    }

    @Test("a reading in review beside a conflict is settled by the office, the conflict here")
    func review() throws {
        try second.enrol(at: server)
        let id = try assignedID()
        #expect(try first.run("set", id, "notes=one", "valve_pressure_psi=150").status == 0)
        #expect(try second.run("set", id, "notes=two", "valve_pressure_psi=170").status == 0)
        #expect(try first.run("sync").status == 0)
        #expect(try second.run("sync").status == 5)
        #expect(try count("inReview", on: second) == 1)
        #expect(try second.run("resolve", id, "--theirs").status == 0)
        let list = try #require(server.administer("review", "list", "--json").json).asArray()
        let review = try #require(list.first).string("id")
        try server.administer("review", "resolve", review, "--mine")
        #expect(try second.run("sync").status == 0)
        let shown = try #require(second.run("show", id, "--json").json).object("fields")
        #expect(try shown.object("valve_pressure_psi").integer("value") == 170)
        #expect(try shown.object("notes").string("value") == "one")
        #expect(try count("inReview", on: second) + count("conflict", on: second) == 0)
    }

    @Test("with the server away sync exits 4 and keeps everything; it goes out later")
    func serverAway() throws {
        let id = try assignedID()
        server.stop()
        #expect(try first.run("set", id, "notes=kept").status == 0)
        let away = try first.run("sync", "--json")
        #expect(away.status == 4)
        #expect(try away.json?.bool("complete") == false)
        #expect(try count("pending", on: first) == 1)
        #expect(try first.run("status", "--json").json?.string("state") == "offline")
        try server.start()
        #expect(try first.run("sync").status == 0)
        #expect(try count("pending", on: first) == 0)
    }

    @Test("enrolling twice and using a code twice change nothing")
    func enrolledTwice() throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: first.home).sorted()
        #expect(try first.run("enroll", server.address, server.code()).status == 1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: first.home).sorted() == before)
        let code = try server.code()
        let third = Handheld(name: "third", folder: folder)
        #expect(try third.run("enroll", server.address, code).status == 0)
        let fourth = Handheld(name: "fourth", folder: folder)
        let used = try fourth.run("enroll", server.address, code)
        #expect(used.status == 1)
        #expect(used.messages.contains("used"))
        #expect(try fourth.run("list").status == 6)
    }

    @Test(
        "enroll says the name that the server has: the code's, else the one given here",
        arguments: ["north 7", nil])
    func named(byCode name: String?) throws {
        let code = try server.code(name: name)
        let stored = name ?? "mine"
        let run = try second.run("enroll", server.address, code, "--name", "mine")
        #expect(run.status == 0 && run.output.contains("enrolled as \(stored) in team field"))
        let devices = try #require(server.administer("device", "list", "--json").json).asArray()
        #expect(try devices.map { try $0.string("name") }.contains(stored))
    }

    @Test("a code of another server is refused before it is sent")
    func wrongServer() throws {
        let otherFolder = try TemporaryFolder("journey-other")
        let other = try ServerProcess(otherFolder)
        let device = Handheld(name: "third", folder: folder)
        let code = try server.code()
        let refused = try device.run("enroll", other.address, code)
        #expect(refused.status == 1)
        #expect(refused.messages.contains("not the server"))
        #expect(try device.run("enroll", server.address, code).status == 0)
    }

    @Test("a wrong PIN exits 6, and the next try has to wait over a restart of the program")
    func wrongPIN() throws {
        let wrong = try first.run("list", pin: "000000")
        #expect(wrong.status == 6)
        #expect(wrong.messages.contains("PIN is wrong"))
        let again = try first.run("list", pin: "000000")
        #expect(again.status == 6)
        // The second try comes after the program's own start, which may outlast the first second.
        #expect(again.messages.contains("second"))
    }
}
