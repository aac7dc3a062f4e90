internal import Arguments
internal import Crypto
internal import Glibc
internal import Vault

/// What `walkdown doctor` says of `vault.json` and its copy.
struct KeySlotLook {
    /// What a PIN has shown of them.
    enum Opening {
        case opened(OpenedVault)
        /// The key is another home's.
        case refused(VaultError)
        /// No PIN, or a wrong one.
        case none
    }

    let home: Home
    let opening: Opening

    /// - Throws: what is wrong with one of the two, or with both.
    func note() throws -> String {
        let vault: SealedVault
        do {
            vault = try SealedVault.load(home)
        } catch {
            let failure = Walkdown.renderer.failure(for: error)
            guard case .damaged = error else { throw failure }
            throw Failure(
                failure.exitCode, failure.sentence + "; its copy is no better",
                advice: WayBack.afterKey(of: home.vault))
        }
        if case .refused(let error) = opening { throw Walkdown.renderer.failure(for: error) }
        if let trouble = trouble(with: vault) { throw trouble }
        return "Argon2id, \(vault.cost.passes) passes over \(vault.cost.memory >> 20) MiB;"
            + " six digits are worth 20 bits to whoever copies the files,"
            + " a passphrase is worth more"
            + (vault.other == .missing ? "; it has no copy yet: \(whoMakes) it" : "")
    }

    /// Whether a process that writes may make one file anew from the other; it asks the same.
    private var isProven: Bool {
        guard case .opened(let opened) = opening else { return true }
        return opened.fit == .opens
    }

    private var whoMakes: String {
        isProven
            ? "the next command that writes makes"
            : "once its key has opened the database or the journal, the next command that writes makes"
    }

    private var remedy: String {
        let words = whoMakes
        return words.prefix(1).uppercased() + words.dropFirst()
            + " it anew, such as 'walkdown sync'."
    }

    private func trouble(with vault: SealedVault) -> Failure? {
        let (that, this) =
            vault.isFromCopy ? ("vault.json", "its copy") : ("the copy of vault.json", "vault.json")
        let path = vault.isFromCopy ? home.vault : home.vaultCopy
        switch vault.other {
        case .equal: return nil
        // A home of an earlier version has none yet.
        case .missing where !vault.isFromCopy: return nil
        case .missing:
            return Failure(.failed, "\(that) is missing; \(this) is whole", advice: remedy)
        case .unusable(.system(_, _, EISDIR)):
            return Failure(
                .failed, "\(that) is a folder; \(this) is whole",
                advice: WayBack.movingAway(path) + " " + remedy)
        case .unusable(.damaged(let what)):
            return Failure(
                .failed, "\(that) is damaged: \(what); \(this) is whole" + Self.doubt,
                advice: remedy)
        case .unusable(let error):
            return Failure(
                .failed,
                "\(that) cannot be read: " + Walkdown.renderer.failure(for: error).sentence
                    + "; \(this) is whole" + Self.doubt, advice: remedy)
        case .older:
            return Failure(
                .failed,
                "\(that) is an older one, from before the last new PIN; \(this) decides, and an"
                    + " earlier PIN opens nothing",
                advice: remedy)
        case .unlike:
            return Failure(
                .failed,
                "vault.json and its copy are both whole and differ, and neither says which is newer:"
                    + " the PIN of vault.json opens, and the copy is left alone",
                advice: "'walkdown passwd' sets a PIN and makes both say the same.")
        case .ofDevice(let device): return twoDevices(vault, and: device)
        }
    }

    /// Of one that cannot be read nobody knows whether it was the newer.
    private static let doubt = ", and may be from before the last new PIN"

    /// Neither is newer, and neither is overwritten: only what the key opens tells which one is in its
    /// place.
    private func twoDevices(_ vault: SealedVault, and device: String) -> Failure {
        guard case .opened(let opened) = opening, opened.fit == .opens else {
            return Failure(
                .failed,
                "vault.json is of device \(vault.deviceId), and its copy of device \(device): one of them"
                    + " is of another home; neither is overwritten",
                advice:
                    "'walkdown doctor' with the PIN says which, where the database or the journal can"
                    + " be opened.")
        }
        let isCopyRight = opened.vault.isFromCopy
        let (that, this) =
            isCopyRight ? ("vault.json", "its copy") : ("the copy of vault.json", "vault.json")
        let stranger = opened.vault.deviceId == device ? vault.deviceId : device
        return Failure(
            .failed,
            "\(that) is of device \(stranger); what stands here is opened by \(this), of device"
                + " \(opened.vault.deviceId)",
            advice: WayBack.movingAway(isCopyRight ? home.vault : home.vaultCopy)
                + " It may be the only key of the home that it is of. Then \(whoMakes) it anew.")
    }

    /// What opening to write has mended; nil where it did not, or nothing was wrong.
    static func mended(_ opened: OpenedVault) -> String? {
        let vault = opened.vault
        let look = KeySlotLook(home: vault.home, opening: .opened(opened))
        guard look.trouble(with: vault) != nil, let now = try? SealedVault.load(vault.home),
            look.trouble(with: now) == nil
        else { return nil }
        return (vault.isFromCopy ? "vault.json is" : "the copy of vault.json is") + " made anew"
    }
}
