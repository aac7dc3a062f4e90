internal import Arguments
internal import FieldApp
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

/// What is wrong and not closed yet, a line each, and what can be said of each.
struct FindingLines {
    /// Nil for all inspections.
    private let inspection: RecordID?
    private let store: DeviceStore
    private let dialogue: Dialogue

    init(of inspection: RecordID?, _ store: DeviceStore, _ dialogue: Dialogue) {
        self.inspection = inspection
        self.store = store
        self.dialogue = dialogue
    }

    func show() throws {
        var findings = try list()
        while !findings.isEmpty, let line = try dialogue.ask("findings>") {
            let typed = TypedWord(line, among: LineWord.findings)
            switch typed?.deed {
            case .leave: return
            case .help: try dialogue.sayHelp(LineWord.findings)
            case .open:
                guard let number = typed?.number, findings.indices.contains(number - 1) else {
                    try dialogue.say("There is no line of that number")
                    continue
                }
                try change(findings[number - 1])
                findings = try list()
            default:
                guard line.trimmingSpaces.isEmpty else {
                    try dialogue.say("That is no word here; ? says what can be typed")
                    continue
                }
                findings = try list()
            }
        }
    }

    private func list() throws -> [ListedFinding] {
        let findings = try open()
        if findings.isEmpty { try dialogue.say("No finding is open") }
        for (index, each) in findings.enumerated() {
            let name = inspection == nil ? each.inspection.name + ", " : ""
            try dialogue.say("\(index + 1)  " + name + each.line)
        }
        return findings
    }

    private func open() throws -> [ListedFinding] {
        guard let inspection else { return try store.openFindings() }
        return try store.findings(of: inspection)
            .filter { $0.view.finding.status != .closed }
    }

    /// Until the person goes back; each line is saved as it is given.
    private func change(_ finding: ListedFinding) throws {
        try tell(finding)
        let keep = { (half: String) in try self.keep(half, of: finding.view.id) }
        while let line = try dialogue.ask("finding>", keeping: keep) {
            let typed = TypedWord(line, among: LineWord.finding)
            switch typed?.deed {
            case .leave: return
            case .help: try dialogue.sayHelp(LineWord.finding)
            case .say(let field): try say(typed?.text ?? "", of: field, finding)
            default:
                guard line.trimmingSpaces.isEmpty else {
                    try dialogue.say("That is no word here; ? says what can be typed")
                    continue
                }
                return
            }
        }
    }

    private func tell(_ finding: ListedFinding) throws {
        try dialogue.say("\(finding.inspection.name), \(finding.line)")
        for draft in try store.drafts(in: finding.view.id) {
            let field = FindingField.allCases.first { $0.field == draft.field }
            try dialogue.say(
                "  \(field?.option.name ?? draft.field), typed, not accepted: "
                    + escapingLines(draft.text))
        }
        try dialogue.say(
            "severity, status, owner, due or note and what it is now; ? says more, q goes back")
    }

    private func say(_ text: String, of field: FindingField, _ finding: ListedFinding) throws {
        let change: FindingChange
        do throws(FindingTrouble) {
            change = try field.change(
                to: field.isText ? text : text.lowercased(), in: dialogue.surroundings,
                rules: .screen)
        } catch {
            return try dialogue.say("Not saved: \(field.option.name) \(error.sentence)")
        }
        try dialogue.telling {
            try store.changeFinding(finding.view.id, by: [change])
            if let changed = try present(finding) { try dialogue.say("Saved: \(changed.line)") }
        }
    }

    /// As it stands now.
    private func present(_ finding: ListedFinding) throws -> ListedFinding? {
        try store.findings(of: finding.inspection.id).first { $0.view.id == finding.view.id }
    }

    /// A text of which only the beginning was typed.
    private func keep(_ half: String, of id: RecordID) throws {
        guard let typed = TypedWord(half, among: LineWord.finding),
            case .say(let field) = typed.deed, field.isText, !typed.text.isEmpty
        else { return }
        try store.saveDraft(typed.text, of: field.field, in: id)
    }
}

extension ListedFinding {
    /// As `walkdown finding` tells it.
    fileprivate var line: String { "\(address): \(escapingLines(words))" }
}
