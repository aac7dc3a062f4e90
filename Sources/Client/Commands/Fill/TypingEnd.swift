internal import Arguments
internal import FieldApp

/// No further line is waited for, though the input has not come to its end.
struct TypingEnd: Error {
    enum Reason: Equatable {
        case signal(Int32)
        /// `walkdown lock`.
        case told
        /// Nobody seems to be there any more.
        case idle
    }

    let reason: Reason
    /// What was typed of a line before its end.
    let half: String

    /// Without a line for as long as the screen waits for a key: on a terminal keys arrive by lines.
    static let delay = AppState.lockDelay

    var isLock: Bool { reason == .told || reason == .idle }

    var sentence: String {
        reason == .idle
            ? "locked after \(Self.delay / 60_000) minutes without a line; what was entered is kept"
            : "locked, as 'walkdown lock' asked; what was entered is kept"
    }

    /// What the command ends with.
    var failure: any Error {
        switch reason {
        case .signal(let number): EndedBySignal(number: number)
        case .told, .idle: Failure(.locked, sentence)
        }
    }
}
