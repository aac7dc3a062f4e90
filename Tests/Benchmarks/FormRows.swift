import Coding
import Forms

/// `form_rows`: what rows of a repeat cost where each of them has work to do: 50 rows that each look
/// through a list of 50,000 places, and a count of 400 rows that each have a running sum and look for
/// their like.
enum FormRows {
    private static let listRows = 50
    private static let countedRows = 400

    static func measure(rounds: Int = 3) throws -> Figure {
        let list = try FormDefinition(listForm())
        let counted = try FormDefinition(countedForm())
        var laid = Sample()
        var answers = Sample()
        var made = Sample()
        var whole = Sample()
        for _ in 0..<rounds {
            var filling = FormFilling(list, in: .looking(at: 1_780_000_000_000))
            filling.set(.string("r1"), at: AnswerKey("region"))
            try laid.time { try follow(&filling, rows: listRows) }
            for region in 0..<10 {
                answers.time { filling.set(.string("r\(region)"), at: AnswerKey("region")) }
            }
            var rows = FormFilling(counted, in: .looking(at: 1_780_000_000_000))
            try made.time { try follow(&rows, rows: countedRows) }
            whole.time {
                _ = FormFilling(counted, answers: rows.answers, in: rows.surroundings)
            }
            guard filling.faults.isEmpty, rows.faults.isEmpty,
                rows.answers.rows.count == countedRows
            else { throw BenchFailure.program("the rows came to nothing") }
        }
        return Figure(
            name:
                "form_rows (\(listRows) rows over \(FormEval.places) places; \(countedRows) rows)",
            readings: [
                .init(label: "rows over the list made p50", value: laid.p50, unit: "ms"),
                .init(label: "an answer they look at p99", value: answers.p99, unit: "ms"),
                .init(label: "count of rows made p50", value: made.p50, unit: "ms"),
                .init(label: "bound: all of them evaluated p50", value: whole.p50, unit: "ms"),
            ],
            goals: [
                .init(text: "rows over the list within a second", holds: laid.p50 < 1_000),
                .init(text: "an answer they look at within 100 ms", holds: answers.p99 < 100),
                .init(
                    text: "a count of rows costs at most 4 evaluations of all of them",
                    holds: made.p50 < 4 * whole.p50),
            ])
    }

    private static func follow(_ filling: inout FormFilling, rows: Int) throws {
        let before = filling.wantedRows
        filling.set(.integer(Int64(rows)), at: AnswerKey("n"))
        try filling.followCounts(since: before, mayRemove: true) { _, number in "row\(number)" }
    }

    private static func hidden(_ path: String, _ expression: String) throws -> Question {
        var question = Question(path: path, label: path, type: .text(multiline: false))
        question.isHidden = true
        question.rules.calculate = try FormExpression(expression)
        return question
    }

    private static func repeated(_ parts: inout FormParts, _ questions: [Question]) throws {
        let number = Question(path: "n", label: "N", type: .integer)
        let rows = Repetition(
            path: "r", text: nil, count: try FormExpression("/data/n"),
            items: questions.map { .question($0) })
        var section = Section(name: "rows", title: "Rows", questions: [number])
        section.items.append(.repetition(rows))
        parts.sections.append(section)
    }

    private static func listForm() throws -> FormParts {
        var parts = try FormEval.cascadeForm()
        let own = "instance('places')/root/item[region = concat('r', position(current()/..))]"
        var place = Question(
            path: "r/place", label: "Place", type: .choice,
            choices: [Choice(name: "p1", label: "Place 1")])
        place.filter = ChoiceFilter(nodeset: try FormExpression(own), valueName: "name")
        try repeated(&parts, [place])
        parts.hidden = [
            try hidden("r/count", "count(\(own))"),
            try hidden("r/name", "pulldata('places', 'name', 'region', ../../region)"),
            try hidden("r/all", "count(instance('places')/root/item[region = /data/region])"),
        ]
        return parts
    }

    private static func countedForm() throws -> FormParts {
        var parts = FormParts(id: "counted", version: "1", title: "Counted")
        var value = Question(path: "r/x", label: "X", type: .integer)
        value.initial = "1"
        try repeated(
            &parts, [Question(path: "r/tag", label: "Tag", type: .text(multiline: false)), value])
        parts.hidden = [
            try hidden("r/run", "sum(/data/r[position() <= position(current()/..)]/x)"),
            try hidden("r/like", "count(/data/r[tag = current()/../tag])"),
            try hidden("total", "sum(/data/r/x)"),
        ]
        parts.actions = [
            FormAction(
                events: [.newRepeat], target: "r/tag",
                value: .expression(try FormExpression("concat('row ', position(..))")),
                source: nil)
        ]
        return parts
    }
}
