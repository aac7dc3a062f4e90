import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

@Suite("What the journal's entries come to")
struct JournalReplayTests {
    private static func mutation(
        _ id: String, _ sequence: Int64 = 1, _ values: [FieldName: Int64] = [:]
    ) -> JournalledMutation {
        JournalledMutation(
            id: id, sequence: sequence, table: "inspection", record: "r", operation: "UPDATE",
            status: "PENDING", isSealed: false, lamport: 1, bytes: 64, schemaVersion: 1,
            retryCount: 0, createdAt: "",
            fields: values.mapValues { value in
                JournalledMutation.Field(
                    value: .integer(value), baseValue: .null, baseVersion: 0, lamport: value)
            })
    }

    private static func transaction(
        _ number: Int64, _ changes: [JournalChange], isDurable: Bool = true, lamport: Int64 = 0
    ) -> JournalEntry {
        .transaction(
            JournalTransaction(
                number: number, isDurable: isDurable,
                position: JournalPosition(lamport: lamport, sequence: number, serverEpoch: 1),
                changes: changes))
    }

    private func replay(_ entries: [JournalEntry]) -> JournalReplay {
        entries.reduce(into: JournalReplay()) { $0.take($1, in: 1) }
    }

    @Test("the last entry is undecided until another number follows")
    func undecided() {
        var story = [Self.transaction(1, [.standing(Self.mutation("a"))])]
        #expect(replay(story).standing == [])
        #expect(replay(story).undecided?.number == 1)
        story.append(Self.transaction(2, [.standing(Self.mutation("b", 2))]))
        #expect(replay(story).standing.map(\.id) == ["a"])
        #expect(replay(story).undecided?.number == 2)
    }

    @Test("a number that comes again says that the one before was rolled back")
    func superseded() {
        let story = [
            Self.transaction(1, [.standing(Self.mutation("a"))]),
            Self.transaction(2, [.standing(Self.mutation("b", 2))]),
            Self.transaction(2, [.standing(Self.mutation("c", 3))]),
            Self.transaction(3, [.settled("a")]),
        ]
        #expect(replay(story + [.confirmed(3)]).standing.map(\.id) == ["c"])
    }

    @Test("a mark decides: what is up to its number was committed, what is beyond was not")
    func marked() {
        let entry = Self.transaction(5, [.standing(Self.mutation("a"))])
        #expect(replay([entry, .confirmed(5)]).standing.map(\.id) == ["a"])
        #expect(replay([entry, .confirmed(4)]).standing == [])
        #expect(replay([entry, .confirmed(4)]).undecided == nil)
    }

    @Test("the last state of each mutation counts, in the order of the queue")
    func lastState() {
        let story = [
            Self.transaction(
                1, [.standing(Self.mutation("b", 2, ["x": 1])), .standing(Self.mutation("a", 1))]),
            Self.transaction(2, [.standing(Self.mutation("b", 2, ["x": 2]))]),
            Self.transaction(3, [.settled("a")]), .confirmed(3),
        ]
        #expect(replay(story).standing == [Self.mutation("b", 2, ["x": 2])])
    }

    @Test("of a large mutation only what changed is written, and comes together again")
    func amended() {
        let story = [
            Self.transaction(1, [.standing(Self.mutation("a", 1, ["x": 1, "y": 1, "z": 1]))]),
            Self.transaction(2, [.amended(Self.mutation("a", 1, ["x": 2]), removed: ["z"])]),
            .confirmed(2),
        ]
        #expect(replay(story).standing == [Self.mutation("a", 1, ["x": 2, "y": 1])])
        #expect(replay(story).incomplete == [])
    }

    @Test("a large mutation whose beginning is lost comes back in part, and is told")
    func incomplete() {
        let story = [
            Self.transaction(2, [.amended(Self.mutation("a", 1, ["x": 2]), removed: [])]),
            .confirmed(2),
        ]
        #expect(replay(story).standing == [Self.mutation("a", 1, ["x": 2])])
        #expect(replay(story).incomplete == ["a"])
    }

    @Test("a large mutation of which a change in between may be lost is told, until it comes whole")
    func gap() {
        var replay = replay([
            Self.transaction(1, [.standing(Self.mutation("a", 1, ["x": 1, "y": 1]))]),
            Self.transaction(2, [.standing(Self.mutation("b", 2))]),
        ])
        replay.noteLoss()
        replay.take(
            Self.transaction(4, [.amended(Self.mutation("a", 1, ["x": 4]), removed: [])]), in: 1)
        replay.take(Self.transaction(5, [.standing(Self.mutation("b", 2, ["x": 5]))]), in: 1)
        replay.take(.confirmed(5), in: 1)
        #expect(replay.incomplete == ["a"])
        replay.take(Self.transaction(6, [.standing(Self.mutation("a", 1, ["x": 6]))]), in: 1)
        replay.take(.confirmed(6), in: 1)
        #expect(replay.incomplete == [])
    }

    @Test("a snapshot makes everything before it count no more")
    func snapshot() {
        let origin = JournalOrigin(metadata: ["node": "n"])
        let story = [
            Self.transaction(7, [.standing(Self.mutation("a"))], lamport: 40),
            .snapshot(
                JournalSnapshot(
                    number: 3, position: JournalPosition(lamport: 9, sequence: 2, serverEpoch: 1),
                    origin: origin, mutations: [Self.mutation("b")],
                    offered: [
                        JournalledOffer(mutation: Self.mutation("c"), doubt: .otherwise)
                    ])),
        ]
        let replay = replay(story)
        #expect(replay.standing.map(\.id) == ["b"])
        #expect(replay.offered.map(\.mutation.id) == ["c"])
        #expect(replay.number == 3 && replay.undecided == nil)
        #expect(replay.origin == origin)
        // What was counted once is not counted again.
        #expect(replay.highestLamport == 40 && replay.highestSequence == 7)
    }

    @Test("who the device is comes from a segment's beginning only where nothing older says it")
    func origin() {
        let old = JournalOrigin(metadata: ["node": "old"])
        let new = JournalOrigin(metadata: ["node": "new"])
        #expect(replay([.beginning(old, since: 0), .beginning(new, since: 0)]).origin == old)
        var change = JournalTransaction(
            number: 1, isDurable: true,
            position: JournalPosition(lamport: 1, sequence: 1, serverEpoch: 1), changes: [])
        change.origin = new
        #expect(replay([.beginning(old, since: 0), .transaction(change)]).origin == old)
        #expect(
            replay([.beginning(old, since: 0), .transaction(change), .confirmed(1)]).origin == new)
    }

    @Test("the oldest segment that it takes to know a mutation is known")
    func since() {
        var replay = JournalReplay()
        replay.take(Self.transaction(1, [.standing(Self.mutation("a"))]), in: 1)
        replay.take(Self.transaction(2, [.standing(Self.mutation("b", 2))]), in: 1)
        replay.take(Self.transaction(3, [.amended(Self.mutation("a"), removed: [])]), in: 2)
        replay.take(Self.transaction(4, [.standing(Self.mutation("b", 2))]), in: 2)
        replay.take(.confirmed(4), in: 2)
        #expect(replay.kept["a"]?.since == 1)
        #expect(replay.kept["b"]?.since == 2)
    }

    @Test("what a power cut may take of the database is told from what it may not")
    func durable() {
        let story = [
            Self.transaction(1, [.standing(Self.mutation("a"))]),
            Self.transaction(2, [.settled("a")], isDurable: false), .confirmed(2),
        ]
        #expect(replay(story).durableNumber == 1)
        #expect(replay(story).number == 2)
    }
}
