/// What an application is to the loop: it takes events, says what it wants, and draws itself.
package protocol ScreenApp: AnyObject {
    associatedtype Message: Sendable

    /// When the application wants `.timer`, in BootClock's milliseconds; asked after each event.
    var timer: Int64? { get }
    /// Work is under way whose message will come: the screen is not idle in the sense of tests.
    var isBusy: Bool { get }
    /// A secret is being typed: no String may ever hold it.
    var takesSecret: Bool { get }
    /// Whether a printable key would be text now, or begin one; otherwise it is a command.
    func isText(_ key: KeyEvent) -> Bool
    func handle(_ event: ScreenEvent<Message>) -> ScreenRequest
    func render(size: Size, look: Look) -> Canvas
    /// Saves what was typed, on the main thread, before the process stops or ends; returns when it
    /// is on the disk.
    func save(before end: ScreenPause)
}

package enum ScreenEvent<Message: Sendable>: Sendable {
    case input(InputEvent)
    case message(Message)
    case timer
    case resized(Size)
    /// SIGUSR1, whose meaning is the application's.
    case userSignal
}

package enum ScreenRequest: Equatable, Sendable {
    case none
    /// Paint the whole screen anew (Ctrl-L).
    case repaint
    /// Stop the process as the shell's Ctrl-Z does.
    case stop
    /// What was typed ahead is dropped: a question was just asked.
    case dropTypeAhead
    /// The terminal reports taps from now on, or none.
    case mouse(on: Bool)
    /// Other colours, and characters where they are not those that the terminal says.
    case look(Theme.Name, Tier?)
    case quit
}

/// What comes after saving.
package enum ScreenPause: Equatable, Sendable { case stop, end }

/// Why the screen went down.
package enum ScreenEnd: Equatable, Sendable {
    case quit
    /// The terminal is gone (end of input, hang-up).
    case inputEnded
    /// The process was asked to end: it should die of this signal, see `CrashGuard.die`.
    case signal(Int32)
}
