import Coding
import FieldApp
import Forms
import Inspections
import TerminalKit

extension Scenes {
    static func historyScenes() throws -> [(String, AppState)] {
        [
            ("history", try history(of: "pressure")),
            ("history-verdicts", try history(of: "seals")),
        ]
    }

    /// Nine visits, monthly, of which the last but three found too high a pressure.
    private static func history(of question: AnswerKey) throws -> AppState {
        let found: [(day: String, pressure: Double)] = [
            ("2026-02-03", 137.5), ("2026-01-05", 140), ("2025-12-03", 138),
            ("2025-11-04", 161.5), ("2025-10-02", 150.5), ("2025-09-03", 143),
            ("2025-08-01", 139), ("2025-07-02", 138.5), ("2025-06-03", 136),
        ]
        let visits = found.enumerated().map { index, reading in
            Visit(
                inspection: "visit \(index)", formVersion: "1",
                day: reading.day,
                answers: FormAnswers([
                    "pressure": .double(reading.pressure),
                    "seals": .string(index == 3 ? "fail" : "pass"),
                ]))
        }
        var state = try pressing(focused(question), .character("h"))
        state = receiving(state, .history(freezer, visits))
        return try pressing(state, KeyEvent(.down))
    }
}
