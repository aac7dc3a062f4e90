import Coding
import Forms
import Inspections
import Replication
import Testing

@testable import LocalStore

@Suite("A form finds what was last saved by it on this device")
struct LastSavedTests {
    private let device: Device

    init() throws {
        device = try Device()
        try store(version: "1", root: "data")
    }

    private func store(version: String, root: String) throws {
        var parts = FormParts(id: "again", version: version, title: "Again")
        parts.root = root
        let questions = ["name", "note"].map {
            Question(path: $0, label: $0, type: .text(multiline: false))
        }
        parts.sections = [Section(name: "main", title: "Main", questions: questions)]
        var number = Question(path: "number", label: "Number", type: .decimal, merge: "lww")
        number.isHidden = true
        number.rules.calculate = try FormExpression(
            "coalesce(instance('__last-saved')/\(root)/number, 0) + 1")
        parts.hidden = [number]
        parts.actions = [
            FormAction(
                events: [.firstLoad], target: "name",
                value: .expression(
                    try FormExpression("instance('__last-saved')/\(root)/name")))
        ]
        parts.lists["__last-saved"] = .lastSaved(root: root)
        try device.store.store(form: try FormDefinition(parts))
    }

    private func new(_ version: String = "1") throws -> RecordID {
        try device.store.createInspection(form: "again", version: version, asset: nil)
    }

    private func name(_ id: RecordID) throws -> FieldValue { try device.value("name", of: id) }

    @Test("the first finds nothing, and the next what was answered or finished last")
    func next() throws {
        let first = try new()
        #expect(try name(first) == .null)
        try device.answer(first, ("name", "Zed"))
        let second = try new()
        #expect(try name(second) == "Zed")
        try device.answer(second, ("name", "Amy"))
        #expect(try name(new()) == "Amy")
        try device.store.complete(first)
        #expect(try name(new()) == "Zed")
        try device.finish()
    }

    @Test("a later version finds it too, whatever it calls the record")
    func versions() throws {
        try device.answer(new(), ("name", "Zed"))
        try store(version: "2", root: "record")
        #expect(try name(new("2")) == "Zed")
        try device.finish()
    }

    @Test("an inspection never finds itself, however often it is answered")
    func itself() throws {
        try device.answer(new(), ("name", "Zed"))
        let second = try new()
        for word in ["a", "b", "c"] { try device.answer(second, ("note", .string(word))) }
        #expect(try device.value("number", of: second) == .integer(2))
        #expect(try device.store.inspection(second).fields["number"]?.value == .integer(2))
        try device.finish()
    }

    @Test("what another device answered is not found, and what was deleted is not either")
    func others() throws {
        let server = StoryServer()
        server.policies = [:]
        let first = try new()
        try device.answer(first, ("name", "Zed"))
        let second = try new()
        try device.answer(second, ("name", "Amy"))
        try device.sync(server)
        server.edit(first, ["name": "Bob"])
        try device.pullAll(from: server)
        #expect(try name(new()) == "Amy")
        try device.store.delete(second)
        #expect(try name(new()) == "Bob")
        try device.finish()
    }

    /// Questions whose rules look at what was saved last: a meter that never goes back, and a reason that is
    /// asked for after one value of it.
    private func storeMeter() throws {
        var parts = FormParts(id: "again", version: "3", title: "Meter")
        let last = "instance('__last-saved')/data"
        var meter = Question(path: "meter", label: "Meter", type: .integer)
        meter.rules.constraint = try FormExpression(". > coalesce(\(last)/meter, 0)")
        var reason = Question(path: "reason", label: "Reason", type: .text(multiline: false))
        reason.rules.relevant = try FormExpression("\(last)/meter = 6")
        reason.rules.required = .always
        parts.sections = [Section(name: "main", title: "Main", questions: [meter, reason])]
        parts.lists["__last-saved"] = .lastSaved(root: "data")
        try device.store.store(form: try FormDefinition(parts))
    }

    @Test("its rules are judged with what was saved last, when it is shown and when it is finished")
    func rules() throws {
        try storeMeter()
        let (first, second) = (try new("3"), try new("3"))
        try device.answer(second, ("meter", .integer(5)))
        try device.answer(first, ("meter", .integer(6)))
        func told() throws -> [String] {
            try device.store.filling(of: second).state.problems.map { "\($0.path)" }
        }
        #expect(try told() == ["meter", "reason"])
        #expect(throws: Completion.Refusal.self) { try device.store.complete(second) }
        try device.answer(second, ("meter", .integer(7)), ("reason", "because"))
        #expect(try told() == [])
        #expect(try device.store.inspection(second).summary.total == 2)
        #expect(try device.store.inspection(second).summary.answered == 2)
        try device.store.complete(second)
        #expect(throws: Completion.Refusal.self) { try device.store.complete(first) }
        // The other goes on; what is finished is not judged by it.
        try device.answer(first, ("meter", .integer(8)))
        try device.store.complete(first)
        #expect(try told() == [])
        #expect(try device.store.inspection(second).fields["reason"]?.value == "because")
        try device.finish()
    }
}
