import Coding
import Inspections
import Replication
import ServerStore
import Testing

/// A device's mutations come by cable, and over the network too.
@Suite("Conformance: F12 bundles")
struct BundleTests {
    private func assigned(_ backend: Backend) throws -> (Yard, RecordID, Handheld) {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        return (yard, id, device)
    }

    private func take(
        _ yard: Yard, _ device: Handheld, _ batches: [Mutation]...
    ) throws -> [Verdict.Status] {
        try take(yard, device, batches.map { device.request($0) })
    }

    private func take(
        _ yard: Yard, _ device: Handheld, _ requests: [PushRequest]
    ) throws -> [Verdict.Status] {
        var holds = BatchHolds()
        return try requests.flatMap {
            try yard.store.take(bundled: $0, ofDevice: device.device.id, &holds)
        }.map(\.status)
    }

    @Test(
        "twice by cable and then over the network it has one effect, and the device hears of it",
        arguments: Backend.allCases)
    func once(backend: Backend) throws {
        let (yard, id, device) = try assigned(backend)
        let change = device.change(id, ["notes": .string("ten days")])
        #expect(try take(yard, device, [change]) == [.applied])
        #expect(try take(yard, device, [change]) == [.duplicate])
        let version = try yard.everything()[id]?.version
        let verdict = try device.push(change)[0]
        #expect(verdict.status.isAcknowledgement && verdict.version == version)
        #expect(try yard.everything()[id]?.version == version)
    }

    @Test(
        "after part of it came over the network the rest is taken, and no baton is touched",
        arguments: Backend.allCases)
    func afterPart(backend: Backend) throws {
        let (yard, id, device) = try assigned(backend)
        let first = device.change(id, ["notes": .string("one")])
        let second = device.change(id, ["high": .integer(2)])
        let bundle = [device.request([first, second])]
        try device.push(first)
        #expect(try take(yard, device, bundle) == [.duplicate, .applied])
        // The device's baton is still the newest one.
        #expect(try device.push(second)[0].status.isAcknowledgement)
        let later = device.change(id, ["low": .integer(1)])
        #expect(try device.push(later).map(\.status) == [.applied])
    }

    @Test(
        "a bundle does not disturb a batch whose answer was lost", arguments: Backend.allCases)
    func lostAnswer(backend: Backend) throws {
        let (yard, id, device) = try assigned(backend)
        let first = device.change(id, ["notes": .string("one")])
        let baton = device.baton
        try device.push(first)
        device.baton = baton
        let second = device.change(id, ["high": .integer(2)])
        #expect(try take(yard, device, [first, second]) == [.duplicate, .applied])
        let answers = try device.push(first, second)
        #expect(answers.allSatisfy { $0.status.isAcknowledgement })
    }

    @Test(
        "T85 a home put back from before a bundle is noticed, over the network and by cable",
        arguments: Backend.allCases, [true, false])
    func forkBehindBundle(backend: Backend, byCable: Bool) throws {
        let (yard, id, device) = try assigned(backend)
        try device.push(device.change(id, ["place": .string("p0")]))
        let putBack = device.copy()
        let bundled = device.change(id, ["notes": .string("by cable")])
        #expect(try take(yard, device, [bundled]) == [.applied])
        // The import has moved no baton: only the place in the sequence tells.
        let other = putBack.change(id, ["notes": .string("put back")], id: "another")
        #expect(other.sequence == bundled.sequence && putBack.baton == device.baton)
        let code = refusal {
            if byCable { _ = try take(yard, putBack, [other]) } else { try putBack.push(other) }
        }
        #expect(code == .forked)
        #expect(try yard.everything()[id]?.fields["notes"]?.value == .string("by cable"))
    }

    @Test(
        "two bundles in the wrong order, or after the network, end alike",
        arguments: Backend.allCases, [[0, 1], [1, 0], [1, 0, 1], [2, 0, 1], [0, 2, 1]])
    func order(backend: Backend, order: [Int]) throws {
        let (yard, id, device) = try assigned(backend)
        let first = device.change(id, ["notes": .string("first"), "place": .string("p1")])
        let early = device.request([first])
        let second = device.change(id, ["notes": .string("second")])
        let late = device.request([first, second])
        for step in order {
            switch step {
            case 0: _ = try take(yard, device, [early])
            case 1: _ = try take(yard, device, [late])
            default: try device.push(first, second)
            }
        }
        let record = try #require(try yard.everything()[id])
        #expect(record.fields["notes"]?.value == .string("second"))
        #expect(record.fields["place"]?.value == .string("p1"))
    }

    @Test(
        "an older bundle comes after a later edit: the later one stands",
        arguments: Backend.allCases)
    func late(backend: Backend) throws {
        let (yard, id, device) = try assigned(backend)
        let old = device.change(id, ["notes": .string("old")])
        let new = device.change(id, ["notes": .string("new")])
        try device.push(new)
        #expect(try take(yard, device, [old]) == [.merged])
        #expect(try yard.everything()[id]?.fields["notes"]?.value == .string("new"))
    }

    @Test(
        "conflict, review, refusal and what they hold back are as over the network, in all batches",
        arguments: Backend.allCases, [true, false])
    func verdicts(backend: Backend, apart: Bool) throws {
        let (yard, id, device) = try assigned(backend)
        let other = try yard.enrol("b")
        try other.pull()
        try other.push(
            other.change(id, ["notes": .string("theirs"), "pressure": .integer(100)]))
        let mutations = [
            device.change(id, ["notes": .string("mine")]),
            device.change(id, ["notes": .string("mine again")]),
            device.change(id, ["pressure": .integer(200)]),
            device.change(id, ["pressure": .integer(201)]),
            device.change(id, ["nonsense": .integer(1)]),
            device.change(id, ["place": .string("p")]),
        ]
        let requests = apart ? mutations.map { device.request([$0]) } : [device.request(mutations)]
        let expected: [Verdict.Status] = [
            .conflict, .held, .quarantined, .held, .rejected, .applied,
        ]
        #expect(try take(yard, device, requests) == expected)
        #expect(try yard.store.openReviews().count == 1)
        let again = try take(yard, device, requests)
        #expect(again.dropLast() == expected.dropLast() && again.last == .duplicate)
        #expect(try yard.store.openReviews().count == 1)
        // The device hears the same, and nothing else happens.
        let heard = try device.push(mutations).map(\.status)
        #expect(heard.dropLast() == expected.dropLast())
        #expect(heard.last?.isAcknowledgement == true)
    }

    @Test(
        "a revoked device, another team's record and a copy are refused",
        arguments: Backend.allCases)
    func refused(backend: Backend) throws {
        let (yard, id, device) = try assigned(backend)
        let stranger = try yard.enrol("s", team: "south")
        #expect(try take(yard, stranger, [stranger.change(id, ["notes": .null])]) == [.rejected])
        let mine = device.change(id, ["high": .integer(1)])
        let copied = device.copy()
        try device.push(mine)
        let clash = Mutation(
            id: mine.id, sequence: mine.sequence, table: mine.table, record: mine.record,
            parent: mine.parent, operation: mine.operation, lamport: mine.lamport,
            changes: ["high": FieldChange(value: .integer(9), baseVersion: 1, lamport: 9)],
            createdAtUtc: mine.createdAtUtc)
        #expect(try take(yard, copied, [clash]) == [.rejected])
        try yard.store.revokeDevice(id: device.device.id)
        let more = device.change(id, ["low": .integer(1)])
        #expect(refusal { _ = try take(yard, device, [more]) } == .unknownDevice)
        #expect(try yard.everything()[id]?.fields["low"] == nil)
    }

    @Test(
        "a bundle under a node that the server has not met makes it the device's",
        arguments: Backend.allCases)
    func newNode(backend: Backend) throws {
        let (yard, id, device) = try assigned(backend)
        device.takeNewNode("node-new")
        let change = device.change(id, ["notes": .string("n")])
        #expect(try take(yard, device, [change]) == [.applied])
        #expect(try device.push(change)[0].status.isAcknowledgement)
        let other = try yard.enrol("b")
        other.takeNewNode("node-new")
        let theirs = other.change(id, ["high": .integer(1)])
        #expect(refusal { _ = try take(yard, other, [theirs]) } == .wrongNode)
    }

    @Test(
        "a bundle from before a restore is judged on the versions of its time",
        arguments: Backend.allCases)
    func restored(backend: Backend) throws {
        let (yard, id, device) = try assigned(backend)
        let backup = try yard.backUp()
        try device.push(device.change(id, ["notes": .string("lost")]))
        try device.pull()
        let mine = device.request([device.change(id, ["notes": .string("mine")])])
        try yard.restore(backup)
        let other = try yard.enrol("b")
        try other.pull()
        try other.push(other.change(id, ["notes": .string("theirs")]))
        #expect(try take(yard, device, [mine]) == [.conflict])
    }
}
