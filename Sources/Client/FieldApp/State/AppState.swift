package import Forms
import Inspections
import Phrases
package import Replication
package import TerminalKit

/// Everything that is on the screen, as one value. `update` changes it, `render` shows it; neither
/// does anything else.
package struct AppState: Equatable, Sendable {
    package var layers: LayerStack<Layer>
    package var worklist = Worklist()
    package var status = StatusPicture()
    package var network = Network.unknown
    package var isSyncing = false
    /// How far a cycle has come that takes longer; nil before it has told.
    package var cycleProgress: CycleFigures?
    /// A person asked for the cycle that runs or comes: its end is told, also if nothing moved.
    package var isSyncDemanded = false
    /// One line that says what just happened; gone with the next key.
    package var notice: Notice?
    /// Stays until its cause is gone, such as a full queue.
    package var warning: String?
    package var now: Moment
    package var size = Size(columns: 80, rows: 24)
    /// What the clocks of the place where the device is show when.
    let zone: DeviceZone
    /// In which texts of forms are shown that have it, chosen by the person; nil for each form's own.
    package var language: String?
    /// A demo has a switch for its network and shows its PIN.
    package var demo: Demo?
    /// Uptime of the last key, from which the lock counts.
    package var lastKey: Int64
    /// Where the screen was when it locked: ids only, no answer outlives the lock.
    package var resume: Bookmark?
    /// Numbers the writes, so that each result finds its own.
    package var lastEdit = EditID(0)
    package var isQuitting = false
    package var unkept = UnkeptDrafts()
    /// Reviews that were left before all was decided: whoever comes back finds what was decided.
    package var leftReviews: [RecordID: ReviewScreen] = [:]
    /// What was cut in one answer and can be put into another; gone when the device locks.
    package var cut = ""
    /// The terminal reports taps and the wheel.
    package var hasMouse = true
    /// Bound by the person beside the table's.
    package var ownKeys = OwnKeys()
    package var settings = ScreenSettings()

    package struct CycleFigures: Equatable, Sendable {
        package var sent: Int
        /// With what still waits.
        package var total: Int
        package var fetched: Int

        package init(sent: Int, total: Int, fetched: Int) {
            self.sent = sent
            self.total = total
            self.fetched = fetched
        }
    }

    package struct Demo: Equatable, Sendable {
        package var pin: String
        package var networkIsOn = true

        package init(pin: String) { self.pin = pin }
    }

    package struct Bookmark: Equatable, Sendable {
        package var inspection: RecordID
        package var question: AnswerKey?
    }

    /// - Parameter zone: where the device is.
    package init(
        now: Moment, demo: Demo? = nil, zone: ExpressionZone = ExpressionZone(fixedOffset: 0)
    ) {
        self.zone = DeviceZone(rules: zone)
        self.now = now
        self.demo = demo
        lastKey = now.uptime
        layers = LayerStack(.unlock(UnlockScreen()))
    }
}

/// All are equal: it stays as it was when the screen began.
struct DeviceZone: Equatable, Sendable {
    let rules: ExpressionZone

    static func == (left: DeviceZone, right: DeviceZone) -> Bool { true }
}

/// What just happened, in one line.
package struct Notice: Equatable, Sendable {
    package enum Tone: Sendable { case plain, good, bad }

    package var text: String
    package var tone: Tone

    package init(_ text: String, _ tone: Tone = .plain) {
        self.text = text
        self.tone = tone
    }
}

/// What is known of the way to the server. Being offline is a state, never a failure.
package enum Network: Equatable, Sendable {
    case unknown
    case online
    /// With the reason, in a few words.
    case offline(String)

    package var label: String {
        switch self {
        case .unknown: say("network ?")
        case .online: say("online")
        case .offline: say("offline")
        }
    }
}

package struct EditID: Hashable, Sendable, Comparable {
    package var number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: EditID, right: EditID) -> Bool { left.number < right.number }
}
