package import Coding
package import Forms
package import Inspections
package import Replication
package import TerminalKit

/// What `update` asks the world to do. Results come back as messages.
package enum Effect: Equatable, Sendable {
    case pin(PINKey)
    case lock
    case loadWorklist
    case loadStatus
    case loadInspection(RecordID)
    case loadConflict(RecordID)
    /// Earlier visits to the equipment of an inspection.
    case loadHistory(RecordID)
    /// What an inspection can begin with.
    case loadBeginnings
    /// Begins an inspection; nil for one of no equipment.
    case begin(form: String, version: String, equipment: RecordID?)
    /// Stores one answer; `.null` clears it. The draft of the same question goes with it. `text` is
    /// what was typed for it: where the store refuses, that becomes the draft. `agreed`: rows with
    /// answers may go, where the answer is their count.
    case answer(EditID, RecordID, AnswerKey, FieldValue, text: String?, agreed: Bool)
    /// Adds a row at the end of a repeat.
    case addRow(RecordID, path: String, parent: String?)
    /// Deletes a row with all that is in it; the person has agreed.
    case deleteRow(RecordID, String)
    /// Raises a finding by hand on a question.
    case raiseFinding(RecordID, AnswerKey)
    /// Says something of a finding of an inspection.
    case changeFinding(RecordID, finding: RecordID, FindingChange)
    /// Takes one away; the person has agreed.
    case removeFinding(RecordID, finding: RecordID)
    /// Keeps what is being typed, or with nil lets it go.
    case draft(RecordID, AnswerKey, text: String?)
    /// These fields are on the screen to be edited, or are no more: what is fetched meanwhile does
    /// not slip under the value that the person sees.
    case hold(RecordID, [String])
    case release(RecordID, [String])
    case complete(RecordID)
    case reopen(RecordID)
    /// Asks what a move to the newest version of the form would do.
    case planMove(RecordID)
    /// Moves it; the person has seen what that does.
    case move(RecordID, to: String)
    /// `shown` is the other side of each answer as the person saw it: what has changed since is not
    /// decided about.
    case resolve(RecordID, [String: Decision], shown: [String: FieldValue])
    case retry(MutationID)
    case discard(MutationID)
    case syncNow
    case setNetwork(on: Bool)
    /// Keeps a setting of the screen for the next time; nil for what holds without one.
    case keepSetting(ScreenSetting, String?)
    case setBackground(on: Bool)
    /// Keeps a key that was bound.
    case bind(KeyEvent, Command)
    case unbind(Command)
    /// Looks at the device: what it is, and what is wrong.
    case examine
    /// Speaks another language from now on.
    case speak(String)
    /// Colours, and characters where they are not those that the terminal says.
    case setLook(Theme.Name, Tier?)
    /// Drops what was typed and not yet read.
    case flushInput
    /// Asks the terminal for taps, or for none.
    case setMouse(on: Bool)
    /// Draws everything anew.
    case redraw
    /// Stops the process as a shell expects of Ctrl-Z.
    case suspend
    case quit
}

/// A key of PIN entry, on its way to locked memory.
package enum PINKey: Equatable, Sendable {
    case type(Unicode.Scalar)
    case backspace
    case clear
    /// Hands the PIN to the vault and clears the pad.
    case enter
}
