/// What the command line and the environment say about the screen.
package struct ScreenOptions: Sendable {
    package enum ColourChoice: String, CaseIterable, Sendable { case auto, always, never }

    /// nil: what the locale says.
    package var tier: Tier?
    package var colour = ColourChoice.auto
    package var theme = Theme.Name.auto
    /// Whether the terminal is asked to report taps and the wheel.
    package var mouse = true
    /// Keys of this terminal alone, by what each sends.
    package var learned: [[UInt8]: KeyEvent] = [:]
    /// The value of TERM; nil when it is not set.
    package var term: String?
    /// NO_COLOR is set to anything but nothing (no-color.org).
    package var noColour: Bool
    /// The value of WALKDOWN_TEST_FD.
    package var testDescriptor: String?

    package init(environment: [String: String]) {
        term = environment["TERM"]
        noColour = !(environment["NO_COLOR"] ?? "").isEmpty
        testDescriptor = environment["WALKDOWN_TEST_FD"]
    }

    /// Whether to use colour on a terminal that has `available` of them.
    package func usesColour(available: Int) -> Bool {
        guard available >= 8 else { return false }
        switch colour {
        case .always: return true
        case .never: return false
        case .auto: return !noColour
        }
    }
}
