import Forms
import Testing

@Suite("Questions that are never asked")
struct NeverAskedTests {
    /// A form whose last question is asked under this condition.
    private func form(_ condition: String, more: [(String, String)] = []) throws -> FormDefinition {
        var kind = Question(
            path: "kind", label: "Kind", type: .choice,
            choices: ["a", "b", "1"].map { Choice(name: $0, label: $0) })
        kind.rules.relevant = nil
        let many = Question(
            path: "many", label: "Many", type: .choices,
            choices: ["x", "y"].map { Choice(name: $0, label: $0) })
        let psi = Question(
            path: "psi", label: "Psi", type: .integer,
            limits: NumberLimits(hardMinimum: 0, hardMaximum: 100))
        let free = Question(path: "free", label: "Free", type: .text(multiline: false))
        var questions = [kind, many, psi, free]
        for (path, condition) in more + [("last", condition)] {
            questions.append(
                Question(
                    path: path, label: path, type: .text(multiline: false),
                    relevant: try FormExpression(condition)))
        }
        let row = Question(
            path: "row/kind", label: "Kind", type: .choice,
            choices: ["a", "b"].map { Choice(name: $0, label: $0) })
        var parts = FormParts(id: "f", version: "1", title: "F")
        parts.sections = [
            Section(name: "s", title: "S", questions: questions),
            Section(
                name: "r", text: FormText("R"),
                items: [.repetition(Repetition(path: "row", items: [.question(row)]))]),
        ]
        return try FormDefinition(parts)
    }

    @Test(
        "are those whose condition nothing can meet",
        arguments: [
            "false()", "1 = 2", "not(true())", "/data/kind = 'c'", "selected(/data/kind, 'c')",
            "/data/kind = 'a' and /data/kind = 'b'", "/data/kind = 2", "/data/psi > 100",
            "/data/psi < 0", "/data/psi = 101", "/data/free = 'x' and /data/psi >= 101",
            "selected(/data/many, 'z')", "/data/kind = 'c' or /data/kind = 'd'",
            "selected(../kind, 'A')", "current()/../kind = 'c'",
        ])
    func never(condition: String) throws {
        let found = NeverAsked(try form(condition)).questions
        #expect(found.map(\.path) == ["last"])
        #expect(found.first?.condition.source == condition)
    }

    @Test(
        "are never those that some answers bring on",
        arguments: [
            "true()", "/data/kind = 'a'", "/data/kind = 1", "/data/kind = 'a' or /data/kind = 'b'",
            "selected(/data/many, 'x') and selected(/data/many, 'y')", "/data/psi >= 100",
            "/data/psi > 99", "/data/free = 'anything'", "/data/kind != 'c'", "/data/kind = ''",
            "not(/data/kind = 'c')", "/data/row/kind = 'a' and /data/row/kind = 'b'",
            "today() > '2026-01-01'", "/data/nothing = 'x'", "count(/data/row) > 3",
        ])
    func sometimes(condition: String) throws {
        #expect(NeverAsked(try form(condition)).questions.isEmpty)
    }

    @Test("are also those that rest on one that is never asked")
    func chain() throws {
        let chain = try form(
            "/data/second = 'x'", more: [("first", "false()"), ("second", "/data/first = 'x'")])
        #expect(NeverAsked(chain).questions.map(\.path) == ["first", "second", "last"])
        let number = try form("/data/kind = 'a' and /data/kind = 'c'")
        #expect(NeverAsked(number).questions.count == 1)
    }
}
