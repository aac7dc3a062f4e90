import Coding
import Forms
import Replication
import Testing

@testable import LocalStore

@Suite("What a form lays down and works out")
struct WorkedOutTests {
    /// Two doors and a pump stand in the form itself, and nothing counts the pump.
    private func storeRows(on device: Device) throws {
        var parts = try RoundForm.form.parts
        parts.version = "2"
        parts.rows = [
            InitialRow(path: "door", values: ["door/tag": "North"]),
            InitialRow(path: "door", values: ["door/tag": "South", "door/gap": "2"]),
            InitialRow(path: "door/hinge", parent: 1, values: ["door/hinge/play": "0.5"]),
            InitialRow(path: "pump", values: ["pump/tag": "P-1"]),
        ]
        try device.store.store(form: try FormDefinition(parts))
    }

    @Test("Rows that stand in the form itself are there when an inspection is begun")
    func rows() throws {
        let device = try Device()
        try storeRows(on: device)
        let own = try device.store.createInspection(form: RoundForm.id, version: "2", asset: nil)
        let server = StoryServer()
        server.policies = [:]
        server.edit(
            "assigned", ["@form": "round", "@formVersion": "2", "@state": "assigned"])
        try device.sync(server)
        #expect(try device.rows(of: "assigned").isEmpty)
        try device.answer("assigned", ("site", "Pier 4"))
        for id in [own, "assigned"] {
            #expect(try device.column("door/tag", of: id) == ["North", "South"])
            #expect(try device.column("door/hinge/play", of: id) == [.double(0.5)])
            #expect(try device.value("total", of: id) == .integer(2))
            // The count of pumps is no number yet, so there is none.
            #expect(try device.rows("pump", of: id).isEmpty)
        }
        // They are laid down once.
        let first = try #require(try device.rows(of: own).first).id.rawValue
        try device.store.change(own, by: [.remove(row: first)], agreed: true)
        try device.answer(own, ("site", "Pier 5"))
        #expect(try device.column("door/tag", of: own) == ["South"])
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }
}
