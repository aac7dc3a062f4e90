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

    @Test("Two who begin an inspection at once lay down the same rows, and neither has them twice")
    func begunTwice() throws {
        let server = StoryServer()
        server.policies = ["total": .lww, "doors": .lww, "door/number": .lww, "door/half": .lww]
        server.edit(
            "assigned", ["@form": "round", "@formVersion": "2", "@state": "assigned"])
        let devices = [try Device(), try Device(seed: 2, node: "node-c")]
        for device in devices {
            try storeRows(on: device)
            try device.sync(server)
        }
        try devices[0].answer("assigned", ("site", "Pier 4"))
        try devices[1].answer("assigned", ("limit", .integer(3)))
        for _ in 0..<2 {
            for device in devices { try device.sync(server) }
        }
        for device in devices {
            #expect(try device.column("door/tag", of: "assigned") == ["North", "South"])
            #expect(try device.store.inspection("assigned").conflicts.isEmpty)
            try device.expectNothingPending(server)
            try device.finish()
        }
    }

    @Test("A blank row of the form's gives way to the row that somebody begins with")
    func blankRow() throws {
        let device = try Device()
        var parts = try RoundForm.form.parts
        parts.version = "2"
        parts.rows = [
            InitialRow(path: "door"), InitialRow(path: "door", values: ["door/gap": "2"]),
        ]
        try device.store.store(form: try FormDefinition(parts))
        let server = StoryServer()
        server.policies = [:]
        server.edit(
            "assigned", ["@form": "round", "@formVersion": "2", "@state": "assigned"])
        try device.sync(server)
        try device.addRow(to: "assigned", ("door/tag", "D-1"))
        try device.addRow(to: "assigned", ("door/tag", "D-2"))
        #expect(try device.column("door/tag", of: "assigned") == [.null, "D-1", "D-2"])
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }
}
