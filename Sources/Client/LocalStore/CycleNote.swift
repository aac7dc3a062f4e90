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
    /// For the log of the store.
    package var detail: String

    package init(
        digest: DigestState?, isReachable: Bool? = nil, isUpgradeNeeded: Bool = false,
        detail: String = ""
    ) {
        self.digest = digest
        self.isReachable = isReachable
        self.isUpgradeNeeded = isUpgradeNeeded
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
            try database.log("cycle", cycle.detail, nowUtc: now)
        }
    }
}

extension Connection {
    fileprivate func noteUpgradeNeeded(_ isNeeded: Bool) throws {
        let known = try metadataInteger("upgrade_needed") == 1
        guard known != isNeeded else { return }
        try setMetadata("upgrade_needed", .integer(isNeeded ? 1 : 0))
    }
}
