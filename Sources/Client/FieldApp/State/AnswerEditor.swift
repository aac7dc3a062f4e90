import Coding
package import Forms
package import TerminalKit

/// The editor of one answer, in its place in the list.
package struct AnswerEditor: Equatable, Sendable {
    package let key: AnswerKey
    package let isMultiline: Bool
    /// Between the values that the arrows go through; nil for an editor of text.
    package let step: Double?
    package var line: LineEditor
    /// The text with which it was opened.
    package let original: String
    /// Earlier texts, for undo.
    package var earlier: [LineEditor] = []
    /// Uptime by which the text must stand in the draft table; nil when it does.
    package var draftDue: Int64?
    /// Said after Enter was refused; gone with the next key.
    package var problem: AnswerProblem?
    /// The text about which the person was asked whether it is right though unusual.
    package var askedAbout: String?

    /// A draft is on the disk this soon after the first key that it does not hold (ms).
    package static let draftDelay: Int64 = 600

    package init(
        key: AnswerKey, text: String, original: String, isMultiline: Bool, step: Double? = nil
    ) {
        self.key = key
        self.isMultiline = isMultiline
        self.step = step
        self.original = original
        line = LineEditor(text, limit: FieldValue.longestText)
        line.toEnd()
    }

    package var isChanged: Bool { line.text != original }
}
