internal import CTerminal

/// A descriptor for poll(2) that is readable from a moment of BootClock on, at once where the machine has
/// slept through it; the timeout of poll(2) would stand still meanwhile.
package final class Alarm {
    package let descriptor: Int32

    package init() throws(TerminalError) {
        descriptor = walkdown_timer_open()
        guard descriptor >= 0 else { throw .noDescriptor }
    }

    deinit {
        walkdown_timer_close(descriptor)
    }

    /// - Parameter milliseconds: nil for never.
    package func set(to milliseconds: Int64?) {
        walkdown_timer_set(descriptor, milliseconds ?? -1)
    }
}
