package import Forms
package import Inspections
import Phrases
package import Replication
package import TerminalKit

/// Everything that can happen to the screen: what a person does, what the clock does, and what
/// comes back from effects.
package enum AppMessage: Sendable {
    case input(InputEvent, Moment)
    /// A tap on what the last frame showed there, nil for nothing that takes one.
    case tap(TapTarget?, Moment)
    /// The time that `AppState.deadline` asked for has come.
    case tick(Moment)
    case resized(Size)
    /// SIGHUP, SIGTERM or the end of input: save and go.
    case hangUp
    /// The process is about to be stopped, perhaps for ever: save what is being typed.
    case suspending
    /// `walkdown lock` was called elsewhere, or the machine goes to sleep.
    case lockDemanded

    case unlocked
    case unlockRefused(UnlockRefusal)
    case worklist([WorklistRow])
    case beginnings(Beginnings)
    /// A new inspection is on the disk.
    case begun(RecordID)
    case status(StatusPicture)
    case inspection(InspectionPicture)
    case conflict(ConflictPicture)
    /// Nothing is in conflict any more, as when a supervisor settled it meanwhile.
    case noConflict(RecordID)

    /// On the disk; nil where the store could not be read afterwards.
    case saved(EditID, RecordID, InspectionPicture?)
    case notSaved(UnsavedAnswer)
    case draftSaved(RecordID, AnswerKey, text: String?)
    case draftNotSaved(RecordID, AnswerKey, text: String?, StoreRefusal)
    /// A new row is on the disk; nil where the store could not be read afterwards.
    case rowAdded(RecordID, row: String, InspectionPicture?)
    case rowDeleted(RecordID, row: String, InspectionPicture?)
    /// Raised by hand; nil where the store could not be read afterwards.
    case findingRaised(RecordID, finding: RecordID, InspectionPicture?)
    case findingChanged(RecordID, finding: RecordID, InspectionPicture?)
    case findingRemoved(RecordID, finding: RecordID, InspectionPicture?)
    case movePlanned(RecordID, MoveWords)
    /// Earlier visits to the same equipment, the newest first.
    case history(RecordID, [Visit])
    case about([AboutLine])
    /// The sentences of a language are in force.
    case spoken(String)
    case done(Deed)
    case refused(Deed, StoreRefusal)

    case sync(SyncNews)
}

extension AppMessage {
    /// What was typed or chosen and is not on the disk, as a sentence for the person; nil for every
    /// other message.
    package var loss: String? {
        switch self {
        case .notSaved(let answer): answer.sentence
        case .draftNotSaved(_, _, .some, let refusal):
            say("What was typed could not be kept: \(refusal.text)")
        default: nil
        }
    }
}

/// An answer that the store refused, or could not write; nothing of it is on the disk, but for what
/// was typed.
package struct UnsavedAnswer: Equatable, Sendable {
    package var edit: EditID
    package var inspection: RecordID
    package var key: AnswerKey
    /// What was typed for it; nil for what was chosen.
    package var text: String?
    package var refusal: StoreRefusal
    /// Whether `text` stands in the draft table now.
    package var isDraftKept: Bool

    package init(
        edit: EditID, inspection: RecordID, key: AnswerKey, text: String?, refusal: StoreRefusal,
        isDraftKept: Bool
    ) {
        self.edit = edit
        self.inspection = inspection
        self.key = key
        self.text = text
        self.refusal = refusal
        self.isDraftKept = isDraftKept
    }

    /// For the person, whose screen may be gone.
    package var sentence: String {
        guard text != nil else { return say("Not saved: \(refusal.text)") }
        return isDraftKept
            ? say("Not saved: \(refusal.text). What was typed is kept as a draft")
            : say("Not saved: \(refusal.text). What was typed could not be kept either")
    }
}

/// What a person asked the store to do, beside answering questions.
package enum Deed: Equatable, Sendable {
    case open(RecordID)
    case begin
    case complete(RecordID)
    case reopen(RecordID)
    case planMove(RecordID)
    case readHistory(RecordID)
    case move(RecordID)
    case retry(MutationID)
    case discard(MutationID)
    case resolve(RecordID)
    case addRow(RecordID)
    case deleteRow(RecordID)
    /// Of an inspection: raised, changed or taken away.
    case finding(RecordID)
    case refresh
    /// A setting, or a key that was bound.
    case keepSetting
    case setBackground(on: Bool)
}

package enum UnlockRefusal: Error, Equatable, Sendable {
    case wrongPIN
    /// The same, and seconds until the vault looks at the next one.
    case wrongPINAndWait(Int)
    /// The same, where one of the two key slots cannot be read and the PIN was tried on the other, which may
    /// be of before the last new PIN.
    case wrongPINOfOne(Int)
    /// Seconds until the vault looks at a PIN again.
    case delayed(Int)
    case tooShort
    case failed(String)
}

/// Why the store did not do something, in words for the person.
package struct StoreRefusal: Error, Equatable, Sendable {
    package enum Cause: Sendable {
        /// The answer breaks a rule of the form, or the inspection is locked.
        case constraint
        /// The queue is full: new changes wait until some are sent.
        case queueFull
        /// The disk is full, or failed.
        case disk
        case other
    }

    package var cause: Cause
    package var text: String

    package init(_ cause: Cause, _ text: String) {
        self.cause = cause
        self.text = text
    }
}

package enum SyncNews: Equatable, Sendable {
    case started
    /// A cycle goes on: mutations that went of all that there were to send, records that came.
    case moving(sent: Int, of: Int, fetched: Int)
    /// A cycle ended: pushed mutations and pulled records, and whether all of it went through.
    case finished(pushed: Int, pulled: Int, isComplete: Bool)
    /// No way to the server; never a failure.
    case offline(String)
    /// Something that does not pass by itself, in words.
    case failed(String)
    /// The server refuses this device.
    case revoked
    /// Something was applied: what is shown may be old.
    case changed
}
