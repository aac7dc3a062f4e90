import Foundation
import TestSupport
import Testing

/// Each file of a home is cut, emptied, removed, zeroed or flipped in a bit somewhere.
///
/// CI damages each file a few times; `WALKDOWN_DAMAGES=200` as often as a release wants.
@Suite("Any file of a home is damaged", .serialized)
struct DamagedFileTests {
    static let rounds =
        ProcessInfo.processInfo.environment["WALKDOWN_DAMAGES"].flatMap(Int.init) ?? 12

    static let files = [
        "walkdown.db", "walkdown.db-wal", "walkdown.db-shm", "vault.json", "vault.copy.json",
        "tries", "lock",
        "journal/00000001.journal",
    ]

    enum Damage: CaseIterable {
        case cut, emptied, removed, zeroed, flipped

        func apply(to path: String, _ random: inout SeededRandom) throws {
            let url = URL(fileURLWithPath: path)
            var bytes = [UInt8](try Data(contentsOf: url))
            // The zeros at the end of a journal are nobody's.
            let end = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
            let place = random.below(end)
            switch self {
            case .cut: bytes.removeLast(bytes.count - place)
            case .emptied: bytes = []
            case .removed: return try FileManager.default.removeItem(at: url)
            case .zeroed:
                for index in place..<min(bytes.count, place + 512) { bytes[index] = 0 }
            case .flipped: if !bytes.isEmpty { bytes[place] ^= 1 << UInt8(random.below(8)) }
            }
            try Data(bytes).write(to: url)
        }
    }

    @Test("R-12 no crash, no answer that goes in silence, and no database in plain text")
    func damaged() throws {
        let bench = try FaultBench()
        try bench.leaveHotLog()
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        for file in Self.files {
            for round in 0..<Self.rounds {
                let damage = Damage.allCases[round % Damage.allCases.count]
                let story = "seed \(seed), \(file), round \(round), \(damage)"
                try bench.withCopy { copy in
                    let path = copy.home + "/" + file
                    let before = FileManager.default.contents(atPath: path) ?? Data()
                    try damage.apply(to: path, &random)
                    try edit(copy, bench, restoring: (path, before), story)
                }
            }
        }
    }

    private func edit(
        _ copy: Device, _ bench: FaultBench, restoring file: (path: String, before: Data),
        _ story: String
    ) throws {
        let edit = try copy.attempt(["set", bench.inspection, FaultBench.edit])
        #expect(edit.status < 124, "\(story): \(edit.messages)")
        let isOfVault = ["vault.json", "tries"].contains { file.path.hasSuffix("/" + $0) }
        if isOfVault, edit.status != 0 {
            // Refused whole, and with the file everything is there again.
            #expect(!edit.messages.isEmpty, "\(story)")
            try file.before.write(to: URL(fileURLWithPath: file.path))
            guard chmod(file.path, 0o600) == 0 else {
                throw HarnessError("cannot close \(file.path) to others")
            }
        }
        try bench.expectKept(on: copy, isSaved: edit.status == 0, story)
        try expectCiphered(copy, story)
    }

    private func expectCiphered(_ device: Device, _ story: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: device.home) {
            guard name.hasPrefix("walkdown.db"), !name.hasSuffix("-shm") else { continue }
            let bytes = FileManager.default.contents(atPath: device.home + "/" + name) ?? Data()
            #expect(!bytes.starts(with: Data("SQLite format 3".utf8)), "\(story): \(name)")
            #expect(bytes.range(of: Data("cold_chain_equipment".utf8)) == nil, "\(story): \(name)")
        }
    }
}

extension FaultBench {
    /// The template as a process leaves it that is killed while it moves its log: what was saved last is
    /// in the log alone.
    func leaveHotLog() throws {
        let database = template.home + "/walkdown.db"
        let attempt = try template.attempt(
            ["set", inspection, "notes=hot"],
            under: [
                "strace", "-f", "-qq", "-o", "/dev/null", "-P", database, "-e", "trace=pwrite64",
                "-e", "inject=pwrite64:signal=KILL:when=1",
            ])
        let size = FileManager.default.contents(atPath: database + "-wal")?.count ?? 0
        guard attempt.status == 128 + SIGKILL, size > 0 else {
            throw HarnessError("strace(1) did not kill it: \(attempt.status) \(attempt.messages)")
        }
        earlier["notes"] = "hot"
    }
}
