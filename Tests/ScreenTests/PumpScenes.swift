import Coding
import FieldApp
import Forms
import Inspections
import TerminalKit

/// A round with repeats, groups and every kind of list.
extension Scenes {
    static func pumpScenes() throws -> [(String, AppState)] {
        [
            ("pumps", try pumps(at: "pump")),
            ("pump-rows", try pressing(pumps(at: "pump"), .enter, KeyEvent(.down))),
            ("pump-delete", try deletingPump()),
            ("no-row", try pressing(pumps(at: "leak"), .enter)),
            ("pump", try pumps(at: AnswerKey(row: "p2", "pump/pressure"))),
            ("pump-problems", try pressing(pumps(at: "site"), KeyEvent(.function(5)))),
            ("marking", try marking()),
            ("ranking", try pressing(pumps(at: "order"), .enter, KeyEvent(.down))),
            ("range", try pressing(pumps(at: "wind"), KeyEvent(.right))),
            ("why", try pressing(pumps(at: AnswerKey(row: "p1", "pump/twice")), .character("w"))),
            ("norsk", try pressing(pumps(at: "site"), .character("l"))),
        ]
    }

    private static func marking() throws -> AppState {
        typing("13", try pressing(pumps(at: "faults"), .enter))
    }

    private static func deletingPump() throws -> AppState {
        let rows = try pressing(pumps(at: "pump"), .enter, KeyEvent(.down))
        return try pressing(rows, .character("d"))
    }

    private static func pumps(at key: AnswerKey) throws -> AppState {
        var state = receiving(try opening(), .inspection(try pumpPicture()))
        guard case .inspection(var screen) = state.layers.top else { return state }
        screen.go(to: key)
        state.layers.top = .inspection(screen)
        return state
    }

    private static func pumpPicture() throws -> InspectionPicture {
        func answer(_ text: String, _ standing: Standing = .accepted) -> AnswerPicture {
            AnswerPicture(value: .string(text), standing: standing)
        }
        func number(_ value: Double, _ standing: Standing = .savedHere) -> AnswerPicture {
            AnswerPicture(value: FieldValue.double(value).canonical, standing: standing)
        }
        return InspectionPicture(
            id: freezer, name: "FRZ-1", site: "Harbour cold store", form: try pumpForm(),
            state: .inProgress,
            answers: [
                "site": answer("Shed 4"), "secret": answer("1234"), "faults": answer("leak heat"),
                AnswerKey(row: "p1", "pump/tag"): answer("P-17"),
                AnswerKey(row: "p1", "pump/pressure"): number(12),
                AnswerKey(row: "p1", "pump/twice"): number(24),
                AnswerKey(row: "p2", "pump/tag"): answer("P-18", .savedHere),
            ],
            rows: [
                RowPicture(id: "p1", path: "pump"), RowPicture(id: "p2", path: "pump"),
            ])
    }

    private static func pumpForm() throws -> FormDefinition {
        var parts = FormParts(id: "pumps", version: "1", title: "Pump round")
        parts.languages = ["English", "Norsk"]
        parts.sections = [
            Section(name: "site", text: FormText("Site"), items: try siteItems()),
            Section(
                name: "pumps", text: FormText("Pumps"),
                items: [
                    .repetition(try pump()),
                    .repetition(
                        Repetition(
                            path: "leak", text: FormText("Leak"),
                            items: [
                                .question(
                                    Question(
                                        path: "leak/place", label: "Place",
                                        type: .text(multiline: false)))
                            ])),
                ]),
        ]
        return try FormDefinition(parts)
    }

    private static func siteItems() throws -> [FormItem] {
        var site = Question(path: "site", label: "", type: .text(multiline: false))
        site.text = FormText([.plain("Site")], translations: ["Norsk": [.plain("Anlegg")]])
        var secret = Question(path: "secret", label: "Door code", type: .text(multiline: false))
        secret.appearance = ["masked"]
        return [
            .question(site), .question(secret),
            .question(
                Question(
                    path: "faults", label: "Faults", type: .choices,
                    choices: ["Leak", "Noise", "Heat"].map {
                        Choice(name: $0.lowercased(), label: $0)
                    })),
            .question(
                Question(
                    path: "order", label: "Order of repair", type: .ranking,
                    choices: ["A", "B", "C"].map {
                        Choice(name: $0.lowercased(), label: "Pump " + $0)
                    })),
            .group(
                Group(
                    text: FormText("Weather"),
                    items: [
                        .question(
                            Question(
                                path: "wind", label: "Wind", type: .integer, unit: "Bft",
                                limits: NumberLimits(hardMinimum: 0, hardMaximum: 12, step: 1)))
                    ])),
        ]
    }

    private static func pump() throws -> Repetition {
        var twice = Question(path: "pump/twice", label: "Twice the pressure", type: .decimal)
        twice.rules.calculate = try FormExpression("../pressure * 2")
        return Repetition(
            path: "pump", text: FormText("Pump"),
            items: [
                .question(Question(path: "pump/tag", label: "Tag", type: .barcode)),
                .question(
                    Question(
                        path: "pump/pressure", label: "Pressure", type: .decimal, required: true,
                        unit: "bar")),
                .question(twice),
                .question(
                    Question(
                        path: "pump/note", label: "What is wrong", type: .text(multiline: true),
                        relevant: try FormExpression("/data/pump/pressure > 50"))),
            ])
    }
}
