import Coding
import Foundation
import TestSupport
import Testing

/// One device that answers and a server that must have each answer once, whatever happened between.
struct Ledger {
    let world: World
    let device: Device

    /// Answers one question of every inspection, in one statement.
    func answer(_ text: String) throws {
        try device.run("sql", "--write", "UPDATE cold_chain_equipment SET notes = '\(text)'")
    }

    func startSync() throws -> pid_t {
        try Spawn.start(
            [device.walkdown, "sync", "--home", device.home, "--pin-file", device.pinFile],
            output: world.folder.file("sync.out"), errors: world.folder.file("sync.err"))
    }

    /// Nothing waits or has failed, the last answer stands, and the server made one version of each
    /// mutation that the device counts as accepted.
    func expectEverythingOnce(last: String, seed: UInt64) throws {
        try expectNothingWaits(seed: seed)
        let rows = try JSON.parse(Array(device.run("outbox", "--all", "--json").utf8)).asArray()
        var accepted: [String: Int64] = [:]
        for row in rows { accepted[try row.string("recordId"), default: 0] += 1 }
        for inspection in try exported() {
            let id = try inspection.string("id")
            #expect(try inspection.object("fields").string("notes") == last, "seed \(seed)")
            // Version 1 is the assignment; each mutation makes one version if it counts once.
            let version = try inspection.integer("version")
            #expect(version == 1 + (accepted[id] ?? 0), "seed \(seed): \(id)")
        }
    }

    /// The same of a device whose database was made anew, which knows no more what was accepted before:
    /// no more than `edits` mutations came to the server.
    func expectEverything(last: String, edits: Int, seed: UInt64) throws {
        try expectNothingWaits(seed: seed)
        for inspection in try exported() {
            #expect(try inspection.object("fields").string("notes") == last, "seed \(seed)")
            #expect(try inspection.integer("version") <= Int64(1 + edits), "seed \(seed)")
        }
    }

    private func expectNothingWaits(seed: UInt64) throws {
        try device.run("sync")
        let status = try device.status()
        for key in ["pending", "inFlight", "failed", "conflict", "inReview"] {
            #expect(status[key] == 0, "seed \(seed): \(key)")
        }
    }

    private func exported() throws -> [JSON] {
        let text = try world.administer("export", "--format", "json")
        let inspections = try JSON.parse(Array(text.utf8)).asArray()
        #expect(inspections.count == 3)
        return inspections
    }
}
