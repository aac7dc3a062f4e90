package import Coding

/// What a person says of a finding. An empty text takes away what was said.
package enum FindingChange: Sendable, Equatable {
    case severity(Finding.Severity)
    case status(Finding.Status)
    case owner(String?)
    /// YYYY-MM-DD.
    case due(String?)
    case note(String?)

    package var field: String {
        switch self {
        case .severity: BuiltInField.severity
        case .status: BuiltInField.status
        case .owner: BuiltInField.owner
        case .due: BuiltInField.due
        case .note: BuiltInField.note
        }
    }

    package var value: FieldValue {
        switch self {
        case .severity(let severity): .string(severity.rawValue)
        case .status(let status): .string(status.rawValue)
        case .owner(let text), .due(let text), .note(let text):
            text.flatMap { $0.isEmpty ? nil : FieldValue.string($0) } ?? .null
        }
    }
}

extension Finding {
    package mutating func take(_ change: FindingChange) {
        func said(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
        switch change {
        case .severity(let severity): self.severity = severity
        case .status(let status): self.status = status
        case .owner(let text): owner = said(text)
        case .due(let text): due = said(text)
        case .note(let text): note = said(text)
        }
    }
}
