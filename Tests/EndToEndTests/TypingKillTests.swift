import Coding
import Foundation
import TestSupport
import Testing

/// `kill -9` at random moments while somebody types. CI does some rounds; `WALKDOWN_KILLS=200` does
/// as many as a release wants.
@Suite("kill -9 while somebody types", .serialized)
struct TypingKillTests {
    private let world: World
    private let device: Device
    private let seed = UInt64.random(in: 0...UInt64.max)

    /// Seconds of typing that may be lost: the one that is promised, and what a loaded machine needs
    /// from a key to the program.
    private static let grace: TimeInterval = 1.5
    private static let rounds =
        ProcessInfo.processInfo.environment["WALKDOWN_KILLS"].flatMap(Int.init) ?? 5

    init() throws {
        world = try World()
        device = try world.enrol("device")
    }

    private func openedChiller() throws -> Tmux {
        let tmux = try Tmux(columns: 80, rows: 24)
        try tmux.untilShows("ready>")
        try tmux.type(device.opening)
        try tmux.keys("Enter")
        try tmux.untilShows("FRZ-1")
        try tmux.keys("Enter")
        try tmux.untilShows("Facility")
        return tmux
    }

    /// What stands in the draft table; nil for nothing.
    private func draft() throws -> String? {
        let rows = try JSON.parse(
            Array(try device.run("sql", "SELECT text FROM draft", "--json").utf8))
        guard case .array(let drafts) = rows else { throw HarnessError("no rows") }
        #expect(drafts.count <= 1)
        guard case .object(let first)? = drafts.first, case .string(let text)? = first["text"]
        else { return nil }
        return text
    }

    @Test("U45 no more than the last second is lost, the rest is offered, and nothing is stored")
    func typing() throws {
        var random = SeededRandom(seed: seed)
        for round in 1...Self.rounds {
            let before = try draft()
            let tmux = try openedChiller()
            if let before {
                try tmux.untilShows("Recovered what was typed for Facility")
                try tmux.untilShows(before)
            }
            try tmux.keys("Enter")
            try tmux.keys("C-u")
            var typed = ""
            var moments: [Date] = []
            for _ in 0..<random.below(24) {
                let letter = random.pick(["a", "b", "c", "7", ".", "ü"])
                typed += letter
                moments.append(Date())
                try tmux.type(letter)
                usleep(UInt32(random.below(200_000)))
            }
            let process = try tmux.child(named: "walkdown")
            let end = Date()
            #expect(kill(process, SIGKILL) == 0)
            #expect(Watch.isGone(process))
            let kept = try draft()
            let owed = moments.filter { end.timeIntervalSince($0) > Self.grace }.count
            let isOfNow = kept.map { typed.hasPrefix($0) && $0.count >= owed } ?? (owed == 0)
            // Nothing is owed yet: what stood there may stand there still.
            let isOfBefore = owed == 0 && kept == before
            #expect(
                isOfNow || isOfBefore,
                "seed \(seed), round \(round): typed \(typed), owed \(owed), kept \(kept ?? "-")")
            #expect(try device.answer("facility", of: "CHL-3") == nil)
        }
    }
}
