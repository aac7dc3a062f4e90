import Phrases

/// How far a record or an answer has come on its way to the server.
package enum Standing: String, Sendable, CaseIterable {
    /// On the screen, not yet on the disk.
    case typed
    /// In the encrypted database of this device.
    case savedHere
    /// In a batch that is under way.
    case sent
    /// Confirmed by the server.
    case accepted
    /// The server refused it; a person decides.
    case failed
    /// Somebody else changed the same answer; a person decides here.
    case conflict
    /// A supervisor decides.
    case inReview

    /// The word beside an answer.
    package var label: String {
        switch self {
        case .typed: say("typed")
        case .savedHere: say("saved here")
        case .sent: say("sent")
        case .accepted: say("accepted")
        case .failed: say("failed")
        case .conflict: say("conflict")
        case .inReview: say("in review")
        }
    }

    /// The badge of a list: its shape tells the state, never its colour alone.
    package var badge: Badge {
        switch self {
        case .typed, .savedHere, .sent: .pending
        case .accepted: .synced
        case .failed: .failed
        case .conflict: .conflict
        case .inReview: .inReview
        }
    }
}

/// The state of synchronisation of a whole record.
package enum Badge: String, Sendable, CaseIterable {
    case synced, pending, failed, conflict, inReview

    package var symbol: String {
        switch self {
        case .synced: "✓"
        case .pending: "↑"
        case .failed: "!"
        case .conflict: "≠"
        case .inReview: "?"
        }
    }

    package var asciiSymbol: String {
        switch self {
        case .synced: "[S]"
        case .pending: "[P]"
        case .failed: "[F]"
        case .conflict: "[C]"
        case .inReview: "[R]"
        }
    }

    package var label: String {
        switch self {
        case .synced: say("synced")
        case .pending: say("pending")
        case .failed: say("failed")
        case .conflict: say("conflict")
        case .inReview: say("in review")
        }
    }
}
