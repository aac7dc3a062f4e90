import Coding
import Forms
import Replication
import SQLite
import Testing

@testable import LocalStore

@Suite("Rows of repeats")
struct RowTests {
    @Test("A row is a record below its inspection, with its answers, in order")
    func added() throws {
        let (device, id) = try Device.withRound()
        let first = try device.addRow(to: id, ("door/tag", "D-1"), ("door/gap", .integer(3)))
        let second = try device.addRow(to: id, ("door/tag", "D-2"), ("door/gap", .double(1.5)))
        let hinge = try device.addRow(
            "door/hinge", in: second, to: id, ("door/hinge/play", .integer(2)))
        #expect(try device.rows(of: id).map(\.id.rawValue) == [first, second])
        #expect(try device.rows(of: id).map(\.index) == [1, 2])
        #expect(try device.rows("door/hinge", of: id).map(\.parent?.rawValue) == [second])
        #expect(try device.value("total", of: id) == .double(4.5))
        #expect(try device.value("door/number", of: RecordID(second)) == .integer(2))
        #expect(
            try device.queue(RecordID(hinge)) == [
                """
                INSERT PENDING @form=round on -@0 @formVersion=1 on -@0 @order=1 on -@0 \
                @repeat=door/hinge on -@0 door/hinge/play=2 on -@0
                """
            ])
        #expect(try device.store.status().pending == 4)
        let summary = try device.store.inspection(id).summary
        #expect(summary.sync == .pending)
        #expect(try device.store.inspections() == [summary])
        try device.finish()
    }

    @Test("F48 the second of four is deleted: exactly that one goes, and it was called by its name")
    func secondOfFour() throws {
        let (device, id) = try Device.withRound()
        let rows = try (1...4).map { number in
            try device.addRow(to: id, ("door/tag", .string("D-\(number)")))
        }
        #expect(
            throws: AnswerRefusal.removesRows([
                .init(address: "door[2]", name: "Door 2: D-2")
            ])
        ) {
            try device.store.change(id, by: [.remove(row: rows[1])])
        }
        #expect(try device.rows(of: id).count == 4)
        try device.store.change(id, by: [.remove(row: rows[1])], agreed: true)
        #expect(try device.column("door/tag", of: id) == ["D-1", "D-3", "D-4"])
        #expect(
            try device.column("door/number", of: id) == [.integer(1), .integer(2), .integer(3)])
        #expect(try device.value("doors", of: id) == .integer(3))
        try device.finish()
    }

    @Test(
        "F49 a row is deleted at each place, of unsent and of sent rows, and what is left is stored",
        arguments: 0..<4, [false, true])
    func deletedAnywhere(place: Int, isSent: Bool) throws {
        let (device, id) = try Device.withRound()
        let server = StoryServer()
        server.policies = [:]
        var rows = try (1...4).map { number in
            try device.addRow(
                to: id, ("door/tag", .string("D-\(number)")), ("door/gap", .integer(1)))
        }
        try device.addRow("door/hinge", in: rows[place], to: id, ("door/hinge/play", .integer(1)))
        if isSent { try device.sync(server) }
        try device.store.change(id, by: [.remove(row: rows.remove(at: place))], agreed: true)
        try device.reopen()
        #expect(try device.rows(of: id).map(\.id.rawValue) == rows)
        #expect(try device.rows("door/hinge", of: id).isEmpty)
        #expect(try device.value("total", of: id) == .integer(3))
        try device.answer(id, row: rows[2], ("door/gap", .integer(7)))
        #expect(try device.value("total", of: id) == .integer(9))
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("F51 a count makes the rows that it asks for, and asks before it takes filled ones away")
    func counted() throws {
        let (device, id) = try Device.withRound()
        try device.answer(id, ("pumps", .integer(3)))
        let rows = try device.rows("pump", of: id).map(\.id.rawValue)
        #expect(rows.count == 3)
        try device.answer(id, row: rows[1], ("pump/tag", "P-2"))
        try device.answer(id, row: rows[2], ("pump/tag", "P-3"))
        let removal = AnswerRefusal.removesRows([
            .init(address: "pump[2]", name: "Pump 2: P-2"),
            .init(address: "pump[3]", name: "Pump 3: P-3"),
        ])
        #expect(throws: removal) { try device.answer(id, ("pumps", .integer(1))) }
        #expect(try device.value("pumps", of: id) == .integer(3))
        #expect(try device.rows("pump", of: id).count == 3)
        try device.store.change(
            id, by: [.answer(AnswerKey("pumps"), .integer(1))], agreed: true)
        #expect(try device.rows("pump", of: id).map(\.id.rawValue) == [rows[0]])
        // Rows without an answer are no loss.
        try device.answer(id, ("pumps", .integer(4)))
        try device.answer(id, ("pumps", .integer(2)))
        #expect(try device.rows("pump", of: id).count == 2)
        #expect(throws: AnswerRefusal.tooManyRows(limit: 500)) {
            try device.answer(id, ("pumps", .integer(100_000)))
        }
        #expect(throws: AnswerRefusal.fixedRows("pump")) {
            try device.addRow("pump", to: id)
        }
        #expect(throws: AnswerRefusal.fixedRows("pump")) {
            try device.store.change(id, by: [.remove(row: rows[0])], agreed: true)
        }
        try device.finish()
    }

    @Test("A row that is added, changed and deleted before it was sent leaves nothing behind")
    func goneBeforeSending() throws {
        let (device, id) = try Device.withRound()
        let server = StoryServer()
        server.policies = [:]
        try device.sync(server)
        let row = try device.addRow(to: id, ("door/tag", "D-1"))
        try device.answer(id, row: row, ("door/gap", .integer(2)))
        try device.store.change(id, by: [.remove(row: row)], agreed: true)
        #expect(try device.store.outbox().allSatisfy { $0.recordId == id })
        try device.sync(server)
        #expect(server.records.keys.sorted() == [id])
        #expect(try device.store.history(of: RecordID(row)).map(\.field).contains("door/tag"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("What a colleague answers in a row comes in, and the next answer reckons with it")
    func pulled() throws {
        let (device, id) = try Device.withRound()
        let server = StoryServer()
        server.policies = [:]
        let row = try device.addRow(to: id, ("door/gap", .integer(2)))
        try device.sync(server)
        server.edit(
            "their-row",
            [
                "@form": "round", "@formVersion": "1", "@repeat": "door", "@order": .integer(2),
                "door/gap": .integer(5),
            ],
            table: RecordTable.repetition, parent: id)
        try device.sync(server)
        #expect(try device.rows(of: id).map(\.id) == [RecordID(row), "their-row"])
        // Nothing is written by looking.
        #expect(try device.value("total", of: id) == .integer(2))
        #expect(try device.store.outbox().isEmpty)
        try device.answer(id, ("site", "Pier 4"))
        #expect(try device.value("total", of: id) == .integer(7))
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("Two people answer the same question of a row: the inspection says so until one decides")
    func conflict() throws {
        let (device, id) = try Device.withRound()
        let server = StoryServer()
        server.policies = ["total": .lww, "door/half": .lww]
        let row = RecordID(try device.addRow(to: id, ("door/tag", "D-1")))
        try device.sync(server)
        server.edit(row, ["door/tag": "theirs"], table: RecordTable.repetition)
        try device.answer(id, row: row.rawValue, ("door/tag", "mine"))
        try device.sync(server)
        let detail = try device.store.inspection(id)
        #expect(detail.summary.sync == .conflict)
        #expect(detail.conflicts.map(\.recordId) == [row])
        #expect(detail.rows[0].fields["door/tag"]?.sync == .conflict)
        try device.store.resolve(row, ["door/tag": .mine])
        try device.sync(server)
        #expect(server.records[row]?.fields["door/tag"]?.value == "mine")
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("A row that a colleague deletes under an edit is offered back")
    func deletedUnderAnEdit() throws {
        let (device, id) = try Device.withRound()
        let server = StoryServer()
        server.policies = [:]
        let row = RecordID(try device.addRow(to: id, ("door/tag", "D-1")))
        try device.sync(server)
        server.edit(row, [Mutation.deletedField: .integer(1)], table: RecordTable.repetition)
        try device.answer(id, row: row.rawValue, ("door/tag", "still here"))
        try device.sync(server)
        #expect(try device.store.inspection(id).conflicts.map(\.recordId) == [row])
        let decided = Dictionary(
            try device.store.conflicts(of: row).map { ($0.column, Resolution.mine) }
        ) { first, _ in first }
        try device.store.resolve(row, decided)
        try device.sync(server)
        #expect(server.records[row]?.isDeleted == false)
        #expect(try device.column("door/tag", of: id) == ["still here"])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("Rows that something waits for are named by their places, deleted ones too")
    func places() throws {
        let (device, id) = try Device.withRound()
        let server = StoryServer()
        server.policies = [:]
        let rows = try ["D-1", "D-2", "D-3"].map {
            RecordID(try device.addRow(to: id, ("door/tag", .string($0))))
        }
        let hinge = RecordID(try device.addRow("door/hinge", in: rows[1].rawValue, to: id))
        let own = RecordID(
            try device.addRow("door/hinge", in: rows[2].rawValue, to: id))
        try device.sync(server)
        server.edit(rows[1], [Mutation.deletedField: .integer(1)], table: RecordTable.repetition)
        try device.answer(id, row: rows[1].rawValue, ("door/tag", "still here"))
        try device.answer(id, row: rows[2].rawValue, ("door/tag", "later"))
        try device.sync(server)
        let places = try device.store.rowPlaces(of: Set(rows + [hinge, own, id]))
        #expect(
            places.mapValues(\.address) == [
                rows[0]: "door[1]", rows[1]: "door[deleted]", rows[2]: "door[2]",
                hinge: "door[deleted]/hinge[deleted]", own: "door[2]/hinge[1]",
            ])
        #expect(Set(places.values.map(\.inspection)) == [id])
        let place = try #require(places[own])
        #expect(place.address(of: "door/hinge/play") == "door[2]/hinge[1]/play")
        #expect(place.address(of: Mutation.deletedField) == "door[2]/hinge[1]")
        let decided = Dictionary(
            try device.store.conflicts(of: rows[1]).map { ($0.column, Resolution.theirs) }
        ) { first, _ in first }
        try device.store.resolve(rows[1], decided)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("Rows of a deleted inspection are on no list, and what waits of them does no harm")
    func deletedInspection() throws {
        let (device, id) = try Device.withRound()
        let server = StoryServer()
        server.policies = [:]
        let row = try device.addRow(to: id, ("door/tag", "D-1"))
        try device.sync(server)
        try device.answer(id, row: row, ("door/tag", "D-2"))
        try device.store.delete(id)
        #expect(try device.store.inspections().isEmpty)
        #expect(throws: StoreError.unknownRecord(id.rawValue)) {
            try device.answer(id, row: row, ("door/tag", "D-3"))
        }
        #expect(
            try device.store.sql("SELECT count(*) FROM round__door", write: false).rows
                == [[.integer(0)]])
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("A required answer is missing in one row: its number stands with the problem")
    func completion() throws {
        let (device, id) = try Device.withRound()
        try device.addRow(to: id, ("door/seal", "good"))
        let second = try device.addRow(to: id, ("door/tag", "D-2"))
        let filling = try device.store.filling(of: id)
        #expect(
            filling.state.problems == [
                FormProblem(path: "door/seal", problem: .required, row: second)
            ])
        #expect(filling.address(of: AnswerKey(row: second, "door/seal")) == "door[2]/seal")
        #expect(throws: (any Error).self) { try device.requireCompletable(id) }
        try device.answer(id, row: second, ("door/seal", "worn"))
        try device.store.saveDraft("1,2,3", of: "door/gap", in: RecordID(second))
        #expect(
            try device.store.filling(of: id).state.problems.map(\.problem) == [.unfinishedDraft])
        try device.answer(id, row: second, ("door/gap", .integer(1)))
        try device.requireCompletable(id)
        try device.finish()
    }
}
