package import Crypto
internal import Glibc

/// A home's locked key. The data key opens the database; a PIN opens the data key.
package struct SealedVault: Sendable {
    private static let largestFile = 64 << 10

    package let home: Home
    package let deviceId: String
    private let slot: KeySlot

    /// Reads `vault.json`. Throws `.notEnrolled`, `.keyMissing`, `.damaged`, `.unknownVersion`.
    package static func load(_ home: Home) throws(VaultError) -> SealedVault {
        guard home.isEnrolled else {
            guard DurableFile.exists(home.database), !isBegun(in: home) else {
                throw .notEnrolled
            }
            throw .keyMissing(database: home.database)
        }
        let bytes = try Descriptor(home.vault, O_RDONLY).readAll(limit: largestFile + 1)
        guard bytes.count <= largestFile else { throw .damaged("the file is too large") }
        let document = try VaultDocument(parsing: bytes)
        return SealedVault(home: home, deviceId: document.deviceId, slot: document.slot)
    }

    private static func isBegun(in home: Home) -> Bool {
        DurableFile.exists(DurableFile.stagingPath(of: home.vault))
    }

    /// The data key, if `pin` is right. The try is counted on disk before the PIN is checked, and
    /// only the box's tag decides. Takes about a second.
    ///
    /// Throws `.delayed` without having tried, `.wrongPIN`, or what failed in the system, which is
    /// never counted as a try.
    package func unlock(
        _ pin: SecretBytes,
        now: @escaping @Sendable () throws(VaultError) -> BootInstant = BootInstant.current
    ) throws(VaultError) -> SecretBytes {
        var counter = try TryCounter.open(in: home, now: now)
        let wait = try counter.secondsToWait()
        guard wait == 0 else { throw .delayed(seconds: wait) }
        let key = try slot.wrappingKey(from: pin, deviceId: deviceId)
        defer { key.erase() }
        try counter.countTry()
        guard let dataKey = try slot.open(with: key, deviceId: deviceId) else {
            throw .wrongPIN(tries: counter.tries, wait: try counter.secondsToWait())
        }
        try counter.reset()
        return dataKey
    }

    /// Seconds until a PIN may be tried; 0 when it may be now.
    package func secondsToWait(
        now: @escaping @Sendable () throws(VaultError) -> BootInstant = BootInstant.current
    ) throws(VaultError) -> Int {
        try TryCounter.open(in: home, now: now).secondsToWait()
    }

    /// Closes the data key under another PIN. The database is not touched: only the slot changes,
    /// and `vault.json` is the old or the new one after any crash. The slot of the old PIN, which
    /// may be why it is changed, is overwritten.
    ///
    /// - Returns: false where the PIN is changed and the old slot could not be overwritten.
    @discardableResult
    package func changePIN(
        of dataKey: SecretBytes, to pin: SecretBytes, cost: Argon2id.Cost = .withoutTPM,
        lease: HomeLease
    ) throws(VaultError) -> Bool {
        precondition(lease.home == home, "the lease is for another home")
        let stretched = try StretchedPIN(pin, cost: cost)
        defer { stretched.key.erase() }
        let slot = try KeySlot.close(over: dataKey, under: stretched, deviceId: deviceId)
        let document = VaultDocument(deviceId: deviceId, slot: slot)
        return try DurableFile.replaceErasing(home.vault, with: document.serialized())
    }

    /// Closes the data key for the id under which this device was enrolled anew, with the same PIN. The
    /// database is not touched, and `vault.json` is the old or the new one after any crash: each opens.
    package func rebind(
        _ dataKey: SecretBytes, to deviceId: String, pin: SecretBytes, lease: HomeLease
    ) throws(VaultError) {
        precondition(lease.home == home, "the lease is for another home")
        let stretched = try StretchedPIN(pin, cost: cost)
        defer { stretched.key.erase() }
        let slot = try KeySlot.close(over: dataKey, under: stretched, deviceId: deviceId)
        let document = VaultDocument(deviceId: deviceId, slot: slot)
        try DurableFile.stage(document.serialized(), for: home.vault)
        try DurableFile.commit(home.vault)
    }

    /// What a guess costs, for `doctor`.
    package var cost: Argon2id.Cost { slot.cost }
}
