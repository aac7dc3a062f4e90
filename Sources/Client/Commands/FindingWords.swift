internal import Arguments
internal import Coding
internal import FieldApp
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

extension FindingView {
    var members: [String: JSON] {
        [
            "id": .string(id.rawValue), "question": .string(finding.question),
            "row": JSON(finding.row), "severity": .string(finding.severity.rawValue),
            "status": .string(finding.status.rawValue), "owner": JSON(finding.owner),
            "due": JSON(finding.due), "note": JSON(finding.note), "comment": JSON(finding.comment),
            "repeated": .bool(finding.isRepeated), "fails": .bool(fails),
            "sync": .string(sync.rawValue),
        ]
    }
}

extension ListedFinding {
    /// As a script reads it in a list of its own.
    var json: JSON {
        var members = view.members
        members["inspection"] = .string(inspection.id.rawValue)
        members["asset"] = JSON(inspection.asset)
        members["form"] = .string(inspection.form)
        members["address"] = .string(address)
        return .object(members)
    }

    /// `major, to be mended, by 2026-12-24, Ben: gap of 3 mm`
    var words: String {
        let finding = view.finding
        let parts = [
            finding.severity.rawValue, finding.status.label,
            finding.isRepeated ? "found at the last visit too" : nil,
            finding.due.map { "by \($0)" }, finding.owner,
            view.fails ? nil : "the answer does not fail",
        ]
        let line = parts.compactMap(\.self).joined(separator: ", ")
        let comment = finding.comment.map { " (the supervisor: \($0))" } ?? ""
        return line + (finding.note.map { ": " + $0 } ?? "") + comment
    }
}

/// The options of `finding` as changes of one.
struct FindingOptions {
    static let severity = Option(
        "severity", value: "S", allowed: Finding.Severity.allCases.map(\.rawValue),
        help: "How grave it is: minor, major or critical.")
    static let status = Option(
        "status", value: "S", allowed: Finding.Status.allCases.map(\.rawValue),
        help: "Whether it is pending, corrected on site, or closed.")
    static let owner = Option("owner", value: "NAME", help: "Who has to mend it.")
    static let due = Option(
        "due", value: "DATE", help: "Until when: YYYY-MM-DD, 't' today, '+7d' in a week.")
    static let note = Option("note", value: "TEXT", help: "What is wrong.")

    static let all = [severity, status, owner, due, note]

    let changes: [FindingChange]

    init(_ invocation: Invocation, in surroundings: Surroundings) throws {
        changes = try FindingField.allCases.compactMap { field in
            guard let text = invocation.value(field.option.name) else { return nil }
            do throws(FindingTrouble) {
                return try field.change(to: text, in: surroundings, rules: .command)
            } catch {
                throw Failure(
                    .validation, "--\(field.option.name): \(error.sentence)",
                    advice: "Nothing was changed.")
            }
        }
    }
}

/// Why a text says nothing of a finding.
struct FindingTrouble: Error {
    let sentence: String
}

extension FindingField {
    /// By which it is said.
    var option: Option {
        switch self {
        case .severity: FindingOptions.severity
        case .status: FindingOptions.status
        case .owner: FindingOptions.owner
        case .due: FindingOptions.due
        case .note: FindingOptions.note
        }
    }

    /// What a person said of it; an empty text takes away what was said.
    func change(
        to text: String, in surroundings: Surroundings, rules: TypingRules
    ) throws(FindingTrouble) -> FindingChange {
        switch self {
        case .severity:
            if let severity = Finding.Severity(rawValue: text) { return .severity(severity) }
            throw FindingTrouble(sentence: "is one of " + words(option.allowed))
        case .status:
            if let status = Finding.Status(rawValue: text) { return .status(status) }
            throw FindingTrouble(sentence: "is one of " + words(option.allowed))
        case .owner: return .owner(text)
        case .note: return .note(text)
        case .due:
            do throws(AnswerProblem) {
                return .due(
                    try FindingDay.read(
                        text, rules: rules, today: surroundings.today(),
                        zone: surroundings.zone))
            } catch {
                throw FindingTrouble(sentence: error.message())
            }
        }
    }

    private func words(_ all: [String]) -> String { all.joined(separator: ", ") }
}
