internal import Dispatch
internal import SQLite
internal import Synchronization

/// A clock that nobody sets, and something to be done after a while: how the keeper of the log
/// knows a pause when it sees one.
package struct Pauses: Sendable {
    /// Time since some instant.
    package var uptime: @Sendable () -> Duration
    /// Does the work once, that much later, on any thread.
    package var after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    package init(
        uptime: @escaping @Sendable () -> Duration,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    ) {
        self.uptime = uptime
        self.after = after
    }

    package static let real = Pauses(
        uptime: { [start = ContinuousClock.now] in start.duration(to: .now) },
        after: { pause, work in
            let milliseconds = Int(pause / .milliseconds(1))
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .milliseconds(milliseconds), execute: work)
        })
}

/// When the write-ahead log may be moved into the database file without anybody noticing: when nothing
/// was edited for half a second; while pages are applied, when nothing was for five seconds, or just
/// after an edit, when the next one is furthest off; and when the log would grow without end. Pure:
/// times are of any clock that nobody sets.
struct LogMoments: Sendable {
    /// Without an edit, so that a checkpoint is in nobody's way.
    static let quiet = Duration.milliseconds(500)
    /// Without an edit while pages are applied, so that nobody is filling in a form. As long as somebody
    /// is, the moment just after an edit is the better one: a checkpoint of 10 MiB takes about 20 ms.
    static let away = Duration.seconds(5)
    /// Edits that follow one another sooner are a burst, in which the next one is never far off.
    static let burst = Duration.milliseconds(250)
    /// Pages of the log after which a good moment is used, and after which none is waited for: 10 and 60
    /// MiB.
    static let manyPages = 2_560
    static let tooManyPages = 15_360

    private var lastEdit: Duration?
    /// No slice has come since the last edit, which was no part of a burst.
    private var hasJustEdited = false
    /// Pages that the log had after its last checkpoint.
    private var movedPages = 0

    mutating func noteEdit(at now: Duration) {
        hasJustEdited = lastEdit.map { now - $0 >= Self.burst } ?? true
        lastEdit = now
    }

    /// After a slice: whether the log is to be moved now.
    /// - Parameter pages: what stands in the log.
    mutating func isDue(afterSliceWith pages: Int, at now: Duration) -> Bool {
        // Where all of it was moved, it begins anew.
        if pages < movedPages { movedPages = 0 }
        let isGoodMoment = hasJustEdited || hasBeenStill(for: Self.away, at: now)
        hasJustEdited = false
        let limit = isGoodMoment ? Self.manyPages : Self.tooManyPages
        guard pages - movedPages >= limit else { return false }
        movedPages = pages
        return true
    }

    func isQuiet(at now: Duration) -> Bool { hasBeenStill(for: Self.quiet, at: now) }

    mutating func noteMoved(pages: Int) { movedPages = pages }

    private func hasBeenStill(for pause: Duration, at now: Duration) -> Bool {
        lastEdit.map { now - $0 >= pause } ?? true
    }
}

/// Moves the write-ahead log into the database file at moments that nobody notices (`LogMoments`).
/// SQLite's own automatic checkpoint would come in the middle of somebody's key press.
final class LogKeeper: Sendable {
    private struct State {
        var moments = LogMoments()
        var isWaiting = false
    }

    private let state = Mutex(State())
    private let database: SerialDatabase
    private let pauses: Pauses
    private let tidy: @Sendable (Connection) -> Void

    /// - Parameter tidy: what else wants a quiet moment on the writer's queue.
    init(
        _ database: SerialDatabase, pauses: Pauses,
        tidy: @escaping @Sendable (Connection) -> Void = { _ in }
    ) {
        self.database = database
        self.pauses = pauses
        self.tidy = tidy
    }

    /// After an edit: the log is looked at when it has been quiet for long enough.
    func noteEdit() {
        let now = pauses.uptime()
        state.withLock { $0.moments.noteEdit(at: now) }
        waitForQuiet()
    }

    /// After a slice, on the writer's queue and between two transactions.
    func noteSlice(on connection: Connection) throws {
        let now = pauses.uptime()
        let pages = connection.loggedPages
        let isDue = state.withLock { $0.moments.isDue(afterSliceWith: pages, at: now) }
        if isDue { try connection.checkpoint(.passive) }
        waitForQuiet()
    }

    /// At most one visit is under way; it comes back until it finds the store quiet.
    private func waitForQuiet() {
        let isFirst = state.withLock { state in
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        if isFirst { visitLater() }
    }

    private func visitLater() {
        pauses.after(LogMoments.quiet) { [weak self] in self?.visit() }
    }

    private func visit() {
        let now = pauses.uptime()
        let isQuiet = state.withLock { state in
            guard state.moments.isQuiet(at: now) else { return false }
            state.isWaiting = false
            return true
        }
        guard isQuiet else { return visitLater() }
        // A checkpoint that fails is made up for by the next one or by closing; the log keeps all.
        // After closing there is nothing to move.
        _ = try? database.perform { connection in
            tidy(connection)
            try connection.checkpoint(.passive)
            state.withLock { $0.moments.noteMoved(pages: connection.loggedPages) }
        }
    }
}
