import Coding
import Foundation
import TestSupport
import Testing

/// A handheld whose database a failing card has damaged, beside the server that it belongs to.
@Suite("A damaged database, by the documented commands", .serialized)
struct RepairTests {
    private let world: World
    private let device: Device
    private let answers = [
        ("FRZ-1", "valve_pressure_psi=41.5"), ("FRZ-2", "door_seals=fail"), ("CHL-3", "notes=rust"),
    ]

    init() throws {
        world = try World()
        device = try world.enrol("device")
        for (asset, answer) in answers {
            try device.run("set", try device.inspection(of: asset), answer)
        }
    }

    private var database: String { device.home + "/walkdown.db" }

    private func exported() throws -> [String: JSON] {
        let text = try world.administer("export", "--format", "json")
        var fields: [String: JSON] = [:]
        for inspection in try JSON.parse(Array(text.utf8)).asArray() {
            fields[try inspection.string("asset")] = try inspection.object("fields")
        }
        return fields
    }

    @Test("F01 F03 the repaired device is the same one, sends what waited, and has the rest again")
    func repaired() throws {
        let before = try device.run("info", "--json")
        let file = try #require(FileHandle(forUpdatingAtPath: database))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 64 << 10))
        try file.close()
        let finding = try device.run("doctor", expecting: 6)
        #expect(finding.contains("wrong  database"))
        let repair = try device.run("doctor", "--repair")
        #expect(repair.contains("3 waiting changes"), "\(repair)")
        #expect(try device.run("info", "--json") == before)
        #expect(try device.status()["pending"] == 3)
        try device.run("sync")
        try device.run("sync")
        #expect(try device.status()["pending"] == 0)
        #expect(try device.status()["state"] == "synced")
        let fields = try exported()
        #expect(try fields["FRZ-1"]?.required("valve_pressure_psi") == .double(41.5))
        #expect(try fields["FRZ-2"]?.string("door_seals") == "fail")
        #expect(try fields["CHL-3"]?.string("notes") == "rust")
        #expect(try device.answer("notes", of: "CHL-3") == "rust")
        #expect(try device.run("doctor").contains("ok     database"))
        // The device goes on as before.
        try device.run("set", try device.inspection(of: "CHL-3"), "notes=painted")
        try device.run("sync")
        #expect(try exported()["CHL-3"]?.string("notes") == "painted")
    }

    @Test("a database that was put back from a copy of last week sends this week's answers too")
    func putBack() throws {
        let copy = world.folder.file("copy.db")
        try FileManager.default.copyItem(atPath: database, toPath: copy)
        try device.run("set", try device.inspection(of: "CHL-3"), "notes=much rust")
        try device.run("complete", try device.inspection(of: "CHL-3"), expecting: 3)
        try device.run("set", try device.inspection(of: "FRZ-1"), "notes=late")
        try FileManager.default.removeItem(atPath: database)
        try FileManager.default.copyItem(atPath: copy, toPath: database)
        try device.run("sync")
        #expect(try device.status()["pending"] == 0)
        #expect(try exported()["CHL-3"]?.string("notes") == "much rust")
        #expect(try exported()["FRZ-1"]?.string("notes") == "late")
    }
}
