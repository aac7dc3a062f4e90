import Coding
import Foundation
import TestSupport
import Testing

/// Three handhelds work apart for days and meet at one server, by the documented commands.
@Suite("Three handhelds and one server", .serialized)
struct ThreeHomesTests {
    private let world: World
    private let devices: [Device]
    private let seed = UInt64.random(in: 0...UInt64.max)

    init() throws {
        let world = try World()
        try world.addFreezers(37)
        self.world = world
        devices = try ["first", "second", "third"].map { try world.enrol($0) }
    }

    /// The questions and how a new answer to one is written in SQL.
    private static let questions: [(name: String, answer: @Sendable (Int) -> String)] = [
        ("facility", { "'shed \($0)'" }),
        ("equipment_tag", { "'T-\($0)'" }),
        ("refrigerant_type", { "'\(["R134a", "R404A", "R407C", "R290"][$0 % 4])'" }),
        ("valve_pressure_psi", { "\($0 % 2_000).5" }),
        ("compressor_health", { "'\(["OPTIMAL", "WARNING", "CRITICAL"][$0 % 3])'" }),
        ("door_seals", { "'\(["pass", "fail", "na"][$0 % 3])'" }),
        ("temperature_c", { "\(-($0 % 40))" }),
        ("notes", { "'note \($0)'" }),
    ]

    private func inspections() throws -> [String] {
        try JSON.parse(Array(devices[0].run("list", "--json").utf8)).asArray().map {
            try $0.string("id")
        }
    }

    /// One statement a question: a device answers what is its own in this round and leaves the rest.
    private func edit(
        _ device: Device, _ question: Int, at places: [String], from number: Int
    ) throws {
        let (name, answer) = Self.questions[question]
        let cases = places.enumerated().map { "WHEN '\($1)' THEN \(answer(number + $0))" }
        let ids = places.map { "'\($0)'" }.joined(separator: ",")
        try device.run(
            "sql", "--write",
            "UPDATE cold_chain_equipment SET \(name) = CASE id \(cases.joined(separator: " ")) END"
                + " WHERE id IN (\(ids))")
    }

    @Test(
        "F57 1,000 random edits that do not overlap meet without a conflict, and all hold the same")
    func disjoint() throws {
        var random = SeededRandom(seed: seed)
        let places = try inspections()
        var edits = 0
        while edits < 1_000 {
            // Each answer of each inspection belongs to one of the three for this round.
            for question in Self.questions.indices {
                let owners = places.map { _ in random.below(devices.count) }
                for (index, device) in devices.enumerated() {
                    let own = zip(places, owners).filter { $0.1 == index }.map(\.0)
                    guard !own.isEmpty else { continue }
                    try edit(device, question, at: own, from: edits)
                    edits += own.count
                }
            }
            // What the next round edits is edited on what this one brought.
            try meet()
        }
        try expectTheSameEverywhere()
    }

    /// Everybody sends, then everybody has what the others sent.
    private func meet() throws {
        for device in devices + devices { try device.run("sync") }
    }

    private func expectTheSameEverywhere() throws {
        let server = try answers(world.administer("export", "--format", "json")) {
            try $0.object("fields")
        }
        #expect(server.count == 40)
        let names = Self.questions.map(\.name).joined(separator: ",")
        for device in devices {
            let status = try device.status()
            for key in ["pending", "inFlight", "failed", "conflict", "inReview"] {
                #expect(status[key] == 0, "seed \(seed): \(key)")
            }
            // Said only after equal digests.
            #expect(status["state"] == "synced", "seed \(seed)")
            let select = "SELECT id,\(names) FROM cold_chain_equipment"
            #expect(try answers(device.run("sql", select, "--json")) { $0 } == server)
        }
    }

    /// The answers of each inspection of a JSON list.
    private func answers(
        _ list: String, in place: (JSON) throws -> JSON
    ) throws -> [String: [String: JSON]] {
        var answers: [String: [String: JSON]] = [:]
        for inspection in try JSON.parse(Array(list.utf8)).asArray() {
            let fields = try place(inspection).asObject()
            answers[try inspection.string("id")] = Dictionary(
                uniqueKeysWithValues: Self.questions.map { ($0.name, fields[$0.name] ?? .null) })
        }
        return answers
    }
}
