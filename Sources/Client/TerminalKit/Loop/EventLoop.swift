internal import CTerminal
internal import Glibc

/// Waits with poll(2) for the terminal, the workers' mailbox, signals and one timer. Between events
/// it costs nothing and writes nothing. Main thread only.
package final class EventLoop<Message: Sendable> {
    package enum Event: Sendable {
        case input(InputEvent)
        case message(Message)
        case timer
        /// The terminal changed its size.
        case resize
        /// Ctrl-Z's signal came from outside.
        case stop
        /// The process runs again after a stop that was not of our making.
        case resumed
        /// SIGUSR1, whose meaning is the application's.
        case userSignal
        /// A signal asks the process to end: save, restore, die of it.
        case ending(signal: Int32)
        /// The terminal is gone: save and exit; reading again would spin.
        case inputEnded
    }

    private let input: Int32
    private let mailbox: Mailbox<Message>
    private var decoder: InputDecoder
    /// An eventfd that the signal handlers write to.
    package let wake: Int32
    /// When `.timer` is due, in BootClock's milliseconds; nil for never. Cleared when it fires.
    package var timer: Int64?
    /// A secret is being typed: a paste comes key by key, so that no String ever holds it.
    package var takesSecret: Bool {
        get { decoder.takesSecret }
        set { decoder.takesSecret = newValue }
    }
    /// What `read` reads into; zeroed after each use, because a PIN passes through it.
    private var buffer = [UInt8](repeating: 0, count: 4_096)
    /// Rings when the next thing is due.
    private let alarm: Alarm

    package init(
        input: Int32, mailbox: Mailbox<Message>, decoder: InputDecoder = InputDecoder()
    ) throws(TerminalError) {
        let alarm = try Alarm()
        let wake = walkdown_mailbox_open()
        guard wake >= 0 else { throw .noDescriptor }
        self.input = input
        self.mailbox = mailbox
        self.decoder = decoder
        self.wake = wake
        self.alarm = alarm
    }

    deinit {
        walkdown_mailbox_close(wake)
    }

    /// Blocks until something happened and returns all of it: signals, messages, input, timer. Empty
    /// when somebody only woke the loop.
    package func wait() throws(TerminalError) -> [Event] {
        while true {
            alarm.set(to: nextDeadline)
            let ready = try poll(timeout: -1)
            var events: [Event] = []
            if ready.signals { events += signalEvents() }
            if ready.messages { events += mailbox.take().map { .message($0) } }
            events += decoder.expire(at: BootClock.milliseconds()).map { .input($0) }
            if ready.input { events += read() }
            if let due = timer, BootClock.milliseconds() >= due {
                timer = nil
                events.append(.timer)
            }
            // A mailbox that only woke us ends the wait too.
            if !events.isEmpty || ready.messages { return events }
        }
    }

    /// Nothing waits to be handled: no byte, no message, no signal, no half sequence.
    package func isDrained() throws(TerminalError) -> Bool {
        guard decoder.isIdle, mailbox.isEmpty else { return false }
        let ready = try poll(timeout: 0)
        return !ready.input && !ready.messages && !ready.signals
    }

    /// Drops what was typed ahead: a confirmation must not be answered by keys from before it.
    package func dropTypeAhead() {
        tcflush(input, TCIFLUSH)
        decoder = decoder.anew()
    }

    private var nextDeadline: Int64? { [timer, decoder.deadline].compactMap { $0 }.min() }

    private func poll(
        timeout: Int32
    ) throws(TerminalError) -> (input: Bool, messages: Bool, signals: Bool) {
        var watched = [input, mailbox.descriptor, wake, alarm.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let count = Glibc.poll(&watched, nfds_t(watched.count), timeout)
        // EINTR: a signal handler ran and wrote to `wake`; the next poll sees it.
        guard count >= 0 || errno == EINTR else { throw .poll(errno: errno) }
        return (
            input: count > 0 && watched[0].revents != 0,
            messages: count > 0 && watched[1].revents != 0,
            signals: count > 0 && watched[2].revents != 0
        )
    }

    private func read() -> [Event] {
        let count = Glibc.read(input, &buffer, buffer.count)
        if count > 0 {
            defer { for index in 0..<count { buffer[index] = 0 } }
            return decoder.feed(buffer.prefix(count), at: BootClock.milliseconds()).map {
                .input($0)
            }
        }
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        // 0 is the end; EIO is what a terminal says that was hung up.
        return [.inputEnded]
    }

    private func signalEvents() -> [Event] {
        walkdown_mailbox_drain(wake)
        let signals = CrashGuard.takeSignals()
        var events: [Event] = []
        if signals.contains(.resize) { events.append(.resize) }
        if signals.contains(.resume) { events.append(.resumed) }
        if signals.contains(.stop) { events.append(.stop) }
        if signals.contains(.user) { events.append(.userSignal) }
        if let ending = signals.ending { events.append(.ending(signal: ending)) }
        return events
    }
}

extension EventLoop.Event: Equatable where Message: Equatable {}

/// CLOCK_BOOTTIME, for timers and key timing: it never goes back and counts while the machine sleeps.
package enum BootClock {
    package static func milliseconds() -> Int64 {
        var time = timespec()
        // Cannot fail for this clock (clock_gettime(2)).
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
