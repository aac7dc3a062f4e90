import Coding
import Foundation
import TestSupport
import Testing

/// `kill -9` at random moments of a synchronisation: no edit lost, none applied twice, nothing
/// stuck. CI does some rounds of each; `WALKDOWN_KILLS=500` does as many as a release wants.
@Suite("kill -9 in the middle of a synchronisation", .serialized)
struct KillTests {
    private let world: World
    private let device: Device
    private let ledger: Ledger
    private let seed = UInt64.random(in: 0...UInt64.max)

    static let rounds =
        ProcessInfo.processInfo.environment["WALKDOWN_KILLS"].flatMap(Int.init) ?? 25

    init() throws {
        world = try World()
        device = try world.enrol("device")
        ledger = Ledger(world: world, device: device)
    }

    @Test("T08 F13 of walkdown; the next one takes over what was under way")
    func client() throws {
        var random = SeededRandom(seed: seed)
        let exchange = try exchangeTime()
        var met = 0
        for round in 1...Self.rounds {
            try ledger.answer("round \(round)")
            let sync = try ledger.startSync()
            waitForExchange(of: sync)
            usleep(Self.moment(&random, exchange, round))
            kill(sync, SIGKILL)
            waitpid(sync, nil, 0)
            if try device.status()["inFlight"] != 0 { met += 1 }
        }
        #expect(met > 0, "seed \(seed): no kill met a batch in flight")
        try ledger.expectEverythingOnce(last: "round \(Self.rounds)", seed: seed)
    }

    @Test("of walkdownd")
    func server() throws {
        var random = SeededRandom(seed: seed)
        let exchange = try exchangeTime()
        var met = 0
        for round in 1...Self.rounds {
            try ledger.answer("round \(round)")
            let sync = try ledger.startSync()
            waitForExchange(of: sync)
            usleep(Self.moment(&random, exchange, round))
            world.killServer()
            var status: Int32 = 0
            waitpid(sync, &status, 0)
            // Done, or not finished and to be tried again.
            #expect(status == 0 || status == 4 << 8, "seed \(seed), round \(round)")
            if status != 0 { met += 1 }
            try world.startServerAgain()
        }
        #expect(met > 0, "seed \(seed): no kill met an exchange")
        try ledger.expectEverythingOnce(last: "round \(Self.rounds)", seed: seed)
    }

    @Test("F07 of walkdown in a save: each field holds its own old or its own new answer")
    func saving() throws {
        var random = SeededRandom(seed: seed)
        let id = try device.inspection(of: "CHL-3")
        let questions = ["equipment_tag", "facility", "notes"]
        try device.run(["set", id] + questions.map { "\($0)=\($0) 0" })
        var stored = 0
        var met = 0
        for round in 1...Self.rounds {
            let words = questions.map { "\($0)=\($0) \(round)" }
            let save = try Spawn.start(
                [device.walkdown, "set", id] + words
                    + ["--home", device.home, "--pin-file", device.pinFile],
                output: world.folder.file("set.out"), errors: world.folder.file("set.err"))
            waitForDatabase(of: save)
            usleep(UInt32(random.below(12_000)))
            kill(save, SIGKILL)
            var status: Int32 = 0
            waitpid(save, &status, 0)
            if status != 0 { met += 1 }
            let text = try device.run(
                "sql",
                "SELECT \(questions.joined(separator: ", ")) FROM cold_chain_equipment"
                    + " WHERE id = '\(id)'", "--json")
            let row = try #require(try JSON.parse(Array(text.utf8)).asArray().first)
            let isNew = try row.string("notes") == "notes \(round)"
            if isNew { stored = round }
            for question in questions {
                #expect(
                    try row.string(question) == "\(question) \(stored)",
                    "seed \(seed), round \(round)")
            }
        }
        #expect(met > 0, "seed \(seed): no kill met a save")
    }

    /// Returns when the process has the database open: unlocking, by far the longest part, is done.
    private func waitForDatabase(of process: pid_t) {
        let deadline = Date(timeIntervalSinceNow: 60)
        let folder = "/proc/\(process)/fd"
        while Date() < deadline {
            // A process that has ended meanwhile holds nothing open; then there is nothing to meet.
            let held = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let paths = held.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
            }
            guard !held.isEmpty, !paths.contains(where: { $0.hasSuffix("/walkdown.db") }) else {
                return
            }
            usleep(200)
        }
    }

    /// Returns when the process has a connection to the server: its batch is sealed then, and the
    /// answer not yet here. Unlocking, by far the longest part, is not what this is about.
    private func waitForExchange(of sync: pid_t) {
        let deadline = Date(timeIntervalSinceNow: 60)
        while !isConnected, Date() < deadline { usleep(200) }
    }

    /// Whether a client's end of a connection to the server is established (proc_net_tcp(5)).
    private var isConnected: Bool {
        let digits = String(world.port, radix: 16, uppercase: true)
        let remote = "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
        let table = FileManager.default.contents(atPath: "/proc/net/tcp") ?? Data()
        return String(decoding: table, as: UTF8.self).split(separator: "\n").contains { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[2] == remote && columns[3] == "01"
        }
    }

    /// Microseconds from the connection to the end of a whole `sync` on this machine now.
    private func exchangeTime() throws -> Int {
        try ledger.answer("round 0")
        let sync = try ledger.startSync()
        waitForExchange(of: sync)
        let start = DispatchTime.now().uptimeNanoseconds
        var status: Int32 = 0
        waitpid(sync, &status, 0)
        #expect(status == 0)
        return Int((DispatchTime.now().uptimeNanoseconds - start) / 1000)
    }

    /// At once in every other round, so that a batch is met; anywhere in the exchange otherwise.
    private static func moment(
        _ random: inout SeededRandom, _ exchange: Int, _ round: Int
    ) -> UInt32 {
        round.isMultiple(of: 2) ? UInt32(random.below(max(1, exchange))) : 0
    }
}
