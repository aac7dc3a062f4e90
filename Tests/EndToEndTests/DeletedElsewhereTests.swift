import Coding
import TestSupport
import Testing

/// One handheld deletes an inspection while another one, far from any network, works on its rows.
@Suite("An inspection that was deleted elsewhere", .serialized)
struct DeletedElsewhereTests {
    private let world: World
    private let office: Device
    private let roof: Device

    init() throws {
        let world = try World()
        let form = Binaries.checkout() + "/Resources/forms/refrigerant_leak_log.xml"
        try world.administer("form", "publish", form)
        self.world = world
        office = try world.enrol("office")
        roof = try world.enrol("roof")
    }

    /// A log with one event that both have; then only its row is worked on, and it is deleted.
    private func meet() throws -> String {
        let made = try JSON.parse(
            Array(try office.run("new", "refrigerant_leak_log", "--json").utf8))
        let id = try made.string("id")
        try office.run("set", id, "system/full_charge_kg=20")
        try office.run("set", id, "event[+]/reason=service", "event[+]/added_kg=2")
        try office.run("sync")
        try roof.run("sync")
        try roof.run("set", id, "event[1]/added_kg=7", "event[+]/reason=seasonal")
        try office.run("delete", id)
        try office.run("sync")
        try roof.run("sync", expecting: 5)
        let status = try roof.status()
        #expect(status["conflict"] == 1 && status["failed"] == 0)
        #expect(try roof.run("show", id).contains("The inspection was deleted elsewhere"))
        #expect(try roof.run("list").contains(id.prefix(8)))
        return id
    }

    private func expectSynced(_ device: Device) throws {
        let status = try device.status()
        #expect(status["nothingUnsynced"] == true && status["digest"] == "equal", "\(status)")
    }

    @Test("F27 restored, the rows that were worked on are sent, and everybody has them")
    func restored() throws {
        let id = try meet()
        try roof.run("resolve", id, "--mine")
        try roof.run("sync")
        try expectSynced(roof)
        try office.run("sync")
        try expectSynced(office)
        let shown = try JSON.parse(Array(try office.run("show", id, "--json").utf8))
        let rows = try shown.required("repeats").required("event").asArray()
        #expect(rows.count == 2)
        let first = try rows[0].required("fields").required("event/added_kg").required("value")
        #expect(first == 7)
    }

    @Test("F27 let go, the rows go with it, and nothing is left to send")
    func letGo() throws {
        let id = try meet()
        try roof.run("resolve", id, "--theirs")
        try roof.run("sync")
        try expectSynced(roof)
        #expect(try !roof.run("list").contains(id.prefix(8)))
        #expect(try !world.administer("export").contains(id))
    }
}
