import Coding
import Foundation
import TestSupport
import Testing

/// A long queue goes out: so many as a season offline leaves on a device whose limit was raised.
/// CI sends 3,000 mutations; `WALKDOWN_DRAIN=50000` sends as many as a release wants.
@Suite("A long queue goes out", .serialized)
struct DrainTests {
    private let world: World
    private let device: Device

    static let mutations =
        ProcessInfo.processInfo.environment["WALKDOWN_DRAIN"].flatMap(Int.init) ?? 3000

    init() throws {
        world = try World()
        device = try world.enrol("device")
    }

    @Test(
        "M06 it takes a raised limit, says how far it is, and can be stopped and resumed anywhere")
    func stoppedAndResumed() throws {
        let full = try device.run(
            "sql", "--write", Self.insertion(of: 1001, from: 0), expecting: 1)
        #expect(full == "")
        try device.run("outbox", "--limit", "\(Self.mutations)")
        #expect(try device.status()["queueLimit"] == .integer(Int64(Self.mutations)))
        try fill()
        let first = try Sync(device)
        try first.waitForProgress()
        #expect(first.end(by: SIGTERM) == 143)
        let halfway = try left()
        #expect(halfway > 0 && halfway < Self.mutations, "\(halfway)")
        let second = try Sync(device)
        try second.waitForProgress()
        #expect(second.end(by: SIGKILL) == 137)
        #expect(try left() < halfway)
        try device.run("sync")
        try expectEverythingOnce()
    }

    @Test("its memory does not grow with the queue")
    func memory() throws {
        try device.run("outbox", "--limit", "\(Self.mutations)")
        try fill()
        let sync = try Sync(device)
        try sync.waitForProgress()
        let atFirst = sync.residentKilobytes
        var most = atFirst
        while !sync.hasEnded {
            most = max(most, sync.residentKilobytes)
            _ = poll(nil, 0, 50)
        }
        // The cache of the database fills up to its 64 MiB, of a queue of any length.
        #expect(most <= atFirst + (96 << 10), "from \(atFirst) to \(most) KiB")
        #expect(most > 0)
        try expectEverythingOnce()
    }

    /// New inspections of eight answers each, by the view of the form.
    private func fill() throws {
        for start in stride(from: 0, to: Self.mutations, by: 500) {
            let count = min(500, Self.mutations - start)
            try device.run("sql", "--write", Self.insertion(of: count, from: start))
        }
        #expect(try left() == Self.mutations)
    }

    private static func insertion(of count: Int, from start: Int) -> String {
        """
        INSERT INTO cold_chain_equipment
            (facility, equipment_tag, refrigerant_type, valve_pressure_psi, notes)
        WITH RECURSIVE number (n) AS (
            SELECT \(start) UNION ALL SELECT n + 1 FROM number WHERE n + 1 < \(start + count))
        SELECT 'Depot ' || n, 'LONG-' || n, 'R134a', n % 900, 'nothing to report on round ' || n
        FROM number
        """
    }

    private func left() throws -> Int {
        let status = try device.status()
        guard case .integer(let pending) = status["pending"],
            case .integer(let inFlight) = status["inFlight"]
        else { throw HarnessError("status has no counts") }
        return Int(pending + inFlight)
    }

    private func expectEverythingOnce() throws {
        let status = try device.status()
        #expect(try left() == 0)
        #expect(status["state"] == "synced")
        let text = try world.administer("export", "--format", "csv")
        let tags = text.split(separator: "\n").compactMap { line in
            line.split(separator: ",").first { $0.hasPrefix("LONG-") }
        }
        #expect(tags.count == Self.mutations)
        #expect(Set(tags).count == Self.mutations, "something is there twice")
    }
}

/// One `walkdown sync` that runs beside the test.
private final class Sync {
    private let pid: pid_t
    private let messages: String
    private var status: Int32?

    init(_ device: Device) throws {
        messages = device.folder.file("sync-\(UUID().uuidString)")
        pid = try Spawn.start(
            [device.walkdown, "sync", "--home", device.home, "--pin-file", device.pinFile],
            output: messages + ".out", errors: messages)
    }

    deinit { if !hasEnded { _ = end(by: SIGKILL) } }

    /// Until it has said how much of how much it has sent.
    func waitForProgress() throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while Date() < deadline {
            let said = FileManager.default.contents(atPath: messages) ?? Data()
            if String(decoding: said, as: UTF8.self).contains(#/sent \d+ of \d+/#) { return }
            guard !hasEnded else { break }
            _ = poll(nil, 0, 5)
        }
        throw HarnessError("it did not say how far it is")
    }

    /// Of a process that has ended, none.
    var residentKilobytes: Int {
        // Under /proc a file has no size, and is read to its end by a handle only.
        guard let file = FileHandle(forReadingAtPath: "/proc/\(pid)/status") else { return 0 }
        let text = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) } ?? 0
    }

    var hasEnded: Bool {
        if status != nil { return true }
        var ended: Int32 = 0
        guard waitpid(pid, &ended, WNOHANG) == pid else { return false }
        status = ended
        return true
    }

    /// - Returns: what a shell would see.
    func end(by signal: Int32) -> Int32 {
        if !hasEnded {
            kill(pid, signal)
            var ended: Int32 = 0
            while waitpid(pid, &ended, 0) < 0, errno == EINTR {}
            status = ended
        }
        let ended = status ?? 0
        return ended & 0x7F == 0 ? (ended >> 8) & 0xFF : 128 + (ended & 0x7F)
    }
}
