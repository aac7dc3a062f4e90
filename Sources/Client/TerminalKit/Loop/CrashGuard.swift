internal import CTerminal
internal import Glibc

/// Leaves the terminal as it was found, whatever ends the process: a fault, a Swift trap, a signal
/// from outside. The handlers are C (CLibraries/CTerminal/guard.c); this is their switchboard. One
/// screen a process; main thread, but for `protectThread`.
package enum CrashGuard {
    /// What came from outside since the loop last asked.
    package struct Signals: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let hangUp = Signals(number: SIGHUP)
        package static let terminate = Signals(number: SIGTERM)
        package static let interrupt = Signals(number: SIGINT)
        package static let quit = Signals(number: SIGQUIT)
        package static let resize = Signals(number: SIGWINCH)
        package static let stop = Signals(number: SIGTSTP)
        package static let resume = Signals(number: SIGCONT)
        /// SIGUSR1, whose meaning is the application's.
        package static let user = Signals(number: SIGUSR1)

        private init(number: Int32) { self.init(rawValue: 1 << UInt32(number)) }

        /// The signal that asks the process to end, nil when none came.
        package var ending: Int32? {
            [SIGHUP, SIGTERM, SIGINT, SIGQUIT].first { rawValue & (1 << UInt32($0)) != 0 }
        }
    }

    /// Takes the signals over. After a fault `farewell` goes to `speech`; the others wake `wake`.
    package static func prepare(
        terminal: Int32, speech: Int32, wake: Int32, farewell: String
    ) throws(TerminalError) {
        guard walkdown_guard_prepare(terminal, speech, wake, farewell) == 0 else {
            throw .notATerminal
        }
    }

    /// From here until `disarm` a fault writes this string to the terminal.
    package static func arm(restore: String) { walkdown_guard_arm(restore) }
    package static func disarm() { walkdown_guard_disarm() }
    package static func resetModes() { walkdown_guard_reset_modes() }

    package static func takeSignals() -> Signals {
        Signals(rawValue: walkdown_guard_take_signals())
    }

    /// Stops the process as Ctrl-Z does and returns when it is continued.
    package static func stopProcess() { walkdown_guard_stop_self() }

    package static func end() { walkdown_guard_end() }

    /// Dies of the signal that asked for it, so that the parent sees 128+n.
    package static func die(of signal: Int32) -> Never { walkdown_guard_raise(signal) }

    /// Gives the calling thread a stack for signals: without one an overflow on a worker cannot be
    /// handled. Each worker block that can recurse calls it; false means that memory is short.
    @discardableResult
    package static func protectThread() -> Bool { walkdown_guard_thread() == 0 }
}
