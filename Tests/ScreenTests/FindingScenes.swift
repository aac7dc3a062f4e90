import Coding
import FieldApp
import Forms
import Inspections
import Replication
import TerminalKit

/// What was found wrong: on the questions, one of them, all of them.
extension Scenes {
    static func findingScenes() throws -> [(String, AppState)] {
        [
            ("found", try found(at: "seals")),
            ("finding", try pressing(found(at: "seals"), .character("m"))),
            ("finding-note", try typingNote()),
            ("findings", try pressing(found(at: "seals"), .character("M"), KeyEvent(.down))),
            ("finding-photo", try pressing(found(at: "alarm"), .character("m"))),
            ("texts", try textsWithoutPlace()),
            ("texts-gone", try goneWhileTyping()),
        ]
    }

    /// What was typed in a finding that is gone, and at a question that is not asked any more.
    private static func textsWithoutPlace() throws -> AppState {
        var rows: [QueueRow] = []
        for (field, label, text, isOnlyNotAsked) in [
            (
                "@note", "What is wrong: finding on Door seals", "the frame is bent at the hinge",
                false
            ),
            ("remarks", "Remarks", "hums when it is cold", true),
        ] {
            var row = QueueRow(
                id: MutationID("draft \(field)"), record: freezer, name: "FRZ-1", badge: .failed,
                isInspection: false, fields: [field], labels: [FormText(label)])
            row.inspection = freezer
            row.stranded = StrandedText(record: freezer, field: field, text: text)
            row.stranded?.isOnlyNotAsked = isOnlyNotAsked
            rows.append(row)
        }
        var picture = StatusPicture()
        picture.rows = rows
        return receiving(try pressing(found(at: "seals"), .character("t")), .status(picture))
    }

    private static func goneWhileTyping() throws -> AppState {
        let state = try typingNote()
        guard var picture = state.openInspection?.picture else { return state }
        picture.findings.removeAll { $0.id == "f1" }
        return receiving(state, .inspection(picture))
    }

    private static func typingNote() throws -> AppState {
        typing(
            "; the frame is bent at the left hinge and the gasket hangs out of it",
            try pressing(found(at: "seals"), .character("m"), .enter))
    }

    private static func found(at key: AnswerKey) throws -> AppState {
        var picture = InspectionPicture(
            id: freezer, name: "FRZ-1", site: "Harbour cold store", form: try findingForm(),
            state: .inProgress,
            answers: [
                "seals": AnswerPicture(value: .string("fail"), standing: .savedHere),
                "alarm": AnswerPicture(value: .string("fail"), standing: .accepted),
                "light": AnswerPicture(value: .string("pass"), standing: .accepted),
            ])
        picture.findings = [
            FindingPicture(
                id: "f1",
                finding: Finding(
                    question: "seals", severity: .major, owner: "Ben", due: "2026-03-09",
                    note: "Gap over 2 mm", isRepeated: true, isFromAnswer: true), badge: .pending),
            FindingPicture(
                id: "f2",
                finding: Finding(question: "alarm", severity: .critical, isFromAnswer: true),
                badge: .synced),
            FindingPicture(
                id: "f3",
                finding: Finding(
                    question: "light", severity: .minor, status: .corrected, note: "lamp changed"),
                badge: .synced, fails: false),
        ]
        var state = receiving(try opening(), .inspection(picture))
        guard case .inspection(var screen) = state.layers.top else { return state }
        screen.go(to: key)
        state.layers.top = .inspection(screen)
        return state
    }

    private static func findingForm() throws -> FormDefinition {
        var seals = Question(
            path: "seals", label: "Door seals", type: .verdict, findingOnFail: true)
        seals.comments = ChoiceList(
            ["Torn", "Gap over 2 mm", "Frozen to the frame", "Hinge is loose", "Dirty"]
                .enumerated().map { Choice(name: "c\($0.offset)", label: $0.element) })
        return try FormDefinition(
            id: "doors", version: "1", title: "Doors",
            sections: [
                Section(
                    name: "main", title: "Doors",
                    questions: [
                        seals,
                        Question(
                            path: "alarm", label: "Alarm inside", type: .verdict, critical: true,
                            photoOnFail: true, findingOnFail: true),
                        Question(path: "light", label: "Light", type: .verdict),
                    ])
            ])
    }
}
