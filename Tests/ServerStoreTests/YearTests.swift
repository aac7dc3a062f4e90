import Coding
import Foundation
import Inspections
import Replication
import SQLite
import ServerStore
import TestSupport
import Testing

/// A server that is used day after day holds what its people hold, and no more: its file does not
/// grow without end.
@Suite("SQLite: years of use")
struct YearTests {
    @Test(
        "M07 three years of use need no more room than two", arguments: [0xA6E, 0xB16] as [UInt64])
    func plateau(seed: UInt64) throws {
        var office = try Years(seed: seed)
        // The second year is the first in which anything is a year old.
        try office.work(days: 2 * 365)
        let before = try office.measure()
        try office.work(days: 365)
        let after = try office.measure()
        for (table, rows) in after.rows where table != "pruned" {
            let most = (before.rows[table] ?? 0) * 5 / 4 + 20
            #expect(rows <= most, "\(table), seed \(seed)")
        }
        #expect(
            after.bytes <= before.bytes * 5 / 4 + (1 << 16),
            "\(before.bytes) to \(after.bytes), seed \(seed)")
        #expect(before.rows["history"] ?? 0 > 100 && before.rows["review"] ?? 0 > 20, "it was used")
    }
}

/// An office with a few inspections that live on, and many that are begun and deleted; readings that
/// two devices disagree about, and a supervisor who decides.
private struct Years {
    private let yard: Yard
    private var random: SeededRandom
    private let devices: [Handheld]
    private let living: [RecordID]
    private var passing: [RecordID] = []
    private var begun = 0

    init(seed: UInt64) throws {
        yard = try Yard(.sqlite)
        random = SeededRandom(seed: seed)
        living = try (10...14).map { [yard] in try yard.assign(due: "2026-03-\($0)") }
        devices = try ["a", "b"].map { [yard] in try yard.enrol($0) }
        for device in devices { try device.pull() }
    }

    /// Days from one visit to the next.
    private static let step = 10
    private var visits = 0

    mutating func work(days: Int) throws {
        for _ in 0..<(days / Self.step) {
            yard.clock.advance(seconds: Int64(Self.step) * 86_400)
            visits += 1
            try visit()
            try decide()
            if visits.isMultiple(of: 18) { try restore() }
            _ = try yard.prune()
        }
    }

    private mutating func visit() throws {
        let record = random.pick(living)
        for device in devices {
            begun += 1
            let id = RecordID("i\(begun)")
            try device.push(
                device.begin(id, asset: nil, ["notes": .string("\(begun)")]),
                device.mutation(
                    RecordID("f\(begun)"), table: RecordTable.finding, parent: id, .insert,
                    ["text": .string(String(repeating: "x", count: 500))]))
            passing.append(id)
            try device.push(
                device.change(
                    record,
                    [
                        "pressure": .integer(Int64(random.below(500))),
                        "notes": .string("\(begun)"), "place": .string("\(begun)"),
                    ]))
        }
        // One pulls before the other has pushed, and the other never sees its value first.
        for device in devices.reversed() {
            try device.pull()
            try device.pull()
        }
        while passing.count > 6 {
            let device = random.pick(devices)
            try device.push(device.delete(passing.removeFirst()))
        }
    }

    private mutating func decide() throws {
        for item in try yard.store.openReviews() {
            let decision: ReviewDecision = random.oneIn(2) ? .mine : .theirs
            do {
                try yard.store.resolve(
                    review: item.id, decision, comment: nil, by: Supervisor(name: "kim"))
            } catch let error as ServerStoreError where error.code == .stateRefused {
                try yard.store.resolve(
                    review: item.id, .theirs, comment: nil, by: Supervisor(name: "kim"))
            }
        }
    }

    private func restore() throws {
        let backup = try yard.backUp()
        try yard.restore(backup)
        try FileManager.default.removeItem(atPath: backup)
        for device in devices {
            device.cursor = nil
            try device.pull()
        }
    }

    func measure() throws -> (rows: [String: Int64], bytes: Int) {
        try yard.restart()
        let path = yard.folder.file("server.db")
        let connection = try Connection.open(path, mode: .readOnly)
        defer { #expect(throws: Never.self) { try connection.close() } }
        let tables = try connection.query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ) { try $0.text(0) }
        var rows: [String: Int64] = [:]
        for table in tables {
            rows[table] = try connection.first("SELECT count(*) FROM \(table)") {
                try $0.integer(0)
            }
        }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return (rows, size ?? 0)
    }
}
