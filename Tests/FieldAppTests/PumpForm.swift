import Coding
import FieldApp
import Forms
import TerminalKit

/// A form with what a round of pumps has: repeats, a count, groups, languages, every kind of list.
enum PumpForm {
    static func make() throws -> FormDefinition {
        var parts = FormParts(id: "pumps", version: "1", title: "Pump round")
        parts.languages = ["English", "Norsk"]
        parts.sections = [
            Section(
                name: "site", text: FormText("Site"),
                items: [
                    .question(try site()), .question(try faults()), .question(order()),
                    .group(
                        Group(
                            path: "weather", text: FormText("Weather"),
                            items: [
                                .question(
                                    Question(
                                        path: "weather/wind", label: "Wind", type: .integer,
                                        limits: NumberLimits(
                                            hardMinimum: 0, hardMaximum: 12, step: 2)))
                            ])),
                ]),
            Section(
                name: "pumps", text: FormText("Pumps"),
                items: [.repetition(try pump()), .repetition(try valve())]),
            Section(
                name: "end", text: FormText("End"),
                items: [
                    .question(Question(path: "at", label: "Left at", type: .time)),
                    .question(
                        Question(
                            path: "safe", label: "The site is safe", type: .acknowledge,
                            required: true)),
                ]),
        ]
        return try FormDefinition(parts)
    }

    private static func site() throws -> Question {
        var question = Question(path: "site", label: "", type: .text(multiline: false))
        question.text = FormText([.plain("Site")], translations: ["Norsk": [.plain("Anlegg")]])
        return question
    }

    private static func faults() throws -> Question {
        Question(
            path: "faults", label: "Faults", type: .choices,
            choices: ["Leak", "Noise", "Heat"].map { Choice(name: $0.lowercased(), label: $0) })
    }

    private static func order() -> Question {
        Question(
            path: "order", label: "Order of repair", type: .ranking,
            choices: ["A", "B", "C"].map { Choice(name: $0.lowercased(), label: "Pump " + $0) })
    }

    private static func pump() throws -> Repetition {
        var total = Question(path: "pump/twice", label: "Twice the pressure", type: .decimal)
        total.rules.calculate = try FormExpression("../pressure * 2")
        var pressure = Question(
            path: "pump/pressure", label: "Pressure", type: .decimal, required: true, unit: "bar")
        pressure.rules.constraint = try FormExpression(". < 100")
        pressure.rules.constraintText = FormText("no pump stands that")
        let note = Question(
            path: "pump/note", label: "What is wrong", type: .text(multiline: false),
            required: true, relevant: try FormExpression("/data/pump/pressure > 50"))
        return Repetition(
            path: "pump", text: FormText("Pump"),
            items: [
                .question(Question(path: "pump/tag", label: "Tag", type: .barcode)),
                .question(pressure), .question(total), .question(note),
            ])
    }

    private static func valve() throws -> Repetition {
        Repetition(
            path: "valve", text: FormText("Valve"), count: try FormExpression("/data/weather/wind"),
            items: [.question(Question(path: "valve/tag", label: "Tag", type: .barcode))])
    }
}

extension Story {
    /// The round of pumps, opened, at its first question.
    static func pumps() throws -> Story {
        var story = try Story(form: PumpForm.make())
        story.openFreezer()
        return story
    }

    /// Goes to a question of the inspection itself, or to a repeat.
    mutating func go(to key: AnswerKey) {
        guard case .inspection(var screen) = state.layers.top else { return }
        screen.go(to: key)
        state.layers.top = .inspection(screen)
    }

    /// Adds a pump, answers its tag and pressure, and goes back to the inspection.
    mutating func addPump(_ tag: String, _ pressure: String? = nil) {
        go(to: "pump")
        type("a")
        press(.enter)
        type(tag)
        press(.enter)
        if let pressure {
            type(pressure)
            press(.enter)
        }
        press(.escape, .escape)
    }

    var rowNames: [String] {
        guard let filling = screen?.filling else { return [] }
        return filling.answers.rows.map { filling.name(ofRow: $0.id) }
    }

    var picker: PickerScreen? {
        if case .picker(let picker) = state.layers.top { picker } else { nil }
    }
}
