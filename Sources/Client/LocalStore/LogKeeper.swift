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

/// Moves the write-ahead log into the database file at moments that nobody notices: when nothing
/// was edited for half a second; while pages are applied, also just after an edit, when the next one
/// is furthest off; and when the log would grow without end. SQLite's own automatic checkpoint would
/// come in the middle of somebody's key press.
final class LogKeeper: Sendable {
    /// Without an edit, so that a checkpoint is in nobody's way.
    static let quiet = Duration.milliseconds(500)
    /// Pages of the log after which a good moment is used, and after which none is waited for: 10 and 60
    /// MiB.
    static let manyPages = 2_560
    static let tooManyPages = 15_360

    /// Edits that follow one another sooner are a burst, in which the next one is never far off.
    static let burst = Duration.milliseconds(250)

    private struct State {
        var lastEdit: Duration?
        /// No slice has come since the last edit, which was no part of a burst.
        var hasJustEdited = false
        /// Pages that the log had after its last checkpoint.
        var movedPages = 0
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
        state.withLock { state in
            state.hasJustEdited = state.lastEdit.map { now - $0 >= Self.burst } ?? true
            state.lastEdit = now
        }
        waitForQuiet()
    }

    /// After a slice, on the writer's queue and between two transactions.
    func noteSlice(on connection: Connection) throws {
        let now = pauses.uptime()
        let pages = connection.loggedPages
        let isDue = state.withLock { state in
            // Where all of it was moved, it begins anew.
            if pages < state.movedPages { state.movedPages = 0 }
            let isGoodMoment = Self.isQuiet(state, at: now) || state.hasJustEdited
            state.hasJustEdited = false
            let limit = isGoodMoment ? Self.manyPages : Self.tooManyPages
            guard pages - state.movedPages >= limit else { return false }
            state.movedPages = pages
            return true
        }
        if isDue { try connection.checkpoint(.passive) }
        waitForQuiet()
    }

    private static func isQuiet(_ state: State, at now: Duration) -> Bool {
        state.lastEdit.map { now - $0 >= quiet } ?? true
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
        pauses.after(Self.quiet) { [weak self] in self?.visit() }
    }

    private func visit() {
        let now = pauses.uptime()
        let isQuiet = state.withLock { state in
            guard Self.isQuiet(state, at: now) else { return false }
            state.isWaiting = false
            return true
        }
        guard isQuiet else { return visitLater() }
        // A checkpoint that fails is made up for by the next one or by closing; the log keeps all.
        // After closing there is nothing to move.
        _ = try? database.perform { connection in
            tidy(connection)
            try connection.checkpoint(.passive)
            state.withLock { $0.movedPages = connection.loggedPages }
        }
    }
}
