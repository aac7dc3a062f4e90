import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// A database that was set back to an older state, as by the snapshot of a disk, without anybody
/// telling the server. Whoever was acknowledged something since shows it.
@Suite("Conformance: a database set back behind the server's back")
struct SetBackTests {
    private func yard(_ backend: Backend) throws -> (Yard, RecordID, Handheld, Handheld) {
        let (yard, id, first, second) = try Yard.pair(backend)
        try first.push(first.change(id, ["notes": .string("in the snapshot")]))
        return (yard, id, first, second)
    }

    @Test(
        "T86 it is noticed by a device that has only pushed since, whatever others pushed meanwhile",
        arguments: Backend.allCases, [0, 1, 9])
    func onlyPushed(backend: Backend, byOthers: Int) throws {
        let (yard, id, first, second) = try yard(backend)
        let epoch = try yard.store.serverEpoch()
        let snapshot = try yard.backUp()
        let lost = [
            first.change(id, ["high": .integer(7)]),
            first.begin("new", asset: ImportedID.asset("A1"), ["notes": .string("n")]),
        ]
        for mutation in lost { #expect(try first.push(mutation).map(\.status) == [.applied]) }
        try yard.setBack(to: snapshot)
        // The feed passes the place where it was before.
        for number in 0..<byOthers {
            try second.push(second.change(id, ["place": .string("\(number)")]))
        }
        #expect(try yard.store.serverEpoch() == epoch)
        let next = first.change(id, ["low": .integer(1)])
        #expect(try first.push(next).map(\.status) == [.applied], "it is no fork")
        #expect(try yard.store.serverEpoch() > epoch)
        let begun = try yard.store.serverEpoch()
        #expect(refusal { try first.pullPage() } == .cursorExpired)
        first.cursor = nil
        try first.pull()
        // What a device does that hears of another epoch.
        #expect(try first.push(lost).map(\.status) == [.applied, .applied])
        let record = try #require(try yard.everything()[id])
        #expect(record.fields["high"]?.value == .integer(7))
        #expect(record.fields["low"]?.value == .integer(1))
        #expect(try yard.everything()["new"]?.fields["notes"]?.value == .string("n"))
        #expect(try yard.store.serverEpoch() == begun, "once")
    }

    @Test(
        "a node that the older state does not know shows it too, and an answer that was lost nothing",
        arguments: Backend.allCases)
    func unknownNode(backend: Backend) throws {
        let (yard, id, first, second) = try yard(backend)
        let snapshot = try yard.backUp()
        first.takeNewNode("node-late")
        let lost = first.change(id, ["high": .integer(7)], id: "late")
        try first.push(lost)
        // Judged and never answered: sent again it is judged again, and nobody is missing anything.
        let unheard = second.change(id, ["low": .integer(1)])
        _ = try yard.store.push(second.request([unheard]), from: second.device)
        try yard.setBack(to: snapshot)
        let epoch = try yard.store.serverEpoch()
        second.cursor = nil
        #expect(try second.push(unheard).map(\.status) == [.applied])
        #expect(try yard.store.serverEpoch() == epoch)
        #expect(try first.push(lost).map(\.status) == [.applied])
        #expect(try yard.store.serverEpoch() > epoch)
    }

    @Test(
        "no device begins an epoch with a baton that it made up, or that is another's",
        arguments: Backend.allCases)
    func forged(backend: Backend) throws {
        let (yard, id, first, second) = try yard(backend)
        let epoch = try yard.store.serverEpoch()
        for number in 0..<3 { try first.push(first.change(id, ["high": .integer(Int64(number))])) }
        let genuine = try #require(first.baton)
        let halves = genuine.split(separator: "-").map(String.init)
        let parts = halves[0].split(separator: ".").map(String.init)
        let ahead = [parts[0], "zz", parts[2]].joined(separator: ".")
        try second.push(second.change(id, ["low": .integer(1)]))
        for baton in [ahead, ahead + "-" + halves[1], genuine, first.cursor ?? ""] {
            second.baton = baton
            #expect(
                refusal { try second.push(second.change(id, ["low": .integer(0)])) } == .forked)
        }
        #expect(try yard.store.serverEpoch() == epoch)
    }

    @Test(
        "an epoch that the older state had not begun yet is not begun a second time",
        arguments: Backend.allCases)
    func forgottenEpoch(backend: Backend) throws {
        let (yard, id, first, _) = try yard(backend)
        let snapshot = try yard.backUp()
        try yard.restore(try yard.backUp(as: "2.db"))
        first.cursor = nil
        try first.pull()
        try first.push(first.change(id, ["high": .integer(7)]))
        let newest = try yard.store.serverEpoch()
        try yard.setBack(to: snapshot)
        // Its own clock may be wrong too.
        yard.clock.advance(seconds: -86_400)
        try first.push(first.change(id, ["low": .integer(1)]))
        #expect(try yard.store.serverEpoch() > newest)
    }
}
