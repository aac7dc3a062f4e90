import Coding
import Foundation
import TestSupport
import Testing

/// `kill -9` at random moments of a synchronisation: no edit lost, none applied twice, nothing
/// stuck. CI does a few rounds of each; `WALKDOWN_KILLS=100` does as many as a release wants.
@Suite("kill -9 in the middle of a synchronisation", .serialized)
struct KillTests {
    private let world: World
    private let device: Device
    private let seed = UInt64.random(in: 0...UInt64.max)

    static let rounds = ProcessInfo.processInfo.environment["WALKDOWN_KILLS"].flatMap(Int.init) ?? 5

    init() throws {
        world = try World()
        device = try world.enrol("device")
    }

    @Test("of walkdown")
    func client() throws {
        var random = SeededRandom(seed: seed)
        let usual = try usualTime()
        for round in 1...Self.rounds {
            try answer("round \(round)")
            let sync = try startSync()
            usleep(Self.moment(&random, usual))
            kill(sync, SIGKILL)
            waitpid(sync, nil, 0)
        }
        try expectEverythingOnce(last: "round \(Self.rounds)")
    }

    @Test("of walkdownd")
    func server() throws {
        var random = SeededRandom(seed: seed)
        let usual = try usualTime()
        for round in 1...Self.rounds {
            try answer("round \(round)")
            let sync = try startSync()
            usleep(Self.moment(&random, usual))
            world.killServer()
            var status: Int32 = 0
            waitpid(sync, &status, 0)
            // Done, or not finished and to be tried again.
            #expect(status == 0 || status == 4 << 8, "seed \(seed), round \(round)")
            try world.startServerAgain()
        }
        try expectEverythingOnce(last: "round \(Self.rounds)")
    }

    /// Answers one question of every inspection, in one statement.
    private func answer(_ text: String) throws {
        try device.run("sql", "--write", "UPDATE cold_chain_equipment SET notes = '\(text)'")
    }

    private func startSync() throws -> pid_t {
        try Spawn.start(
            [device.walkdown, "sync", "--home", device.home, "--pin-file", device.pinFile],
            output: world.folder.file("sync.out"), errors: world.folder.file("sync.err"))
    }

    /// Microseconds that a whole `sync` takes on this machine now.
    private func usualTime() throws -> Int {
        try answer("round 0")
        let start = DispatchTime.now().uptimeNanoseconds
        try device.run("sync")
        return Int((DispatchTime.now().uptimeNanoseconds - start) / 1000)
    }

    /// Unlocking takes the first part of the time, and is not what this is about.
    private static func moment(_ random: inout SeededRandom, _ usual: Int) -> UInt32 {
        UInt32(usual / 2 + random.below(max(1, usual * 3 / 4)))
    }

    private func expectEverythingOnce(last: String) throws {
        try device.run("sync")
        let status = try device.status()
        for key in ["pending", "inFlight", "failed", "conflict", "inReview"] {
            #expect(status[key] == 0, "seed \(seed): \(key)")
        }
        let rows = try JSON.parse(Array(device.run("outbox", "--all", "--json").utf8)).asArray()
        var accepted: [String: Int64] = [:]
        for row in rows { accepted[try row.string("recordId"), default: 0] += 1 }
        let text = try world.administer("export", "--format", "json")
        let inspections = try JSON.parse(Array(text.utf8)).asArray()
        #expect(inspections.count == 3)
        for inspection in inspections {
            let id = try inspection.string("id")
            #expect(try inspection.object("fields").string("notes") == last, "seed \(seed)")
            // Version 1 is the assignment; each mutation makes one version if it counts once.
            let version = try inspection.integer("version")
            #expect(version == 1 + (accepted[id] ?? 0), "seed \(seed): \(id)")
        }
    }
}
