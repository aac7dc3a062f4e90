package import Crypto
internal import Glibc
internal import Replication
internal import SQLite
package import Vault

/// What the journal holds, as far as it can be told without the database.
package struct SecondCopy: Sendable, Equatable {
    /// Mutations that wait.
    package var waiting: Int
    /// Entries that are gone or unreadable.
    package var lost: Int
    /// Files with damage in them that were set aside before.
    package var damagedFiles: Int
    /// Files that the disk does not give back. What waits in them is not in `waiting`.
    package var unreadableFiles: Int
    /// The last write was cut. Where the disk kept its word, what it was to say was never called saved.
    package var isTorn: Bool
    /// Only the database can tell whether the last entry counts. It is not in `waiting`.
    package var isUndecided: Bool
    /// Whether a database can be made from it: it says who this device is.
    package var knowsDevice: Bool
    package var offered: [OfferedChange]
}

/// What making a database anew came to.
package struct Rebuilding: Sendable, Equatable {
    /// Mutations that wait again.
    package var restored: Int
    /// Entries of the journal that were gone or unreadable.
    package var lost: Int
    /// Files of the journal that the disk did not give back.
    package var unreadableFiles: Int
    /// The journal's last write was cut.
    package var isTorn: Bool
    /// Where the damaged files are now; empty where there were none.
    package var setAside: [String]
}

extension DeviceStore {
    package static func secondCopy(home: Home, key: SecretBytes) throws -> SecondCopy {
        try secondCopy(JournalParts(of: home, key: key))
    }

    /// Sets the damaged database aside and makes a new one from the journal: who this device is, and
    /// everything that waits. A full pull brings the rest. Repeatable after a crash at any moment.
    ///
    /// - Throws: `StoreError.damaged` where the journal does not say who this device is; nothing was
    ///   changed then.
    package static func rebuild(
        home: Home, key: SecretBytes, lease: HomeLease, sources: StoreSources
    ) throws -> Rebuilding {
        precondition(lease.home == home, "the lease is another home's")
        return try StoreError.translating {
            try rebuild(
                home: home, protection: .key(key), sources: sources,
                journal: JournalParts(of: home, key: key))
        }
    }

    static func secondCopy(_ parts: JournalParts) throws -> SecondCopy {
        let reading = try parts.read()
        return SecondCopy(
            waiting: reading.replay.standing.count, lost: reading.lost,
            damagedFiles: reading.setAside.count, unreadableFiles: reading.faults.count,
            isTorn: reading.isTorn, isUndecided: reading.replay.undecided != nil,
            knowsDevice: reading.replay.origin?.metadata["node"] != nil,
            offered: reading.replay.offered.map(OfferedChange.init))
    }

    static func rebuild(
        home: Home, protection: Protection, sources: StoreSources, journal: JournalParts,
        migrations: Migrations = Schema.migrations
    ) throws -> Rebuilding {
        let reading = try journal.read()
        let replay = reading.replay
        guard let origin = replay.origin, origin.metadata["node"] != nil else {
            throw StoreError.damaged("and its second copy does not say who this device is")
        }
        let setAside = try DamagedDatabase(path: home.database).setAside()
        var restored = 0
        let connection = try protection.open(home, .create) { database in
            try prepare(database, sources: sources)
            // What comes back was entered in the old shape.
            try migrations.apply(to: database) { _ in replay.holdsNoWork }
            restored = try database.transaction {
                // What is unreadable may have had higher counts than everything that is readable.
                try database.fill(
                    from: replay, origin, margin: reading.isSound ? 0 : Self.unreadMargin,
                    missing: reading.missingChanges(beside: nil))
            }
        }
        try connection.close()
        return Rebuilding(
            restored: restored, lost: reading.lost, unreadableFiles: reading.faults.count,
            isTorn: reading.isTorn, setAside: setAside)
    }

    /// Counts that unreadable entries may have used.
    private static let unreadMargin: Int64 = 10_000
}

extension JournalReplay {
    fileprivate var holdsNoWork: Bool {
        standing.isEmpty && offered.isEmpty && undecided == nil
    }
}

extension Connection {
    /// - Returns: how many mutations wait again.
    fileprivate func fill(
        from replay: JournalReplay, _ origin: JournalOrigin, margin: Int64, missing: Int
    ) throws -> Int {
        for (key, value) in origin.metadata { try setMetadata(key, value) }
        try noteMissing(missing)
        try setMetadata("transaction_number", .integer(replay.number))
        // The next opening tells by it that the database was not there to decide about the last entry.
        try setMetadata("rebuilt_number", .integer(replay.number))
        try setMetadata("server_epoch", .integer(replay.position.serverEpoch))
        try setMetadata("baton", DatabaseValue(replay.position.baton))
        try setMetadata("pull_position", DatabaseValue(replay.position.pullPosition))
        // The first pull is one from the beginning.
        try setMetadata("full_pull", .integer(FullPull.renewal.rawValue))
        let restored = try whileApplying {
            try restore(replay.standing, incomplete: replay.incomplete)
        }
        try keepUnheardFromQueue()
        try raiseCounters(above: replay, by: margin)
        return restored
    }
}

/// A database that cannot be used any more, with its log.
private struct DamagedDatabase {
    let path: String

    private static let suffixes = ["-wal", "-shm", "-journal", ""]

    /// Renames the files to `….damaged-1` and so on; nothing is removed.
    func setAside() throws -> [String] {
        let present = Self.suffixes.filter { exists(path + $0) }
        guard !present.isEmpty else { return [] }
        var number = 1
        while Self.suffixes.contains(where: { exists(name(number) + $0) }) { number += 1 }
        // The log first: without its database it is nothing that anybody would open.
        for suffix in present {
            guard rename(path + suffix, name(number) + suffix) == 0 else {
                throw StoreError.secondCopy(
                    .system(operation: "rename", path: path + suffix, code: errno))
            }
        }
        return present.map { name(number) + $0 }.sorted()
    }

    private func name(_ number: Int) -> String { path + ".damaged-\(number)" }

    private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
