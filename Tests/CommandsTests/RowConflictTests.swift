import Coding
import Forms
import LocalStore
import Replication
import Testing

@Suite("Conflicts in rows of repeats")
struct RowConflictTests {
    private let round: RoundBench
    private let rows: [String]

    /// Two doors that the server knows.
    init() throws {
        round = try RoundBench()
        for tag in ["D-1", "D-2"] {
            #expect(try round.set("door[+]/tag=\(tag)", "site=Pier").status == 0)
        }
        for _ in try round.bench.document("outbox").asArray() {
            try round.bench.settle(by: ["status": "applied", "version": 1])
        }
        rows = try round.bench.document("show", round.id).object("repeats").elements("door").map {
            try $0.string("id")
        }
        #expect(try round.bench.document("outbox").asArray().isEmpty)
    }

    /// What was answered last meets another answer, or a deletion of the row.
    private func dispute(
        _ record: String, _ column: String, mine: JSON, isDeleted: Bool = false
    ) throws {
        var fields: [String: JSON] = [
            "@form": "round", "@formVersion": "1", column: "theirs",
        ]
        let isRow = record != round.id
        if isRow { fields["@repeat"] = "door" }
        if isDeleted { fields["@deleted"] = 1 }
        try round.bench.settle(by: [
            "status": "conflict", "version": 2,
            "record": round.bench.record(
                isRow ? "repeat" : "inspection", record, fields, parent: isRow ? round.id : nil,
                version: 2, isDeleted: isDeleted),
            "conflicts": [
                [
                    "column": .string(column), "base": nil, "mine": mine,
                    "theirs": isDeleted ? nil : "theirs", "theirsNode": "portal:office",
                    "rule": isDeleted ? "tombstone" : "ask",
                ]
            ],
        ])
    }

    @Test("are named with the row, and settled by values beside a row that is deleted")
    func mixed() throws {
        #expect(try round.set("door[1]/tag=gone").status == 0)
        try dispute(rows[0], "door/tag", mine: "gone", isDeleted: true)
        #expect(try round.set("door[1]/tag=mine", "site=ours").status == 0)
        let waiting = try round.bench.run("outbox").output
        #expect(waiting.contains("UPDATE door[1]: door/tag"), "\(waiting)")
        #expect(waiting.contains("UPDATE door[deleted]: door/tag"), "\(waiting)")
        let queue = try round.bench.document("outbox").asArray()
        #expect(try queue.map { try $0.member("row") }.contains("door[1]"))
        #expect(try queue.map { try $0.member("inspection") }.contains(.string(round.id)))
        for row in queue where try row.string("status") == "PENDING" {
            let isRow = try row.string("tableName") == "repeat"
            try dispute(
                try row.string("recordId"), isRow ? "door/tag" : "site",
                mine: isRow ? "mine" : "ours")
        }
        let shown = try round.bench.run("show", round.id).output
        #expect(shown.contains("conflict in door[deleted] (tombstone)"), "\(shown)")
        #expect(shown.contains("conflict in door[1]/tag (ask)"))
        #expect(
            try Set(
                round.bench.document("show", round.id).elements("conflicts").map {
                    try $0.string("address")
                }) == ["door[deleted]", "door[1]/tag", "site"])

        let named = try round.bench.run("resolve", round.id, "site=third", "door[1]/tag=third")
        #expect(named.status == 3 && named.messages.contains("door[deleted]"), "\(named.messages)")
        for words in [["--mine", "--theirs"], []] {
            #expect(try round.bench.bench.run(["resolve", round.id] + words).status == 2)
        }
        let other = try round.bench.run("resolve", round.id, "--theirs", "door[1]/gap=3")
        #expect(other.messages.contains("not in conflict: door[1]/gap"), "\(other.messages)")
        #expect(
            try round.bench.run("resolve", round.id, "--theirs", "door[1]/tag=third").status == 0)
        #expect(try round.value("door/tag", ofRow: 1) == "third")
        #expect(try round.value("site") == "theirs")
        #expect(try round.bench.document("status").integer("conflict") == 0)
    }
}
