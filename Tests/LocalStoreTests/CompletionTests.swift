import Coding
import Forms
import Inspections
import Replication
import Testing

@testable import LocalStore

/// What `complete` looks at and what it writes are one thing.
@Suite("Finishing an inspection")
struct CompletionTests {
    /// Two leaks, and a verdict of the form's own on their sum, which is noted at the end.
    private static func form() throws -> FormDefinition {
        var parts = FormParts(id: "leaks", version: "1", title: "Leaks")
        var sum = Question(
            path: "sum", label: "Leaks together", type: .verdict, merge: "lww", critical: true,
            findingOnFail: true)
        sum.rules.calculate = try FormExpression(
            "if(number(/data/left) + number(/data/right) > 10, 'fail', 'pass')")
        parts.sections = [
            Section(
                name: "main", title: "Main",
                questions: [
                    Question(path: "left", label: "Left", type: .integer),
                    Question(path: "right", label: "Right", type: .integer), sum,
                ])
        ]
        var end = Question(path: "end", label: "end", type: .dateTime, merge: "lww")
        end.isHidden = true
        parts.hidden = [end]
        parts.actions = [
            FormAction(events: [.finish], target: "end", value: .property("now"))
        ]
        return try FormDefinition(parts)
    }

    @Test("a grave finding that only complete works out has to say what is wrong first")
    func raisedByCompleting() throws {
        let device = try Device()
        let server = StoryServer()
        server.policies = [:]
        try device.store.store(form: Self.form())
        let id = try device.store.createInspection(form: "leaks", version: "1", asset: nil)
        try device.answer(id, ("left", .integer(6)), ("right", .integer(1)))
        try device.sync(server)
        // A colleague's part, from a device that has not heard of the other.
        server.edit(id, ["right": .integer(9)])
        try device.sync(server)
        #expect(try device.found(in: id).isEmpty)

        let problem = FormProblem(path: "sum", problem: .unexplainedFinding)
        for _ in 0..<2 {
            #expect(throws: Completion.Refusal.problems([problem])) {
                try device.store.complete(id)
            }
            // It stands, so that somebody can write in it; nothing says that the work has ended.
            #expect(try device.found(in: id) == ["sum critical pending pending"])
            #expect(try device.store.inspection(id).summary.state == "inProgress")
            #expect(try device.value("end", of: id) == .null)
            #expect(try device.store.filling(of: id).state.problems == [problem])
        }
        try device.store.changeFinding(
            try device.onlyFinding(in: id), by: [.note("both drip at the flange")])
        try device.store.complete(id)
        #expect(try device.store.inspection(id).summary.state == "complete")
        #expect(try device.value("end", of: id) != .null)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "a question that only the end of the work brings up is there to be answered, and then it is done"
    )
    func askedByFinishing() throws {
        var parts = FormParts(id: "close", version: "1", title: "Close")
        var reason = Question(path: "reason", label: "Why so late?", type: .text(multiline: false))
        reason.rules.relevant = try FormExpression("/data/late = 'yes'")
        reason.rules.required = .always
        let left = Question(path: "left", label: "Left", type: .integer)
        parts.sections = [Section(name: "main", title: "Main", questions: [left, reason])]
        var late = Question(path: "late", label: "late", type: .text(multiline: false))
        late.isHidden = true
        parts.hidden = [late]
        parts.actions = [
            FormAction(
                events: [.finish], target: "late",
                value: .expression(try FormExpression("if(/data/left > 3, 'yes', 'no')")))
        ]
        let device = try Device()
        try device.store.store(form: try FormDefinition(parts))
        let id = try device.store.createInspection(form: "close", version: "1", asset: nil)
        try device.answer(id, ("left", .integer(5)))
        let problem = FormProblem(path: "reason", problem: .required)
        #expect(throws: Completion.Refusal.problems([problem])) { try device.store.complete(id) }
        #expect(try device.store.filling(of: id).state.problems == [problem])
        try device.answer(id, ("reason", .string("the pump was out")))
        try device.store.complete(id)
        #expect(try device.store.inspection(id).summary.state == "complete")
        try device.finish()
    }

    @Test("what is in the way changes nothing")
    func refused() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("alarm", "fail"))
        let before = try device.store.outbox()
        #expect(throws: Completion.Refusal.self) { try device.store.complete(id) }
        #expect(try device.store.outbox() == before)
        try device.finish()
    }
}
