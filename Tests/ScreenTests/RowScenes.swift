import Coding
import FieldApp
import Forms
import Replication
import TerminalKit

/// A row of a repeat that waits for a decision, for somebody who reads Norwegian.
extension Scenes {
    static func rowScenes() throws -> [(String, AppState)] {
        [("queue-row", try rowInQueue()), ("review-row", try rowInReview())]
    }

    private static let seal: Question = {
        var seal = Question(path: "door/seal", label: "Seal", type: .choice)
        seal.text = norwegian("Seal", "Pakning")
        seal.list = ChoiceList([
            Choice(name: "worn", text: norwegian("Worn", "Slitt")),
            Choice(name: "good", text: norwegian("Good", "Hel")),
        ])
        return seal
    }()

    private static func norwegian(_ text: String, _ translated: String) -> FormText {
        FormText([.plain(text)], translations: ["nb": [.plain(translated)]])
    }

    private static func rowInQueue() throws -> AppState {
        var row = QueueRow(
            id: "10000000-0000-4000-8000-000000000001", record: "door-2", name: "CHL-13",
            badge: .conflict, isInspection: false, fields: [seal.path], labels: [seal.text],
            createdAt: now.wall - 3_600_000)
        row.place = "door[2]"
        row.inspection = freezer
        var open = try pressing(worklist(), .character("t"))
        open.language = "nb"
        return receiving(open, .status(counts(queue: [row])))
    }

    private static func rowInReview() throws -> AppState {
        let picture = ConflictPicture(
            id: "door-2", name: "CHL-13, door[2]",
            fields: [
                ConflictField(
                    path: seal.path, question: seal, base: .null, mine: .string("worn"),
                    theirs: .string("good"), theirsBy: "handheld-3")
            ])
        return receiving(try pressing(rowInQueue(), .enter), .conflict(picture))
    }
}
