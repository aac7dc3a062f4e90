import Foundation
import TestSupport
import Testing

/// A disk that fails under `walkdownd`, by strace(1).
@Suite("A call of the system fails in walkdownd", .serialized)
struct ServerFaultTests {
    private let world: World
    private let device: Device
    private let ledger: Ledger

    init() throws {
        world = try World()
        device = try world.enrol("device")
        ledger = Ledger(world: world, device: device)
    }

    /// A server in trouble asks to be left alone for five seconds, which a test does not wait for.
    private static let later = ["faketime", "-f", "--exclude-monotonic", "+10s"]

    private var log: String { world.folder.file("strace") }

    /// The process that is started is the server (`-D`), so that it can be ended and waited for.
    ///
    /// - Parameter places: which of these calls for the database fail, as strace says it.
    private func failing(_ call: String, _ error: String, _ places: String) -> [String] {
        let database = world.folder.file("server") + "/server.db"
        return ["strace", "-D", "-f", "--seccomp-bpf", "-qq", "-o", log]
            + ["", "-wal", "-shm"].flatMap { ["-P", database + $0] }
            + ["-e", "trace=" + call, "-e", "inject=\(call):error=\(error):when=\(places)"]
    }

    @Test(
        "V16 a disk that does not keep what was written ends the server, and nothing was accepted")
    func fsync() throws {
        try ledger.answer("before")
        try device.run("sync")
        world.stopServer()
        try world.startServerAgain(under: failing("fdatasync", "EIO", "1+"))
        try ledger.answer("round 1")
        let attempt = try device.attempt(["sync"])
        #expect(attempt.status == 4, "\(attempt.messages)")
        #expect(attempt.output.contains("pushed     0"), "\(attempt.output)")
        #expect(try world.serverStatus() == 1)
        let words = String(
            decoding: try world.folder.bytes(of: "serve.err"), as: UTF8.self)
        #expect(words.contains("the disk did not keep what was written"), "\(words)")
        try world.startServerAgain()
        let later = try device.attempt(["sync"], under: Self.later)
        #expect(later.status == 0, "\(later.messages)")
        try ledger.expectEverythingOnce(last: "round 1", seed: 0)
    }

    /// CI tries some points; `WALKDOWN_SERVER_FAULTS=500` as many as a release wants.
    private static let points =
        ProcessInfo.processInfo.environment["WALKDOWN_SERVER_FAULTS"].flatMap(Int.init) ?? 16

    private static let errors = [
        ("pwrite64", "EIO"), ("pwrite64", "ENOSPC"), ("fdatasync", "EIO"), ("pread64", "EIO"),
        ("openat", "EMFILE"), ("ftruncate", "EIO"), ("mmap", "ENOMEM"), ("newfstatat", "EIO"),
    ]

    @Test("R-4 in a push: what was not stored was not called accepted, and goes out once later")
    func pushes() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        var hits = 0
        for round in 1...Self.points {
            try ledger.answer("round \(round)")
            let (call, error) = Self.errors[round % Self.errors.count]
            let place = 1 + random.below(call == "pwrite64" || call == "pread64" ? 30 : 6)
            let story = "seed \(seed), round \(round): \(call) \(error) \(place)"
            world.killServer()
            do {
                try world.startServerAgain(under: failing(call, error, "\(place)"))
                let attempt = try device.attempt(["sync"])
                #expect([0, 4].contains(attempt.status), "\(story): \(attempt.messages)")
            } catch is HarnessError {
                // What fails while it opens its database keeps it from listening; it has said so.
                #expect(try !world.folder.bytes(of: "serve.err").isEmpty, "\(story)")
            }
            let trace = String(decoding: try world.folder.bytes(of: "strace"), as: UTF8.self)
            if trace.contains("INJECTED") { hits += 1 }
            world.killServer()
            try world.startServerAgain()
            let sync = try device.attempt(["sync"], under: Self.later)
            #expect(sync.status == 0, "\(story): \(sync.messages)")
        }
        #expect(hits > Self.points / 3, "only \(hits) of \(Self.points) were hit")
        try ledger.expectEverythingOnce(last: "round \(Self.points)", seed: seed)
    }
}
