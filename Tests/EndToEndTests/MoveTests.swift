import Coding
import Foundation
import TestSupport
import Testing

/// A form with a fault is published again while inspections by it are under way.
@Suite("Moving to a new version, two handhelds and one server", .serialized)
struct MoveTests {
    private let world: World
    private let first: Device
    private let second: Device

    init() throws {
        world = try World()
        first = try world.enrol("first")
        second = try world.enrol("second")
        for device in [first, second] { try device.run("sync") }
    }

    /// The form as published, version 2: remarks in place of notes, and the pressure in bar.
    private func publishSecond() throws {
        let path = Binaries.checkout() + "/Resources/forms/cold_chain_equipment.json"
        let text = try String(contentsOfFile: path, encoding: .utf8)
            .replacingOccurrences(of: "\"version\": \"1\"", with: "\"version\": \"2\"")
            .replacingOccurrences(of: "\"path\": \"notes\"", with: "\"path\": \"remarks\"")
        let file = try world.folder.write(text, to: "second.json")
        #expect(try world.administer("form", "publish", file).contains("2 published"))
    }

    private func document(_ device: Device, _ words: String...) throws -> JSON {
        try JSON.parse(Array(try device.run(words + ["--json"]).utf8))
    }

    @Test(
        "F37 a draft moves to version 2 while another device still edits version 1: both are merged"
    )
    func concurrent() throws {
        let id = try first.inspection(of: "FRZ-1")
        try first.run("set", id, "notes=hums", "valve_pressure_psi=150")
        for device in [first, second] { try device.run("sync") }
        try publishSecond()
        try first.run("sync")

        let planned = try document(first, "move", id, "--dry-run")
        #expect(try planned.string("to") == "2")
        try first.run("move", id)
        try first.run("set", id, "remarks=moved")
        // The other one has heard of nothing.
        try second.run("set", id, "notes=drips", "door_seals=pass")
        try first.run("sync")
        try second.run("sync")
        for device in [first, second] { try device.run("sync") }

        for device in [first, second] {
            let shown = try document(device, "show", id)
            #expect(try shown.string("formVersion") == "2")
            #expect(try shown.string("sync") == "synced")
            let orphans = try shown.array("orphans", of: { $0 })
            #expect(try orphans.map { try $0.string("question") } == ["notes"])
            #expect(try orphans.map { try $0.string("value") } == ["drips"])
            let fields = try shown.object("fields")
            #expect(try fields.object("remarks").string("value") == "moved")
            #expect(try fields.object("door_seals").string("value") == "pass")
            #expect(try device.status()["state"] == .string("synced"))
        }
        let csv = try world.administer("export")
        let heading = csv.split(separator: "\n").first ?? ""
        #expect(heading.contains("notes") && heading.contains("remarks"))
        #expect(csv.contains("drips") && csv.contains("moved"))
    }
}
