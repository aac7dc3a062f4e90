import LocalStore
import Replication
import Sync
import Synchronization
import Testing

@Suite("T86 stories of copies that a restored server cannot take, over the device's store")
struct CopyStories {
    private static let bad: [RecordID] = ["a1", "a2", "a3"]
    private static let good: [RecordID] = ["b1", "b2", "b3"]

    /// Cycles until one in which nothing is offered any more.
    /// - Returns: how many requests each of them took.
    private func offerAll(_ device: StoreDevice, _ server: RestoredServer) -> [Int] {
        var counts: [Int] = []
        while counts.last != 0, counts.count < 20 {
            let before = server.offers.count
            #expect(server.sync(device).outcome == .synced)
            counts.append(server.offers.count - before)
        }
        return counts
    }

    @Test("T86 three bad copies do not keep the others, and are set aside", arguments: [400, 500])
    func threeBadAmongOthers(status: Int) throws {
        let device = try StoreDevice()
        let server = RestoredServer(losing: Self.bad + Self.good, on: device)
        server.state.withLock { ($0.bad, $0.refusal) = (Set(Self.bad), status) }
        for _ in 0..<2 { _ = server.sync(device) }
        #expect(server.stored == Set(Self.good), "behind the bad ones they had their turn")
        let counts = offerAll(device, server)
        #expect(counts == [3, 3, 3, 0], "each alone, and some time not at all")
        let kept = try device.store.status()
        #expect(kept.keptFromBefore == 3 && kept.keptRefused == 3 && kept.keptOffered == 0)
        #expect(kept.copyRefusals.map(\.records) == [3])
        try device.expectSettled()
    }

    @Test(
        "T86 where there are only bad copies, they are set aside in the end", arguments: [400, 500])
    func onlyBad(status: Int) throws {
        let device = try StoreDevice()
        let server = RestoredServer(losing: Self.bad, on: device)
        server.state.withLock { ($0.bad, $0.refusal) = (Set(Self.bad), status) }
        let counts = offerAll(device, server)
        #expect(counts.count == 6 && counts.dropFirst().dropLast() == [3, 3, 3, 3])
        #expect(try device.store.status().keptRefused == 3)
        try device.expectSettled()
    }

    @Test("T86 a copy that the server breaks over costs one request a cycle, and five cycles")
    func oneBreaks() throws {
        let device = try StoreDevice()
        let many = (10..<60).map { RecordID("r\($0)") }
        let server = RestoredServer(losing: many, on: device)
        server.state.withLock { ($0.bad, $0.refusal) = (["r37"], 500) }
        let counts = offerAll(device, server)
        #expect(server.stored == Set(many).subtracting(["r37"]))
        #expect(counts.dropFirst() == [1, 1, 1, 1, 0])
        #expect(
            try device.store.status().copyRefusals
                == [CopyRefusal(reason: "the server failed over it", records: 1)])
        try device.expectSettled()
    }

    @Test("T86 a server that is well again takes what it broke over")
    func wellAgain() throws {
        let device = try StoreDevice()
        let server = RestoredServer(losing: Self.bad + Self.good, on: device)
        server.state.withLock { ($0.bad, $0.refusal) = (Set(Self.bad + Self.good), 500) }
        for _ in 0..<4 { _ = server.sync(device) }
        #expect(server.stored.isEmpty)
        server.state.withLock { $0.bad = [] }
        _ = offerAll(device, server)
        #expect(server.stored == Set(Self.bad + Self.good))
        #expect(try device.store.status().keptFromBefore == 0)
        try device.expectSettled()
    }

    @Test("T86 a cycle ends, though each answer to the copies tells of another epoch")
    func anotherEpochEachTime() throws {
        let device = try StoreDevice()
        let server = RestoredServer(losing: Self.good, on: device)
        server.state.withLock { $0.forgetsItself = true }
        for cycle in 1...3 {
            _ = server.sync(device)
            #expect(server.offers.count == cycle)
            #expect(try device.store.status().keptFromBefore == 3, "nothing counts as taken")
        }
        server.state.withLock { $0.forgetsItself = false }
        _ = offerAll(device, server)
        #expect(server.stored == Set(Self.good))
        try device.expectSettled()
    }

    @Test("T86 two servers of different epochs behind one address do not keep a cycle from its end")
    func twoServers() throws {
        let device = try StoreDevice()
        let server = RestoredServer(losing: Self.good, on: device)
        server.state.withLock { $0.otherEpoch = 9 }
        for cycle in 1...3 {
            _ = server.sync(device)
            #expect(server.offers.count == cycle)
            #expect(try device.store.status().keptFromBefore == 3)
        }
        try device.expectSettled()
    }
}
