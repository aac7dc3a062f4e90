internal import Arguments
internal import Glibc
internal import Synchronization
internal import TerminalKit

/// What the wait for a line ended with.
package enum Wake: Equatable, Sendable {
    /// Something can be read, or the input has come to its end.
    case input
    case signal(Int32)
    /// As much time has passed as was given.
    case time
}

/// What ends the wait of a command that asks line by line, beside the line itself.
package protocol TypingWatch: AnyObject {
    func wait(for input: Int32, atMost milliseconds: Int64) throws -> Wake
    /// Work that takes long: a signal meanwhile calls `interrupt`, on any thread, and ends the next wait.
    func during<Result>(
        _ work: () throws -> Result, interrupt: @escaping @Sendable () -> Void
    ) rethrows -> Result
    /// Signals do again what they did before.
    func stop()
}

/// The signals and clock of this process. One at a time, from after the PIN was typed until the store is
/// closed: a signal that comes while the key is worked out or something is stored waits for the next line.
final class TerminalWatch: TypingWatch {
    private let signals: EndSignals
    private let alarm: Alarm
    /// What came while something else was done.
    private let early = EarlySignal()

    init() throws {
        alarm = try Alarm()
        signals = try EndSignals()
    }

    func wait(for input: Int32, atMost milliseconds: Int64) throws -> Wake {
        if let number = early.number.withLock({ $0 }) { return .signal(number) }
        alarm.set(to: BootClock.milliseconds() + milliseconds)
        while true {
            var watched = [signals.descriptor, alarm.descriptor, input].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&watched, nfds_t(watched.count), -1) >= 0 else {
                // Stopped and continued.
                if errno == EINTR { continue }
                throw TerminalError.poll(errno: errno)
            }
            if watched[0].revents != 0, let number = signals.take() { return .signal(number) }
            // Before the input: who types after a long sleep of the machine may be somebody else.
            if watched[1].revents != 0 { return .time }
            if watched[2].revents != 0 { return .input }
        }
    }

    func during<Result>(
        _ work: () throws -> Result, interrupt: @escaping @Sendable () -> Void
    ) rethrows -> Result {
        signals.tell { [early] number in
            early.number.withLock { $0 = $0 ?? number }
            interrupt()
        }
        defer { signals.stopTelling() }
        return try work()
    }

    func stop() { signals.letThrough() }
}

private final class EarlySignal: Sendable {
    let number = Mutex<Int32?>(nil)
}
