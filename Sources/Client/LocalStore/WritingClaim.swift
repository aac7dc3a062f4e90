internal import Synchronization

/// Exactly one connection of a process writes a file: SQLite before 3.51.3 can corrupt the log when
/// a second one checkpoints at the same time (sqlite.org/wal.html#walresetbug). The home's lease
/// keeps other processes away; this keeps a second store in this one away.
final class WritingClaim: Sendable {
    private static let claimed = Mutex<Set<String>>([])
    private let path: Mutex<String?>

    /// - Precondition: no other store of this process writes the file.
    init(_ path: String) {
        let isFree = Self.claimed.withLock { $0.insert(path).inserted }
        precondition(isFree, "a store of this process writes \(path) already")
        self.path = Mutex(path)
    }

    /// Once: afterwards another store may hold the claim.
    func end() {
        path.withLock { path in
            guard let ended = path else { return }
            Self.claimed.withLock { _ = $0.remove(ended) }
            path = nil
        }
    }

    deinit { end() }
}
