package import Crypto
internal import Glibc

/// A home's locked key. The data key opens the database; a PIN opens the data key.
package struct SealedVault: Sendable {
    package let home: Home
    package let deviceId: String
    private let slot: KeySlot
    /// Whether this was read from `vault.copy.json`, because `vault.json` is not whole or is older.
    package let isFromCopy: Bool
    /// How the other one of the two files stands to this.
    package let other: Counterpart

    /// Of the two files of a vault, the one that it was not read from.
    package enum Counterpart: Equatable, Sendable {
        case equal, missing
        case unusable(VaultError)
        /// Whole, of an earlier PIN or enrolment: it opens nothing any more.
        case older
        /// Whole and otherwise, and neither says that it is the newer one: only programs that counted no
        /// generations wrote such. It is left alone until the next PIN takes the place of both.
        case unlike
    }

    /// Reads `vault.json` and its copy, of which the newer whole one decides. Throws `.notEnrolled`,
    /// `.keyMissing`, `.damaged`, `.unknownVersion`.
    package static func load(_ home: Home) throws(VaultError) -> SealedVault {
        guard home.isEnrolled else {
            guard let leftover = try home.leftover() else { throw .notEnrolled }
            throw .keyMissing(database: leftover)
        }
        return try VaultFiles(home).vault()
    }

    init(_ document: VaultDocument, of home: Home, isFromCopy: Bool, other: Counterpart) {
        self.home = home
        deviceId = document.deviceId
        slot = document.slot
        self.isFromCopy = isFromCopy
        self.other = other
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
    /// may be why it is changed, is overwritten; its copy goes first, so that at no moment a copy opens
    /// with a PIN that `vault.json` does not open with.
    ///
    /// Throws where there is no room for the new slot, and then both files are what they were.
    ///
    /// - Returns: false where the PIN is changed and an old slot could not be overwritten.
    @discardableResult
    package func changePIN(
        of dataKey: SecretBytes, to pin: SecretBytes, cost: Argon2id.Cost = .withoutTPM,
        lease: HomeLease
    ) throws(VaultError) -> Bool {
        try replace(by: deviceId, cost, dataKey, pin, lease)
    }

    /// Closes the data key for the id under which this device was enrolled anew, with the same PIN. The
    /// database is not touched, and `vault.json` is the old or the new one after any crash: each opens.
    /// The old slot is overwritten: a later change of the PIN could not reach it.
    ///
    /// - Returns: false where an old slot could not be overwritten.
    @discardableResult
    package func rebind(
        _ dataKey: SecretBytes, to deviceId: String, pin: SecretBytes, lease: HomeLease
    ) throws(VaultError) -> Bool {
        try replace(by: deviceId, cost, dataKey, pin, lease)
    }

    /// At each moment one of the two files opens: `vault.json` is whole before its copy goes, and the new
    /// slot is on the disk before that.
    private func replace(
        by deviceId: String, _ cost: Argon2id.Cost, _ dataKey: SecretBytes, _ pin: SecretBytes,
        _ lease: HomeLease
    ) throws(VaultError) -> Bool {
        precondition(lease.home == home, "the lease is for another home")
        let stretched = try StretchedPIN(pin, cost: cost)
        defer { stretched.key.erase() }
        let slot = try KeySlot.close(
            over: dataKey, under: stretched, deviceId: deviceId, generation: slot.generation + 1)
        let document = VaultDocument(deviceId: deviceId, slot: slot)
        let isOldErased = try isFromCopy ? restore() : true
        let areRemainsErased = eraseRemains()
        var isCopyErased = false
        let isErased = try DurableFile.replaceErasing(home.vault, with: document.serialized()) {
            () throws(VaultError) in
            isCopyErased = try DurableFile.erase(home.vaultCopy)
        }
        SealedVault(document, of: home, isFromCopy: false, other: .missing).keepTwice(lease: lease)
        return isOldErased && areRemainsErased && isCopyErased && isErased
    }

    /// Makes a damaged, missing or older `vault.json` say what its copy says.
    ///
    /// - Returns: false where what it held could not be overwritten.
    private func restore() throws(VaultError) -> Bool {
        try DurableFile.replaceErasing(home.vault, with: document.serialized())
    }

    /// A crash may have left a slot that was to become one of the two files.
    ///
    /// - Returns: false where it is still there.
    private func eraseRemains() -> Bool {
        let isVaultErased = DurableFile.eraseStaged(for: home.vault)
        let isCopyErased = DurableFile.eraseStaged(for: home.vaultCopy)
        return isVaultErased && isCopyErased
    }

    /// Makes `vault.json` and its copy say what this says, once a PIN has opened it: after damage to
    /// either, in a home that has no copy yet, and after a crash in between. `doctor` tells where they
    /// do not, and the next process that writes tries again. This must have been read under the lease:
    /// else it may be what another process has replaced meanwhile.
    ///
    /// Nothing is overwritten that is not known to be older than this.
    ///
    /// - Returns: false where that did not succeed, as on a full disk.
    @discardableResult
    package func keepTwice(lease: HomeLease) -> Bool {
        precondition(lease.home == home, "the lease is for another home")
        let files = VaultFiles(home)
        do {
            if try isReplaceable(files.first) { _ = try restore() }
            if try isReplaceable(files.copy) {
                // What it says may be of an older PIN, and there may be no room for the new one.
                _ = try DurableFile.erase(home.vaultCopy)
                try DurableFile.write(document.serialized(), to: home.vaultCopy)
            }
            return eraseRemains()
        } catch {
            return false
        }
    }

    /// Whether this is to take the place of what stands there, which is not the same.
    ///
    /// - Throws: that it must not.
    private func isReplaceable(_ content: VaultFiles.Content) throws(VaultError) -> Bool {
        switch VaultFiles.counterpart(of: document, in: content) {
        case .equal: return false
        case .missing, .older: return true
        case .unusable(.unknownVersion(let version)): throw .unknownVersion(version)
        case .unusable: return true
        case .unlike: throw .damaged("the two key slots differ, and neither is known to be newer")
        }
    }

    private var document: VaultDocument { VaultDocument(deviceId: deviceId, slot: slot) }

    /// What a guess costs, for `doctor`.
    package var cost: Argon2id.Cost { slot.cost }
}
