import Coding
import Forms

/// `form_eval`: what one answer costs in a form of 700 questions, and what a list of 50,000 places
/// that hangs on another answer costs until its first page can be shown.
///
/// The form is like the largest real ones: chains of conditions, calculations that look at several
/// answers, a sum over all, constraints.
enum FormEval {
    static let questions = 700
    static let places = 50_000
    static let regions = 50

    static func measure() throws -> Figure {
        let (answers, whole) = try answers()
        let cascade = try cascade()
        return Figure(
            name: "form_eval (\(questions) questions; \(places) choices)",
            readings: [
                .init(label: "answer p50", value: answers.p50, unit: "ms"),
                .init(label: "answer p99", value: answers.p99, unit: "ms"),
                .init(label: "all of it", value: whole.milliseconds, unit: "ms"),
                .init(label: "parent changed and list ready p50", value: cascade.p50, unit: "ms"),
                .init(label: "p99", value: cascade.p99, unit: "ms"),
            ],
            goals: [
                .init(text: "an answer under 5 ms (p99)", holds: answers.p99 < 5),
                .init(text: "the first page under 100 ms (p99)", holds: cascade.p99 < 100),
            ])
    }

    private static func answers() throws -> (Sample, whole: Duration) {
        let form = try FormDefinition(largeForm())
        var filling = FormFilling(form, in: .looking(at: 1_780_000_000_000))
        var sample = Sample()
        for round in 0..<3 {
            for number in stride(from: 0, to: questions, by: 2) {
                let key = AnswerKey("g\(number / 20)/q\(number)")
                let value = FieldValue.integer(Int64(round * 7 + number % 90))
                sample.time { filling.set(value, at: key) }
            }
        }
        let whole = elapsed {
            _ = FormFilling(form, answers: filling.answers, in: filling.surroundings)
        }
        guard filling.faults.isEmpty else {
            throw BenchFailure.program("an expression of the form came to nothing")
        }
        return (sample, whole)
    }

    /// Every second question is asked depending on the one before and calculates or constrains.
    private static func largeForm() throws -> FormParts {
        var parts = FormParts(id: "large", version: "1", title: "Large")
        for group in 0..<(questions / 20) {
            var section = Section(name: "s\(group)", title: "Section \(group)", questions: [])
            for number in (group * 20)..<(group * 20 + 20) {
                section.items.append(.question(try question(number)))
            }
            parts.sections.append(section)
            parts.groups.append(
                GroupRules(
                    path: "g\(group)",
                    relevant: group == 0
                        ? nil
                        : try FormExpression("not(/data/g\(group - 1)/q\(group * 20 - 20) > 1000)"),
                    readonly: nil))
        }
        var total = Question(path: "total", label: "total", type: .integer)
        total.isHidden = true
        total.rules.calculate = try FormExpression(
            "sum(/data/g0/q0 | /data/g1/q20 | /data/g2/q40) + count(/data/g0/q0)")
        parts.hidden = [total]
        return parts
    }

    private static func question(_ number: Int) throws -> Question {
        let path = "g\(number / 20)/q\(number)"
        var question = Question(path: path, label: "Question \(number)", type: .integer)
        guard !number.isMultiple(of: 2) else {
            question.rules.constraint = try FormExpression(". >= 0 and . < 1000")
            return question
        }
        let before = "/data/g\(number / 20)/q\(number - 1)"
        question.rules.relevant = try FormExpression("\(before) != '' and \(before) > 10")
        question.rules.required = try FormExpression("\(before) > 50")
        question.rules.calculate = try FormExpression("round(\(before) * 1.8 + 32, 1) * 10")
        return question
    }

    private static func cascade() throws -> Sample {
        let form = try FormDefinition(try cascadeForm())
        var filling = FormFilling(form, in: .looking(at: 1_780_000_000_000))
        var sample = Sample()
        for round in 0..<100 {
            let region = FieldValue.string("r\(round % regions)")
            var offered = 0
            sample.time {
                filling.set(region, at: AnswerKey("region"))
                offered = filling.offered(at: AnswerKey("place")).count
            }
            guard offered == places / regions else {
                throw BenchFailure.program("\(offered) places were offered")
            }
            filling.set(.string("p\(round % regions)"), at: AnswerKey("place"))
        }
        return sample
    }

    static func cascadeForm() throws -> FormParts {
        var parts = FormParts(id: "cascade", version: "1", title: "Cascade")
        let region = Question(
            path: "region", label: "Region", type: .choice,
            choices: (0..<regions).map { Choice(name: "r\($0)", label: "Region \($0)") })
        var place = Question(
            path: "place", label: "Place", type: .choice,
            choices: (0..<places).map { Choice(name: "p\($0)", label: "Place \($0)") })
        place.filter = ChoiceFilter(
            nodeset: try FormExpression("instance('places')/root/item[region = /data/region]"),
            valueName: "name")
        parts.sections = [Section(name: "s", title: "S", questions: [region, place])]
        parts.lists["places"] = NodeContent(
            "root",
            children: (0..<places).map { number in
                NodeContent(
                    "item",
                    children: [
                        NodeContent("name", text: "p\(number)"),
                        NodeContent("region", text: "r\(number % regions)"),
                    ])
            })
        return parts
    }
}
