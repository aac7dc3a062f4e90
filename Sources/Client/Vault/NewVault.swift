package import Crypto

/// A vault in the making. `begin` does all that takes long or much and writes everything but the
/// last name; whoever enrols then makes the database with `dataKey` and asks the server; `bind`
/// takes the id that it gave, `commit` makes the home an enrolled one. A crash in between leaves a
/// home that is not enrolled, and the next `begin` clears it away: nobody ever had its key.
package struct NewVault: Sendable {
    /// As long as every id of a device, so that `bind` finds its place on a full disk too.
    package static let unknownDevice = "00000000-0000-4000-8000-000000000000"

    package let home: Home
    package let dataKey: SecretBytes
    private let pin: StretchedPIN
    private let lease: HomeLease

    /// Throws `.alreadyEnrolled`, and `.keyMissing` where a database stands that was once in use.
    package static func begin(
        lease: HomeLease, deviceId: String = unknownDevice, pin: SecretBytes,
        cost: Argon2id.Cost = .withoutTPM
    ) throws(VaultError) -> NewVault {
        let home = lease.home
        guard !home.isEnrolled else { throw .alreadyEnrolled }
        try clearUnfinished(in: home)
        let vault = NewVault(
            home: home, dataKey: SecretBytes.random(count: KeySlot.dataKeyByteCount),
            pin: try StretchedPIN(pin, cost: cost), lease: lease)
        try TryCounter.create(in: home)
        try vault.bind(to: deviceId)
        return vault
    }

    /// Closes the data key for this device, quickly.
    package func bind(to deviceId: String) throws(VaultError) {
        let slot = try KeySlot.close(
            over: dataKey, under: pin, deviceId: deviceId, generation: 1)
        let document = VaultDocument(deviceId: deviceId, slot: slot)
        try DurableFile.stage(document.serialized(), for: home.vault)
    }

    /// With a copy where the disk has room for it; else the next process that writes makes it.
    package func commit() throws(VaultError) {
        pin.key.erase()
        try DurableFile.commit(home.vault)
        // The device is enrolled, whatever becomes of the copy.
        guard let vault = try? SealedVault.load(home) else { return }
        // The database was made with it.
        OpenedVault(vault, key: dataKey, fit: .opens).keepTwice(lease: lease)
    }

    /// Takes everything back that was begun and not committed.
    package func abandon() throws(VaultError) {
        pin.key.erase()
        dataKey.erase()
        try Self.clearUnfinished(in: home)
    }

    /// A staged vault proves that the database beside it was never in use. Without one, a database
    /// is somebody's readings whose key is missing: it stays. The staged vault goes last, so that
    /// a crash in here leaves its proof.
    private static func clearUnfinished(in home: Home) throws(VaultError) {
        let staged = DurableFile.stagingPath(of: home.vault)
        guard VaultFiles.isBegun(in: home) else {
            if let leftover = try home.leftover() { throw .keyMissing(database: leftover) }
            return
        }
        for suffix in ["-wal", "-shm", "-journal", ""] {
            try DurableFile.remove(home.database + suffix)
        }
        try DurableFile.removeFolder(home.journal)
        try DurableFile.remove(home.tries)
        try DurableFile.remove(staged)
    }
}
