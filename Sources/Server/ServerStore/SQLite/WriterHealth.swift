internal import SQLite
internal import Synchronization

/// Whether the disk has had everything that it was to keep. After one fsync that failed it is not asked
/// again: the system forgets what it could not write, and the next fsync may say yes to nothing (V16,
/// PostgreSQL in 2018). The program ends, and the next one reads the log from its beginning.
final class WriterHealth: Sendable {
    private let failure = Mutex<SQLiteError?>(nil)
    private let tell: @Sendable () -> Void

    /// - Parameter tell: called once, on any thread.
    init(tell: @escaping @Sendable () -> Void) { self.tell = tell }

    /// Runs what writes.
    /// - Throws: also the failure of an earlier one.
    func watching<Result>(_ body: () throws -> Result) throws -> Result {
        if let failure = failure.withLock({ $0 }) { throw failure }
        do {
            return try body()
        } catch let error as SQLiteError {
            if error.isUnsynchronised { note(error) }
            throw error
        }
    }

    private func note(_ error: SQLiteError) {
        let isFirst = failure.withLock { failure in
            defer { failure = error }
            return failure == nil
        }
        if isFirst { tell() }
    }
}
