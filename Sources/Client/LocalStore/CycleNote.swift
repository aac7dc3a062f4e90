internal import Replication
internal import SQLite

/// What a cycle leaves behind for people, whatever came of it.
package struct CycleNote: Sendable {
    /// What the comparison of the digests proved; nil where nothing was compared. Only `equal`, after
    /// push and pull, makes the device *synced*.
    package var digest: DigestState?
    /// Whether our server answered; nil where the cycle ended for a reason of our own.
    package var isReachable: Bool?
    /// The server speaks with newer versions only (426). Counts where it was reachable.
    package var isUpgradeNeeded: Bool
    /// Whether the server has revoked this device; nil where it did not say.
    package var isRevoked: Bool?
    /// For the log of the store.
    package var detail: String

    package init(
        digest: DigestState?, isReachable: Bool? = nil, isUpgradeNeeded: Bool = false,
        isRevoked: Bool? = nil, detail: String = ""
    ) {
        self.digest = digest
        self.isReachable = isReachable
        self.isUpgradeNeeded = isUpgradeNeeded
        self.isRevoked = isRevoked
        self.detail = detail
    }
}

extension DeviceStore {
    /// In one transaction: a device waits once for its disk, and not for each of the notes.
    package func note(_ cycle: CycleNote) throws {
        let now = SyncTimestamp.text(sources.now())
        try edit { database in
            if cycle.digest == .equal {
                try database.setMetadata("last_sync_utc", .text(now))
            }
            if let digest = cycle.digest {
                try database.setMetadata("proven", .integer(digest.stored))
            }
            if let isReachable = cycle.isReachable {
                try database.setMetadata("reachable", .integer(isReachable ? 1 : 0))
                if isReachable { try database.noteUpgradeNeeded(cycle.isUpgradeNeeded) }
            }
            if let isRevoked = cycle.isRevoked { try database.noteRevoked(isRevoked) }
            try database.log("cycle", cycle.detail, nowUtc: now)
        }
    }
}

extension Connection {
    fileprivate func noteUpgradeNeeded(_ isNeeded: Bool) throws {
        try note("upgrade_needed", isNeeded)
    }

    func noteRevoked(_ isRevoked: Bool) throws { try note("revoked", isRevoked) }

    private func note(_ key: String, _ flag: Bool) throws {
        let known = try metadataInteger(key) == 1
        guard known != flag else { return }
        try setMetadata(key, .integer(flag ? 1 : 0))
    }
}
