internal import Arguments
internal import CSystem
internal import Dispatch
internal import Glibc
internal import Vault

/// The signals that end a program which goes on by itself, as data (signalfd(2)): blocked before
/// the first thread of the work starts, so that none of them is interrupted or killed.
final class EndSignals {
    private let source: any DispatchSourceRead

    /// - Parameter arrived: called on a queue of its own with the signal's number, for SIGINT,
    ///   SIGTERM, SIGHUP (unless nohup(1) has it ignored) and the one of `walkdown lock`.
    init(_ arrived: @escaping @Sendable (Int32) -> Void) throws {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, LockSignal.number] { sigaddset(&set, number) }
        if !Self.isHangUpIgnored { sigaddset(&set, SIGHUP) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        guard descriptor >= 0 else {
            throw Failure(.failed, "cannot wait for signals: \(String(cString: strerror(errno)))")
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "walkdown.signals"))
        source.setEventHandler {
            var arrival = signalfd_siginfo()
            guard read(descriptor, &arrival, MemoryLayout<signalfd_siginfo>.size) > 0 else {
                return
            }
            arrived(Int32(arrival.ssi_signo))
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    /// They stay blocked: the program is about to end.
    func stop() { source.cancel() }

    private static var isHangUpIgnored: Bool {
        var action = sigaction()
        return sigaction(SIGHUP, nil, &action) == 0
            && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
