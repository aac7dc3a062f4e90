import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Every open connection and the moment at which it ends unless it moves on.
///
/// libmicrohttpd's own timeout sees idleness only: a byte every few seconds holds a connection for
/// ever. These deadlines are absolute; `reap` shuts the sockets that passed theirs.
final class ConnectionTable: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What a connection is busy with, and since when.
    enum Phase: Equatable {
        /// Accepted, or between an answer and the next request line.
        case waiting
        case readingHeader
        case readingBody(received: Int)
        /// The program has the request. It owes the answer; no deadline. Entered by `hand` alone.
        case handling
        case answering(bytes: Int)
    }

    private struct Entry {
        var phase: Phase
        var deadline: Instant?
        var bodyBegan: Instant?
        var responder: Responder?
    }

    /// How far the end of the listener has come.
    private enum Stage {
        case listening
        /// What was begun is brought to its end, nothing new is taken.
        case draining
        /// No request is handed to the program any more.
        case abandoned
    }

    private struct State {
        var stage = Stage.listening
        /// By socket. A socket leaves before the library closes it, so that the number that `reap`
        /// shuts is never one that the kernel gave away again.
        var entries: [Int32: Entry] = [:]
        var bodiesInMemory = 0
    }

    private let limits: Limits
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())

    init(limits: Limits, now: @escaping @Sendable () -> Instant = { .now }) {
        self.limits = limits
        self.now = now
    }

    func opened(_ socket: Int32) {
        let deadline = now() + limits.headerTime
        state.withLock { $0.entries[socket] = Entry(phase: .waiting, deadline: deadline) }
    }

    func closed(_ socket: Int32) {
        state.withLock { _ = $0.entries.removeValue(forKey: socket) }
    }

    func moved(_ socket: Int32, to phase: Phase) {
        let instant = now()
        state.withLock { state in
            guard var entry = state.entries[socket] else { return }
            switch phase {
            case .waiting: entry.deadline = instant + limits.idleTime
            case .readingHeader:
                // The first request has its 5 s from the accept, the TLS handshake included.
                entry.deadline = min(
                    entry.deadline ?? instant + limits.headerTime, instant + limits.headerTime)
            case .readingBody(let received):
                let began = entry.bodyBegan ?? instant
                entry.bodyBegan = began
                entry.deadline = began + limits.time(forTransferring: received)
            case .handling: preconditionFailure("a request is handed over with its responder")
            case .answering(let bytes):
                entry.deadline = instant + limits.time(forTransferring: bytes)
            }
            if case .readingBody = phase {} else { entry.bodyBegan = nil }
            entry.responder = nil
            entry.phase = phase
            state.entries[socket] = entry
        }
    }

    /// Shuts every socket whose time is over. The library notices and closes the connection.
    ///
    /// - Returns: how many.
    @discardableResult
    func reap() -> Int {
        let instant = now()
        return state.withLock { state in
            var count = 0
            for (socket, entry) in state.entries {
                guard let deadline = entry.deadline, deadline <= instant else { continue }
                _ = shutdown(socket, Int32(SHUT_RDWR))
                state.entries[socket]?.deadline = nil
                count += 1
            }
            return count
        }
    }

    /// Requests that are not answered to the end. Idle connections do not count.
    var busy: Int {
        state.withLock { $0.entries.values.count { $0.phase != .waiting } }
    }

    var count: Int { state.withLock { $0.entries.count } }

    // MARK: Requests in the program's hands

    /// Notes that the program has the request and owes the answer through `responder`.
    ///
    /// - Returns: false when it is too late for that: nobody would answer, and the daemon cannot
    ///   end while a connection waits. Noting and asking are one step under the lock, so that
    ///   `abandon` misses nobody.
    func hand(_ socket: Int32, to responder: Responder) -> Bool {
        state.withLock { state in
            guard state.stage != .abandoned, var entry = state.entries[socket] else {
                return false
            }
            entry.phase = .handling
            entry.deadline = nil
            entry.bodyBegan = nil
            entry.responder = responder
            state.entries[socket] = entry
            return true
        }
    }

    // MARK: The end

    /// From now on every connection ends with its next answer.
    var isDraining: Bool { state.withLock { $0.stage != .listening } }

    func drain() {
        state.withLock { if $0.stage == .listening { $0.stage = .draining } }
    }

    /// Answers every request that the program still holds, and lets it have no other one: the
    /// daemon cannot end while one of its connections is suspended.
    func abandon() {
        let responders = state.withLock { state in
            state.stage = .abandoned
            return state.entries.values.compactMap(\.responder)
        }
        for responder in responders { responder.answer(.stopping) }
    }

    // MARK: Memory of bodies

    /// - Returns: false when the bodies in memory would pass their limit; nothing is taken then.
    func take(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard state.bodiesInMemory + bytes <= limits.bodiesInMemory else { return false }
            state.bodiesInMemory += bytes
            return true
        }
    }

    func giveBack(_ bytes: Int) {
        state.withLock { $0.bodiesInMemory -= bytes }
    }
}
