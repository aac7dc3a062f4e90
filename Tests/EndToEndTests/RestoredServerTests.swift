import Coding
import Foundation
import TestSupport
import Testing

/// The server's disk dies, and its newest backup is older than the last day's work.
@Suite("A server restored from a backup", .serialized)
struct RestoredServerTests {
    @Test("T86 what its author's handheld can never bring again comes back from a colleague's")
    func colleague() throws {
        let world = try World()
        let (author, colleague) = (try world.enrol("author"), try world.enrol("colleague"))
        for device in [author, colleague] { try device.run("sync") }
        let backup = world.folder.file("backup.db")
        try world.administer("backup", backup)
        try author.run("set", try author.inspection(of: "FRZ-1"), "notes=seal is torn")
        let id = try author.run("new", "cold_chain_equipment", "--asset", "FRZ-2")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try author.run("set", id, "temperature_c=-18", "door_seals=fail")
        try author.run("sync")
        try colleague.run("sync")
        world.killServer()
        try world.administer("restore", backup)
        try world.startServerAgain()
        // It fell into the harbour.
        try FileManager.default.removeItem(atPath: author.home)

        try colleague.run("sync")
        let status = try colleague.status()
        #expect(status["keptFromBefore"] == 0 && status["nothingUnsynced"] == true)
        let newcomer = try world.enrol("newcomer")
        try newcomer.run("sync")
        #expect(try newcomer.answer("notes", of: "FRZ-1") == "seal is torn")
        let shown = try JSON.parse(Array(newcomer.run("show", id, "--json").utf8))
        let fields = try shown.object("fields").asObject()
        #expect(try fields["temperature_c"]?.asObject()["value"] == -18)
        #expect(try fields["door_seals"]?.asObject()["value"] == "fail")
        #expect(try world.administer("status").contains("from before the restore:"))
    }
}
