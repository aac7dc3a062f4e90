import Coding
import Foundation
import Replication
import SQLite
import ServerStore
import TestSupport
import Testing

@Suite("SQLite: room")
struct RoomTests {
    @Test("what is pruned gives its room back to the disk")
    func shrinks() throws {
        let yard = try Yard(.sqlite)
        let device = try yard.enrol("a")
        let text = String(repeating: "x", count: 20_000)
        let ids = (0..<60).map { RecordID("i\($0)") }
        for id in ids {
            try device.push(device.begin(id, asset: nil, ["notes": .string(text)]))
        }
        try device.pull()
        for id in ids { try device.push(device.delete(id)) }
        yard.clock.advance(seconds: 31 * 86_400)
        for _ in 0..<2 { try device.pull() }
        try device.push([])
        func size() throws -> Int {
            try yard.restart()
            let path = yard.folder.file("server.db")
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
        let before = try size()
        #expect(try yard.prune().pruned == 60)
        let after = try size()
        #expect(before - after > 60 * 20_000 / 2, "\(before) to \(after)")
    }

    @Test("a verdict is let go after a year, if its device has heard it, and nothing comes of that")
    func verdicts() throws {
        let yard = try Yard(.sqlite)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        let heard = device.change(id, ["notes": .string("x")])
        try device.push(heard)
        let unheard = device.change(id, ["high": .integer(1)])
        _ = try yard.store.push(device.request([unheard]), from: device.device)
        func kept() throws -> [String] {
            let connection = try Connection.open(yard.folder.file("server.db"), mode: .readOnly)
            defer { #expect(throws: Never.self) { try connection.close() } }
            return try connection.query("SELECT mutation_id FROM verdict ORDER BY sequence") {
                try $0.text(0)
            }
        }
        yard.clock.advance(seconds: 364 * 86_400)
        _ = try yard.prune()
        #expect(try kept() == [heard.id.rawValue, unheard.id.rawValue])
        yard.clock.advance(seconds: 2 * 86_400)
        _ = try yard.prune()
        #expect(try kept() == [unheard.id.rawValue])
        let version = try yard.everything()[id]?.version
        #expect(try device.push(unheard, heard).map(\.status) == [.applied, .applied])
        #expect(try yard.everything()[id]?.version == version, "judged afresh, and equal")
    }
}
