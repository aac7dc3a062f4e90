import Coding
import Foundation
import TestSupport
import Testing

/// Ten days without a network: the built programs, a file, and the synchronisation afterwards.
@Suite("F12 By cable", .serialized)
struct BundleTests {
    private let folder: TemporaryFolder
    private let server: ServerProcess
    private let first: Handheld
    private let second: Handheld
    private var stick: String { folder.file("stick.bundle") }

    init() throws {
        folder = try TemporaryFolder("cable")
        server = try ServerProcess(folder)
        first = Handheld(name: "first", folder: folder)
        second = Handheld(name: "second", folder: folder)
        try first.enrol(at: server)
        try second.enrol(at: server)
    }

    private func run(_ words: String...) throws {
        let run = try ProgramRun.run(
            "walkdown", words + ["--pin-file", "-"], input: Handheld.pin + "\n",
            environment: ["WALKDOWN_HOME": first.home], folder: folder)
        #expect(run.status == 0, "\(words): \(run.messages)")
    }

    private func count(_ key: String, on device: Handheld) throws -> Int64 {
        try #require(device.run("status", "--json").json).integer(key)
    }

    private func imported(_ key: String, expecting status: Int32 = 0) throws -> Int64 {
        let run = try ProgramRun.run(
            "walkdownd", ["import", "bundle", stick, "--json", "--data", folder.file("server")],
            folder: folder)
        #expect(run.status == status, "\(run.messages)")
        return try #require(run.json).integer(key)
    }

    private func version(of id: String) throws -> Int64 {
        let rows = try #require(server.administer("export", "--format", "json").json).asArray()
        return try #require(rows.first { try $0.string("id") == id }).integer("version")
    }

    @Test("the work goes by cable, later over the network, and stands once")
    func tenDays() throws {
        let list = try #require(first.run("list", "--json").json).asArray()
        let id = try #require(list.first).string("id")
        server.stop()
        try run("set", id, "notes=by cable", "temperature_c=4")
        try run("new", "cold_chain_equipment", "--asset", "F-17")
        try run("bundle", stick)
        #expect(try count("pending", on: first) == 2)
        // Once more after the file was made.
        try run("set", id, "notes=by network")
        // The office has the server down, then up: both ways of the import.
        #expect(try imported("applied") == 2)
        let version = try version(of: id)
        try server.start()
        #expect(try imported("duplicate") == 2)
        #expect(try self.version(of: id) == version)
        let sync = try first.run("sync", "--json")
        #expect(sync.status == 0, "\(sync.messages)")
        let state = try #require(first.run("status", "--json").json)
        #expect(try state.bool("nothingUnsynced") && state.string("digest") == "equal")
        #expect(try self.version(of: id) == version + 1)
        // Another one, after everything was settled.
        #expect(try imported("duplicate") == 2)
        #expect(try second.run("sync").status == 0)
        let shown = try #require(second.run("show", id, "--json").json).object("fields")
        #expect(try shown.object("notes").string("value") == "by network")
        #expect(try second.run("list", "--json").json?.asArray().count == 2)
        #expect(try first.run("sync", "--json").json?.integer("pushed") == 0)
    }

    @Test("a conflict and a review that the import met are the device's with its next sync")
    func judged() throws {
        let list = try #require(first.run("list", "--json").json).asArray()
        let id = try #require(list.first).string("id")
        #expect(try second.run("set", id, "notes=two", "valve_pressure_psi=150").status == 0)
        try run("set", id, "notes=one", "valve_pressure_psi=170")
        try run("bundle", stick)
        #expect(try second.run("sync").status == 0)
        #expect(try imported("conflict", expecting: 5) == 1)
        #expect(try count("pending", on: first) == 1, "nobody has told the device yet")
        #expect(try first.run("sync").status == 5)
        #expect(try count("conflict", on: first) == 1)
        #expect(try count("inReview", on: first) == 1)
        let devices = try #require(server.administer("device", "list", "--json").json).asArray()
        let row = try #require(try devices.first { try $0.string("name") == "first" })
        #expect(try row.integer("conflict") == 1 && row.integer("inReview") == 1, "F18")
        #expect(try row.integer("failed") == 0 && row.string("reportedUtc").hasSuffix("Z"))
        let reviews = try #require(server.administer("review", "list", "--json").json).asArray()
        #expect(reviews.count == 1)
        try run("resolve", id, "--mine")
        #expect(try first.run("sync").status == 5)
        #expect(try count("conflict", on: first) == 0)
    }
}
