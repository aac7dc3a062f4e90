import Coding
import Forms
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("The list is not worked out anew for what is as it was")
struct RememberedLooksTests {
    private let device: Device

    init() throws { device = try Device() }

    /// A question, another that is asked under a condition, and what the record is called.
    private func store(_ condition: String, name: String = "concat('N', /data/a)") throws {
        var parts = FormParts(id: "f", version: "1", title: "F")
        parts.sections = [
            Section(
                name: "s", title: "S",
                questions: [
                    Question(path: "a", label: "A", type: .text(multiline: false)),
                    Question(
                        path: "b", label: "B", type: .text(multiline: false),
                        relevant: try FormExpression(condition)),
                ])
        ]
        parts.instanceName = try FormExpression(name)
        try device.store.store(form: try FormDefinition(parts))
    }

    private func new() throws -> RecordID {
        try device.store.createInspection(form: "f", version: "1", asset: nil)
    }

    private func list() throws -> [RecordID: InspectionSummary] {
        Dictionary(
            try device.store.inspections().map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private var hits: Int { device.store.remembered.hits }

    @Test("an answer works out its own inspection, and the others are remembered")
    func answered() throws {
        try store("/data/a = 'x'")
        let ids = try (0..<5).map { _ in try new() }
        _ = try list()
        let before = hits
        try device.answer(ids[2], ("a", "x"))
        let shown = try list()
        #expect(hits - before >= 4)
        #expect(shown[ids[2]]?.total == 2 && shown[ids[2]]?.answered == 1)
        #expect(shown[ids[2]]?.name == "Nx")
        #expect(ids.filter { $0 != ids[2] }.allSatisfy { shown[$0]?.total == 1 })
        try device.answer(ids[2], ("a", "y"))
        #expect(try list()[ids[2]]?.name == "Ny")
        try device.store.complete(ids[2])
        #expect(try list()[ids[2]]?.state == "complete")
        try device.finish()
    }

    @Test("what rests on the day is worked out anew the next")
    func day() throws {
        try store("today() < '2030-01-01'")
        let id = try new()
        #expect(try list()[id]?.total == 2)
        device.clock.advance(seconds: 3_650 * 86_400)
        #expect(try list()[id]?.total == 1)
        try device.finish()
    }

    @Test(
        "what rests on the moment or the device is never remembered",
        arguments: ["now() != ''", "random() < 2", "property('deviceid') != 'x'"])
    func moment(condition: String) throws {
        try store(condition)
        _ = try new()
        _ = try list()
        let before = hits
        _ = try list()
        #expect(hits == before)
        try device.finish()
    }

    @Test("a form that is stored anew is looked at anew, and what left the list is forgotten")
    func anew() throws {
        try store("false()")
        let (kept, gone) = (try new(), try new())
        _ = try list()
        try store("true()", name: "'anew'")
        #expect(try list()[kept]?.name == "anew")
        try device.store.delete(gone)
        #expect(try list().count == 1)
        try device.finish()
    }
}
