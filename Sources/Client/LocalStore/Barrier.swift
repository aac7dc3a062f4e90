internal import SQLite

/// The migration barrier: a step that takes something away waits until nothing does.
extension DeviceStore {
    /// The steps that wait, by name; empty in a store that is up to date.
    package func deferredMigrations() throws -> [String] {
        try read { try migrations.deferred(in: $0) }
    }

    /// Runs the steps that had to wait, if nothing waits any more.
    /// - Returns: whether none is left.
    @discardableResult
    package func crossBarrier() throws -> Bool {
        guard try !deferredMigrations().isEmpty else { return true }
        let writer = try writer
        try StoreError.translating {
            try writer.perform { database in
                try migrations.apply(to: database) { try $0.holdsNoWork() }
            }
        }
        return try deferredMigrations().isEmpty
    }
}

extension Connection {
    /// Whether nothing of this device is unconfirmed, nothing typed is unaccepted, and nothing offered is
    /// undecided.
    func holdsNoWork() throws -> Bool {
        try first(
            """
            SELECT NOT EXISTS (SELECT 1 FROM __sync_outbox WHERE status <> 'ACKNOWLEDGED')
                AND NOT EXISTS (SELECT 1 FROM draft)
                AND NOT EXISTS (
                    SELECT 1 FROM __sync_metadata WHERE key = 'offered' AND value > 0)
            """
        ) { try $0.flag(0) } ?? true
    }
}
