import Coding
import Replication
import TestSupport
import Testing

@testable import LocalStore

/// The wall clock is shown and never asked.
struct WallClockTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private static let day: Int64 = 86_400_000

    @Test("V31 V32 a clock that jumps years ahead and back refuses no edit and orders nothing")
    func jumps() throws {
        let id = try device.acceptedInspectionOf(server)
        let monday = device.clock.now
        let instants = [
            monday + 730 * Self.day, 0, 136 * 365 * Self.day, monday - 730 * Self.day,
            monday - 3_600_000, monday,
        ]
        var count: Int64 = 0
        for instant in instants {
            device.clock.set(to: instant)
            for _ in 0..<3 {
                count += 1
                try device.store.set([("doors", .integer(count))], on: id)
                // Sealed, so that the next edit is a mutation of its own.
                _ = try device.store.sealBatch()
                try device.store.recoverInFlight()
            }
        }
        let queue = try device.store.outbox()
        #expect(queue.count == 18)
        let lamport = try device.number("SELECT value FROM __sync_metadata WHERE key = 'lamport'")
        #expect(try #require(lamport) < 100, "no counter follows the clock")
        let last = try #require(try device.store.sealBatch()).mutations
        #expect(last.map { $0.changes["doors"]?.value } == (1...18).map { .integer($0) })
        #expect(last.map(\.lamport) == last.map(\.lamport).sorted())
        try device.store.recoverInFlight()
        device.clock.set(to: monday + 730 * Self.day)
        try device.sync(server)
        #expect(server.records[id]?.fields["doors"]?.value == .integer(18))
        // What a colleague with a right clock says afterwards is not masked by the years ahead.
        server.edit(id, ["doors": .integer(99)])
        try device.sync(server)
        #expect(try device.value("doors", of: id) == .integer(99))
        device.clock.set(to: 0)
        try device.store.set([("doors", .integer(100))], on: id)
        try device.sync(server)
        #expect(server.records[id]?.fields["doors"]?.value == .integer(100))
        try device.expectNothingPending(server)
        try device.finish()
    }
}
