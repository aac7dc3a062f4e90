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

    @Test("T86 a change of a record that the restored server lacks goes behind it in one sync")
    func changeBehindRecord() throws {
        let world = try World()
        let device = try world.enrol("field")
        try device.run("sync")
        let backup = world.folder.file("backup.db")
        try world.administer("backup", backup)
        let id = try device.run("new", "cold_chain_equipment", "--asset", "FRZ-2")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try device.run("set", id, "temperature_c=-18")
        try device.run("sync")
        world.killServer()
        try world.administer("restore", backup)
        try world.startServerAgain()
        try device.run("set", id, "notes=seal is torn")
        try device.run("sync")
        #expect(try device.status()["nothingUnsynced"] == true)
        let newcomer = try world.enrol("newcomer")
        try newcomer.run("sync")
        #expect(try newcomer.run("show", id).contains("seal is torn"))
    }

    @Test(
        "T86 a row that was made and deleted after the backup stays deleted, whoever comes first",
        arguments: [true, false])
    func deletedRow(deleterFirst: Bool) throws {
        let world = try World()
        let form = Binaries.checkout() + "/Resources/forms/refrigerant_leak_log.xml"
        try world.administer("form", "publish", form)
        let (maker, deleter) = (try world.enrol("maker"), try world.enrol("deleter"))
        let made = try JSON.parse(
            Array(try maker.run("new", "refrigerant_leak_log", "--json").utf8))
        let id = try made.string("id")
        try maker.run("set", id, "system/full_charge_kg=100")
        try maker.run("set", id, "event[+]/reason=service", "event[+]/added_kg=5")
        for device in [maker, deleter] { try device.run("sync") }
        let backup = world.folder.file("backup.db")
        try world.administer("backup", backup)
        try maker.run("set", id, "event[+]/reason=service", "event[+]/added_kg=7")
        for device in [maker, deleter] { try device.run("sync") }
        try deleter.run("set", id, "event[2]=", "--yes")
        try deleter.run("sync")
        world.killServer()
        try world.administer("restore", backup)
        try world.startServerAgain()
        for device in deleterFirst ? [deleter, maker, deleter] : [maker, deleter, maker] {
            try device.run("sync")
        }
        for device in [maker, deleter] {
            #expect(try device.status()["nothingUnsynced"] == true)
            let shown = try JSON.parse(Array(device.run("show", id, "--json").utf8))
            let rows = try shown.required("repeats").required("event").asArray()
            #expect(rows.count == 1)
        }
        #expect(try world.administer("review", "list", "--json").contains("[]"))
    }

    /// A world whose backup is older than the enrolment of the device, on which work waits.
    private func lateDevice() throws -> (World, Device, backup: String) {
        let world = try World()
        let backup = world.folder.file("backup.db")
        try world.administer("backup", backup)
        let device = try world.enrol("late")
        try device.run("set", try device.inspection(of: "FRZ-1"), "notes=acknowledged")
        try device.run("sync")
        try device.run("set", try device.inspection(of: "FRZ-2"), "notes=waits")
        world.killServer()
        return (world, device, backup)
    }

    private func expectEverything(of device: Device, in world: World) throws {
        let status = try device.status()
        #expect(status["pending"] == 0 && status["nothingUnsynced"] == true)
        let newcomer = try world.enrol("newcomer")
        #expect(try newcomer.answer("notes", of: "FRZ-1") == "acknowledged")
        #expect(try newcomer.answer("notes", of: "FRZ-2") == "waits")
    }

    @Test("T86 a device that enrolled after the backup goes on where the old database is at hand")
    func takenOver() throws {
        let (world, device, backup) = try lateDevice()
        try world.administer("restore", backup)
        try world.startServerAgain()
        try device.run("sync")
        try expectEverything(of: device, in: world)
    }

    @Test("T86 where it is not, the device enrols again in its home, and nothing of it is lost")
    func enrolledAgain() throws {
        let (world, device, backup) = try lateDevice()
        for suffix in ["", "-wal", "-shm"] {
            let file = world.folder.file("server/server.db" + suffix)
            if FileManager.default.fileExists(atPath: file) {
                try FileManager.default.removeItem(atPath: file)
            }
        }
        try world.administer("restore", backup)
        try world.startServerAgain()
        try device.run("sync", expecting: 4)
        #expect(try device.status()["pending"] != 0)
        // A code of another team changes nothing: what waits here would be refused there.
        try world.administer("team", "add", "others")
        let before = try device.status()
        try world.enrol(device, again: "enroll", "--again", team: "others", expecting: 1)
        #expect(try device.status() == before)
        try world.enrol(device, again: "enroll", "--again")
        try expectEverything(of: device, in: world)
        // The server knows it now: a second time changes nothing.
        try world.enrol(device, again: "enroll", "--again", expecting: 1)
        try device.run("sync")
        #expect(try world.administer("device", "list").contains("late"))
    }
}
