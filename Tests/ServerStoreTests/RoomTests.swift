import Coding
import Foundation
import Replication
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
        #expect(try yard.store.prune().pruned == 60)
        let after = try size()
        #expect(before - after > 60 * 20_000 / 2, "\(before) to \(after)")
    }
}
