internal import Arguments
internal import CSystem
internal import Dispatch
internal import Glibc
internal import Vault

/// The signals that end a program which goes on by itself, as data (signalfd(2)): SIGINT, SIGTERM, SIGHUP
/// (unless nohup(1) has it ignored) and the one of `walkdown lock`. Blocked from here on in this thread;
/// the queues' threads take no signals anyway.
final class EndSignals {
    /// Readable when one has arrived.
    let descriptor: Int32
    private var before = sigset_t()
    private let queue = DispatchQueue(label: "walkdown.signals")
    private var source: (any DispatchSourceRead)?

    init() throws {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, LockSignal.number] { sigaddset(&set, number) }
        if !Self.isHangUpIgnored { sigaddset(&set, SIGHUP) }
        descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        guard descriptor >= 0 else {
            throw Failure(.failed, "cannot wait for signals: \(String(cString: strerror(errno)))")
        }
        pthread_sigmask(SIG_BLOCK, &set, &before)
    }

    deinit {
        stopTelling()
        close(descriptor)
    }

    /// The number of one that has arrived.
    func take() -> Int32? { Self.take(from: descriptor) }

    /// Each that arrives, on a queue of its own, until `stopTelling`.
    func tell(_ arrived: @escaping @Sendable (Int32) -> Void) {
        // A source lets go of its descriptor some time after it was cancelled.
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        // None left: they are taken by whoever asks next.
        guard own >= 0 else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: own, queue: queue)
        source.setEventHandler {
            if let number = Self.take(from: own) { arrived(number) }
        }
        source.setCancelHandler { close(own) }
        source.activate()
        self.source = source
    }

    /// Nothing is told any more when it returns.
    func stopTelling() {
        source?.cancel()
        source = nil
        queue.sync {}
    }

    /// They do again what they did before; also those that nobody took.
    func letThrough() { pthread_sigmask(SIG_SETMASK, &before, nil) }

    private static func take(from descriptor: Int32) -> Int32? {
        var arrival = signalfd_siginfo()
        guard read(descriptor, &arrival, MemoryLayout<signalfd_siginfo>.size) > 0 else {
            return nil
        }
        return Int32(arrival.ssi_signo)
    }

    private static var isHangUpIgnored: Bool {
        var action = sigaction()
        return sigaction(SIGHUP, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
