import Coding
import Forms
import Replication
import Testing

@testable import LocalStore

/// What the queue shows is of few inspections: they are asked for, not all of them.
@Suite("Some inspections of many")
struct SomeInspectionsTests {
    @Test("few or many, each is told as the whole worklist tells it", arguments: [1, 3, 120])
    func summaries(count: Int) throws {
        let (device, first) = try Device.withRound()
        var ids = [first]
        for number in 1..<130 {
            let id = number % 40 == 0 ? try device.newCheck() : try device.newRound()
            ids.append(id)
        }
        try device.answer(first, ("limit", .integer(20)))
        _ = try device.addRow(to: first, ("door/gap", .integer(3)), ("door/seal", "good"))
        let asked = Set(ids.prefix(count)).union(["nowhere"])
        let all = try device.store.inspections()
        let some = try device.store.inspections(asked)
        #expect(some.count == count)
        #expect(
            Array(some.values).sorted { $0.id < $1.id }
                == all.filter { asked.contains($0.id) }.sorted { $0.id < $1.id })
        #expect(try device.store.inspections([]).isEmpty)
        try device.finish()
    }

    @Test("a row, one in a row and a finding belong to their inspection, deleted ones too")
    func owners() throws {
        let (device, id) = try Device.withCheck()
        let server = StoryServer()
        server.policies = [:]
        let row = RecordID(try device.addRow(to: id, ("door/seal", "fail")))
        let finding = try device.onlyFinding(in: id)
        try device.sync(server)
        try device.store.change(id, by: [.remove(row: row.rawValue)], agreed: true)
        #expect(
            try device.store.inspectionsOfParts([row, finding, id, "nowhere"])
                == [row: id, finding: id])
        try device.finish()
    }
}
