import Foundation
import TestSupport
import Testing

/// The database engine gets no memory, or its cipher fails: SQLCipher before 4.4.2 writes damaged
/// pages then and says nothing. What waits stands in the journal as well.
///
/// CI does a hundred edits of each kind; `WALKDOWN_ENGINE_FAULTS=2500` does as many as a release wants.
@Suite("Memory and cipher of the database engine fail", .serialized)
struct EngineFaultTests {
    static let runs =
        ProcessInfo.processInfo.environment["WALKDOWN_ENGINE_FAULTS"].flatMap(Int.init) ?? 100

    enum Kind: String, CaseIterable {
        case memory, cipher
    }

    @Test(
        "V02 R-5 in an edit: nothing is called saved that is not, nothing saved before is lost",
        arguments: Kind.allCases)
    func edits(kind: Kind) throws {
        let bench = try FaultBench()
        let calls = try Self.calls(kind, on: bench)
        try #require(calls > 100, "\(kind): the library was not loaded")
        var random = SeededRandom(seed: UInt64.random(in: 0...UInt64.max))
        let note = bench.world.folder.file("note")
        var hits = 0
        for _ in 1...Self.runs {
            let first = 1 + random.below(calls)
            let last = random.oneIn(4) ? Int.max : first
            let fault = try Self.fault(kind, first, last, note: note)
            try bench.withCopy { copy in
                try bench.edit(on: copy, under: fault, "\(kind) \(first)…\(last)")
            }
            if try Self.hasStruck(first, note) { hits += 1 }
        }
        #expect(hits > Self.runs / 2, "most of the faults met a call")
    }

    @Test(
        "V02 R-5 in a synchronisation: each edit reaches the server once, whatever failed",
        arguments: Kind.allCases)
    func synchronisations(kind: Kind) throws {
        let world = try World()
        let device = try world.enrol("device")
        let ledger = Ledger(world: world, device: device)
        let note = world.folder.file("note")
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        try ledger.answer("round 0")
        let counting = try device.attempt(["sync"], under: Self.fault(kind, 0, 0, note: note))
        #expect(counting.status == 0, "\(counting.messages)")
        let calls = try Self.count(in: note)
        let rounds = max(1, Self.runs / 5)
        var hits = 0
        for round in 1...rounds {
            try ledger.answer("round \(round)")
            let first = 1 + random.below(calls)
            let last = random.oneIn(4) ? Int.max : first
            let attempt = try device.attempt(
                ["sync"], under: Self.fault(kind, first, last, note: note))
            if try Self.hasStruck(first, note) { hits += 1 }
            let story = "seed \(seed), round \(round), \(kind) \(first)…\(last)"
            #expect(attempt.status < 124, "\(story): \(attempt.messages)")
            if try device.attempt(["doctor"]).status != 0 {
                let repair = try device.attempt(["doctor", "--repair"])
                #expect(repair.status == 0, "\(story): \(repair.output)")
                try device.run("sync")
            }
        }
        #expect(hits > rounds / 2, "most of the faults met a call")
        try ledger.expectEverything(last: "round \(rounds)", edits: rounds + 1, seed: seed)
    }

    /// How many of these calls an edit makes.
    private static func calls(_ kind: Kind, on bench: FaultBench) throws -> Int {
        let note = bench.world.folder.file("note")
        return try bench.withCopy { copy in
            let attempt = try copy.attempt(
                ["set", bench.inspection, FaultBench.edit], under: fault(kind, 0, 0, note: note))
            #expect(attempt.status == 0, "\(attempt.messages)")
            return try count(in: note)
        }
    }

    /// Whether a process came as far as the call that was to fail. It tells when it ends by itself.
    private static func hasStruck(_ first: Int, _ note: String) throws -> Bool {
        guard FileManager.default.fileExists(atPath: note) else { return false }
        defer { _ = unlink(note) }
        return try count(in: note) >= first
    }

    private static func count(in note: String) throws -> Int {
        let text = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: note)), as: UTF8.self)
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    /// `Tests/CFailingCalls` says what the names mean.
    private static func fault(
        _ kind: Kind, _ first: Int, _ last: Int, note: String
    ) throws -> [String] {
        [
            "env", "LD_PRELOAD=" + (try Binaries.path(of: "libwalkdown-failing.so")),
            "WALKDOWN_FAIL=\(kind.rawValue)", "WALKDOWN_FAIL_AT=\(first)",
            "WALKDOWN_FAIL_LAST=\(last)", "WALKDOWN_FAIL_NOTE=" + note,
            "SWIFT_BACKTRACE=enable=no",
        ]
    }
}
