import Forms
import Testing

@Suite("What another version asks otherwise")
struct FormDifferenceTests {
    private func form(_ questions: [Question]) throws -> FormDefinition {
        try FormDefinition(
            id: "f", version: "1", title: "F",
            sections: [Section(name: "s", title: "S", questions: questions)])
    }

    private func text(_ path: String, _ label: String) -> Question {
        Question(path: path, label: label, type: .text(multiline: false))
    }

    @Test("names what came, what left, and what was renamed, it seems")
    func renamed() throws {
        let old = try form([
            text("notes", "Notes"), text("a/tag", "Tag"), text("gone", "Gone"),
            text("twice", "Same"), text("twice_2", "Same"),
        ])
        let new = try form([
            text("remarks", "notes"), text("b/tag", "Label"), text("fresh", "Fresh"),
            text("other", "Same"),
        ])
        let difference = FormDifference(from: old, to: new)
        #expect(difference.added == ["remarks", "b/tag", "fresh", "other"])
        #expect(difference.removed == ["notes", "a/tag", "gone", "twice", "twice_2"])
        #expect(difference.renamed.map(\.old) == ["a/tag", "notes"], "of twins nobody knows which")
        #expect(difference.renamed.map(\.new) == ["b/tag", "remarks"])
        #expect(FormDifference(from: old, to: old).isEmpty)
    }

    @Test("names each side of a question that is otherwise, with both words")
    func changed() throws {
        var old = Question(
            path: "q", label: "Q", type: .choice,
            choices: ["a", "b"].map { Choice(name: $0, label: $0) })
        old.rules.relevant = try FormExpression("/data/p = 'x'")
        var new = Question(path: "q", label: "Which?", type: .integer, required: true, unit: "psi")
        new.limits.hardMaximum = 5
        new.merge = "quarantine"
        let difference = FormDifference(
            from: try form([text("p", "P"), old]), to: try form([text("p", "P"), new]))
        let words = difference.changed.map {
            "\($0.aspect): \($0.old ?? "none") -> \($0.new ?? "none")"
        }
        #expect(
            words == [
                "choices: a b -> none", "label: Q -> Which?", "max: none -> 5",
                "merge: ask -> quarantine", "relevant: /data/p = 'x' -> none",
                "required: none -> true()", "type: choice -> integer", "unit: none -> psi",
            ])
        #expect(difference.changed.allSatisfy { $0.path == "q" })
    }
}
