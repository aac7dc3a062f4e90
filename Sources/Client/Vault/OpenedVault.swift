package import Crypto

/// A vault that a PIN has opened. Only with a key that has opened the home's database or journal does one
/// of its files take another's place: else a file of another home could, and the only key be gone.
package struct OpenedVault: Sendable {
    package let vault: SealedVault
    /// The data key.
    package let key: SecretBytes
    package let fit: KeyFit

    package init(_ vault: SealedVault, key: SecretBytes, fit: KeyFit) {
        self.vault = vault
        self.key = key
        self.fit = fit
    }

    private var home: Home { vault.home }
    private var document: VaultDocument { vault.document }

    /// Closes the data key under another PIN. The database is not touched: only the slot changes,
    /// and `vault.json` is the old or the new one after any crash. The slot of the old PIN, which
    /// may be why it is changed, is overwritten; its copy goes first, so that at no moment a copy opens
    /// with a PIN that `vault.json` does not open with.
    ///
    /// Throws `.unprovenKey`, and where there is no room for the new slot; then both files are what they
    /// were.
    ///
    /// - Returns: false where the PIN is changed and an old slot could not be overwritten.
    @discardableResult
    package func changePIN(
        to pin: SecretBytes, cost: Argon2id.Cost = .withoutTPM, lease: HomeLease
    ) throws(VaultError) -> Bool {
        try replace(by: vault.deviceId, cost, pin, lease)
    }

    /// Closes the data key for the id under which this device was enrolled anew, with the same PIN. The
    /// database is not touched, and `vault.json` is the old or the new one after any crash: each opens.
    /// The old slot is overwritten: a later change of the PIN could not reach it.
    ///
    /// - Returns: false where an old slot could not be overwritten.
    @discardableResult
    package func rebind(
        to deviceId: String, pin: SecretBytes, lease: HomeLease
    ) throws(VaultError) -> Bool {
        try replace(by: deviceId, vault.cost, pin, lease)
    }

    private func replace(
        by deviceId: String, _ cost: Argon2id.Cost, _ pin: SecretBytes, _ lease: HomeLease
    ) throws(VaultError) -> Bool {
        precondition(lease.home == home, "the lease is for another home")
        guard fit == .opens else { throw .unprovenKey(vault: vault.path) }
        let stretched = try StretchedPIN(pin, cost: cost)
        defer { stretched.key.erase() }
        let slot = try KeySlot.close(
            over: key, under: stretched, deviceId: deviceId, generation: document.generation + 1)
        let next = VaultDocument(deviceId: deviceId, slot: slot)
        if case .ofDevice = vault.other { return try replaceAlone(by: next) }
        return try replaceBoth(by: next, lease)
    }

    /// Beside a file of another device, which stays as it is.
    private func replaceAlone(by next: VaultDocument) throws(VaultError) -> Bool {
        let areRemainsErased = eraseRemains()
        let isErased = try DurableFile.replaceErasing(vault.path, with: next.serialized())
        return areRemainsErased && isErased
    }

    /// At each moment one of the two files opens: `vault.json` is whole before its copy goes, and the new
    /// slot is on the disk before that.
    private func replaceBoth(
        by next: VaultDocument, _ lease: HomeLease
    ) throws(VaultError) -> Bool {
        let isOldErased = try vault.isFromCopy ? restore() : true
        let areRemainsErased = eraseRemains()
        var isCopyErased = false
        let isErased = try DurableFile.replaceErasing(home.vault, with: next.serialized()) {
            () throws(VaultError) in
            isCopyErased = try DurableFile.erase(home.vaultCopy)
        }
        let standing = SealedVault(next, of: home, isFromCopy: false, other: .missing)
        OpenedVault(standing, key: key, fit: fit).keepTwice(lease: lease)
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

    /// Makes `vault.json` and its copy say what this says, once its key has opened database or journal:
    /// after damage to either, in a home that has no copy yet, and after a crash in between. `doctor`
    /// tells where they do not, and the next process that writes tries again. The vault must have been
    /// read under the lease: else it may be what another process has replaced meanwhile.
    ///
    /// Nothing is overwritten that is not known to be older than this, and of this device.
    ///
    /// - Returns: false where that did not succeed, as on a full disk.
    @discardableResult
    package func keepTwice(lease: HomeLease) -> Bool {
        precondition(lease.home == home, "the lease is for another home")
        guard fit == .opens else { return false }
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
        case .ofDevice: throw .damaged("the two key slots are of two devices")
        }
    }
}
