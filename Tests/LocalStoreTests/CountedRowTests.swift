import Coding
import Forms
import Replication
import Testing

@testable import LocalStore

/// Rows that a count makes, on two devices at once.
@Suite("Counted rows of two devices")
struct CountedRowTests {
    private let first: Device
    private let second: Device
    private let server = StoryServer()
    private let id: RecordID

    init() throws {
        (first, id) = try Device.withRound()
        second = try Device(seed: 2, node: "node-b")
        try second.store.store(form: try RoundForm.form)
        try first.sync(server)
        try second.sync(server)
    }

    private func meet() throws {
        for device in [first, second, first] { try device.sync(server) }
    }

    private func tags(_ device: Device) throws -> [String] {
        try device.rows("pump", of: id).map {
            $0.fields["pump/tag"]?.value.plainText ?? ""
        }
    }

    private func expectRest() throws {
        for device in [first, second] {
            try device.expectNothingPending(server)
            try device.finish()
        }
    }

    @Test("raised on both at once, there are as many as were counted, with the answers of both")
    func together() throws {
        for (device, row) in [(first, 0), (second, 1)] {
            try device.answer(id, ("pumps", .integer(2)))
            try device.answer(
                id, row: device.rows("pump", of: id)[row].id.rawValue,
                ("pump/tag", .string("P-\(row + 1)")))
        }
        try meet()
        #expect(try tags(first) == ["P-1", "P-2"])
        #expect(try tags(second) == ["P-1", "P-2"])
        try expectRest()
    }

    @Test("the same question of the same row, answered by both, is asked about and nothing is lost")
    func sameAnswer() throws {
        for (device, tag) in [(first, "P-1"), (second, "Q-1")] {
            try device.answer(id, ("pumps", .integer(1)))
            try device.answer(
                id, row: device.rows("pump", of: id)[0].id.rawValue, ("pump/tag", .string(tag)))
        }
        try meet()
        let row = try second.rows("pump", of: id)[0].id
        #expect(try second.store.conflicts(of: row).map(\.column) == ["pump/tag"])
        try second.store.resolve(row, ["pump/tag": .mine])
        try meet()
        try second.sync(server)
        #expect(try tags(first) == ["Q-1"] && tags(second) == ["Q-1"])
        try expectRest()
    }

    @Test("a number that both have counted otherwise brings its rows when it is decided")
    func decided() throws {
        try first.answer(id, ("pumps", .integer(1)))
        try second.answer(id, ("pumps", .integer(2)))
        try meet()
        let other = try second.store.conflicts(of: id).map(\.column)
        #expect(other == ["pumps"])
        try second.store.resolve(id, ["pumps": .value(.integer(4))])
        #expect(try tags(second).count == 4)
        try meet()
        try second.sync(server)
        #expect(try tags(first).count == 4 && tags(second).count == 4)
        try expectRest()
    }

    @Test("a number that a statement writes brings its rows, and takes no answered one away")
    func statement() throws {
        let write = { (number: Int) in
            _ = try first.store.sql(
                "UPDATE round SET pumps = \(number) WHERE id = '\(id)'", write: true)
        }
        try write(2)
        try first.answer(
            id, row: first.rows("pump", of: id)[1].id.rawValue, ("pump/tag", "P-2"))
        try write(3)
        #expect(try tags(first) == ["", "P-2", ""])
        try write(1)
        #expect(try tags(first) == ["", "P-2", ""])
        #expect(throws: AnswerRefusal.tooManyRows(limit: FormFilling.mostCountedRows)) {
            try write(501)
        }
        try meet()
        try expectRest()
    }

    @Test("rows that are missing beside a number are made before an inspection is finished")
    func finished() throws {
        try first.answer(id, ("pumps", .integer(1)))
        try meet()
        // As by an older program, which made none.
        server.edit(id, ["pumps": .integer(3)])
        try first.pullAll(from: server)
        #expect(try tags(first).count == 1)
        try first.store.complete(id)
        #expect(try tags(first).count == 3)
        try meet()
        try expectRest()
    }

    @Test("a number that was taken back comes again as a new row, without a question")
    func again() throws {
        try first.answer(id, ("pumps", .integer(2)))
        try meet()
        try first.answer(id, ("pumps", .integer(1)))
        try meet()
        try second.answer(id, ("pumps", .integer(3)))
        try meet()
        #expect(try tags(first).count == 3 && tags(second).count == 3)
        try expectRest()
    }
}
