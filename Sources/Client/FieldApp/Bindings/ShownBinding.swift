import Phrases
import TerminalKit

/// The words of the table in the language in force. The table itself, and the manual made of it, are English.
extension Binding {
    var shownLabel: String { label.isEmpty ? "" : Phrase(key: label).text }
    var shownHelp: String { Phrase(key: help).text }
    /// `F9 or :`
    var shownKeys: String { keys.map(\.name).joined(separator: " \(say("or")) ") }
}
