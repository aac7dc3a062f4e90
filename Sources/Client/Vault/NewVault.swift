package import Crypto

/// A vault in the making. `begin` writes everything but the last name; whoever enrols then makes
/// the database with `dataKey`; `commit` makes the home an enrolled one. A crash in between leaves
/// a home that is not enrolled, and the next `begin` clears it away: nobody ever had its key.
package struct NewVault: Sendable {
    package let home: Home
    package let dataKey: SecretBytes

    /// Throws `.alreadyEnrolled`, and `.keyMissing` where a database stands that was once in use.
    package static func begin(
        lease: HomeLease, deviceId: String, pin: SecretBytes,
        cost: Argon2id.Cost = .withoutTPM
    ) throws(VaultError) -> NewVault {
        let home = lease.home
        guard !home.isEnrolled else { throw .alreadyEnrolled }
        try clearUnfinished(in: home)
        let dataKey = SecretBytes.random(count: KeySlot.dataKeyByteCount)
        let slot = try KeySlot.close(over: dataKey, pin: pin, deviceId: deviceId, cost: cost)
        try TryCounter.create(in: home)
        let document = VaultDocument(deviceId: deviceId, slot: slot)
        try DurableFile.stage(document.serialized(), for: home.vault)
        return NewVault(home: home, dataKey: dataKey)
    }

    package func commit() throws(VaultError) {
        try DurableFile.commit(home.vault)
    }

    /// Takes everything back that was begun and not committed.
    package func abandon() throws(VaultError) {
        dataKey.erase()
        try Self.clearUnfinished(in: home)
    }

    /// A staged vault proves that the database beside it was never in use. Without one, a database
    /// is somebody's readings whose key is missing: it stays. The staged vault goes last, so that
    /// a crash in here leaves its proof.
    private static func clearUnfinished(in home: Home) throws(VaultError) {
        let staged = DurableFile.stagingPath(of: home.vault)
        guard DurableFile.exists(staged) else {
            guard !DurableFile.exists(home.database) else {
                throw .keyMissing(database: home.database)
            }
            return
        }
        for suffix in ["-wal", "-shm", "-journal", ""] {
            try DurableFile.remove(home.database + suffix)
        }
        try DurableFile.remove(home.tries)
        try DurableFile.remove(staged)
    }
}
