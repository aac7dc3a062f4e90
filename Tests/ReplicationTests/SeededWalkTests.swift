import Coding
import Replication
import TestSupport
import Testing

/// Devices that edit offline, push when they like and pull what they missed, against the pure
/// merge. Everything that was ever written must be somewhere at the end.
private struct Walk {
    struct Device {
        let node: NodeID
        var clock = LamportClock()
        var seen: RecordState?
        var waiting: [Mutation] = []
    }

    var random: SeededRandom
    var server: RecordServer
    var devices: [Device]
    var written: [FieldValue] = []
    var pending: [FieldConflict] = []
    var number: Int64 = 0

    init(seed: UInt64, policy: MergePolicy, devices count: Int) {
        random = SeededRandom(seed: seed)
        server = RecordServer(policy: policy)
        devices = (0..<count).map { Device(node: NodeID("n\($0)")) }
        _ = server.take(edit(.insert, ["a": 0], lamport: 1), by: "origin")
    }

    mutating func step() {
        let index = random.below(devices.count)
        switch random.below(4) {
        case 0, 1: write(index)
        case 2: push(index)
        default: pull(index)
        }
    }

    /// An edit whose base is what the device has seen; an entry that waits is not moved by a pull.
    private mutating func write(_ index: Int) {
        number += 1
        let field = random.pick(["a", "b", "c"])
        let waiting = devices[index].waiting.last { $0.changes[field] != nil }?.changes[field]
        let seen = devices[index].seen?.fields[field]
        let lamport = devices[index].clock.tick()
        let change = FieldChange(
            value: .integer(number), baseValue: waiting?.baseValue ?? seen?.value ?? .null,
            baseVersion: waiting?.baseVersion ?? seen?.version ?? 0, lamport: lamport)
        var mutation = edit(.update, lamport: lamport)
        mutation.id = MutationID("w\(number)")
        mutation.changes = [field: change]
        devices[index].waiting.append(mutation)
        written.append(.integer(number))
    }

    private mutating func push(_ index: Int) {
        for mutation in devices[index].waiting {
            let outcome = server.take(mutation, by: devices[index].node)
            pending += outcome.conflicts
            // A lost answer: the same mutation comes twice, and must change nothing again.
            if random.oneIn(4) {
                let again = mergeRecord(
                    current: server.record, mutation: mutation, node: devices[index].node,
                    parentIsKnown: true
                ) { _ in server.policy }
                #expect(!again.isChanged && again.record == server.record, "\(mutation.id)")
            }
        }
        devices[index].waiting = []
    }

    private mutating func pull(_ index: Int) {
        devices[index].seen = server.record
        let highest = server.record?.fields.values.map(\.stamp.lamport).max() ?? 0
        devices[index].clock.adopt(serverLamport: highest)
    }

    mutating func finish() {
        for index in devices.indices { push(index) }
    }
}

struct SeededWalkTests {
    @Test(
        "no value that was written disappears: it stands, is in history, or waits for a person",
        arguments: [
            MergePolicy.ask, .quarantine, .lww, .max, .min, .rank(["3", "1", "2"]),
        ])
    func nothingLost(policy: MergePolicy) {
        for seed in UInt64(1)...60 {
            var walk = Walk(seed: seed, policy: policy, devices: 3)
            for _ in 0..<120 { walk.step() }
            walk.finish()
            let standing = walk.server.record?.fields.values.map(\.value) ?? []
            let kept = Set(
                standing + walk.server.history.map(\.value) + walk.pending.map(\.mine))
            let lost = walk.written.filter { !kept.contains($0) }
            #expect(lost == [], "seed \(seed), \(policy)")
        }
    }

    @Test("versions only rise, and a register's foreign version lies behind its own")
    func versions() {
        for seed in UInt64(100)...160 {
            var walk = Walk(seed: seed, policy: .lww, devices: 4)
            var last: Int64 = 0
            for _ in 0..<120 {
                walk.step()
                let record = walk.server.record
                #expect((record?.version ?? 0) >= last, "seed \(seed)")
                last = record?.version ?? 0
                for register in record.map({ Array($0.fields.values) }) ?? [] {
                    #expect(register.foreignVersion < register.version, "seed \(seed)")
                    #expect(register.version <= last, "seed \(seed)")
                }
            }
        }
    }
}
