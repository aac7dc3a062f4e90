internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

/// What is asked of a finding that an answer has just raised: what is wrong, how grave it is, whether it
/// was mended at once. An empty line leaves each as it is.
struct FillFinding {
    private let finding: FindingView
    /// Texts that the form has ready.
    private let comments: [String]
    private let store: DeviceStore
    private let dialogue: Dialogue

    init(
        _ finding: FindingView, comments: [String], _ store: DeviceStore, _ dialogue: Dialogue
    ) {
        self.finding = finding
        self.comments = comments
        self.store = store
        self.dialogue = dialogue
    }

    func ask() throws {
        let words = "\(finding.finding.severity.rawValue), \(finding.finding.status.label)"
        try dialogue.say(
            "  That is a finding: \(words)")
        guard try askForNote(), try askForSeverity() else { return }
        if finding.finding.status == .pending,
            try dialogue.agrees("  Was it corrected on site?")
        {
            try store.changeFinding(finding.id, by: [.status(.corrected)])
        }
    }

    /// - Returns: false at the end of the input.
    private func askForNote() throws -> Bool {
        for (index, comment) in comments.enumerated() {
            try dialogue.say("  \(index + 1)  \(comment)")
        }
        while true {
            let line = try dialogue.ask("  what is wrong>") { half in
                try store.saveDraft(half, of: BuiltInField.note, in: finding.id)
            }
            guard let line else { return false }
            let text = line.trimmingSpaces
            if text.isEmpty { return true }
            var note = text
            if let number = Int(text), comments.indices.contains(number - 1) {
                note = comments[number - 1]
            } else if text.hasPrefix("\\") {
                note = String(text.dropFirst())
            }
            do {
                try store.changeFinding(finding.id, by: [.note(text == "-" ? nil : note)])
                return true
            } catch StoreError.refused(let refusal, _) where refusal == .text {
                try dialogue.say("Not saved: \(refusal.sentence)")
            }
        }
    }

    private func askForSeverity() throws -> Bool {
        let all = Finding.Severity.allCases
        let names = all.enumerated().map { "\($0 + 1) \($1.rawValue)" }.joined(separator: ", ")
        while true {
            let present = finding.finding.severity.rawValue
            guard let line = try dialogue.ask("  how grave [\(present)]: \(names)>") else {
                return false
            }
            let word = line.trimmingSpaces.lowercased()
            if word.isEmpty { return true }
            let numbered = Int(word).flatMap { all.indices.contains($0 - 1) ? all[$0 - 1] : nil }
            if let severity = numbered ?? Finding.Severity(rawValue: word) {
                try store.changeFinding(finding.id, by: [.severity(severity)])
                return true
            }
            try dialogue.say("  minor, major or critical, or an empty line to leave it")
        }
    }
}
