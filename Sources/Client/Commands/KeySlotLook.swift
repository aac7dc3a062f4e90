internal import Arguments
internal import Crypto
internal import Vault

/// What `walkdown doctor` says of `vault.json` and its copy.
enum KeySlotLook {
    private static let remedy =
        "The next command that writes makes it anew, such as 'walkdown sync'."

    /// - Throws: what is wrong with one of the two, or with both.
    static func note(in home: Home) throws -> String {
        do {
            return try note(of: SealedVault.load(home))
        } catch let error as VaultError {
            let failure = Walkdown.renderer.failure(for: error)
            guard case .damaged = error else { throw failure }
            throw Failure(
                failure.exitCode, failure.sentence + "; its copy is no better",
                advice: WayBack.afterKey(of: home.vault))
        }
    }

    private static func note(of vault: SealedVault) throws -> String {
        if let trouble = trouble(with: vault) { throw trouble }
        return "Argon2id, \(vault.cost.passes) passes over \(vault.cost.memory >> 20) MiB;"
            + " six digits are worth 20 bits to whoever copies the files,"
            + " a passphrase is worth more"
            + (vault.other == .missing
                ? "; it has no copy yet: the next command that writes makes it" : "")
    }

    private static func trouble(with vault: SealedVault) -> Failure? {
        let (that, this) =
            vault.isFromCopy ? ("vault.json", "its copy") : ("the copy of vault.json", "vault.json")
        switch vault.other {
        case .equal: return nil
        // A home of an earlier version has none yet.
        case .missing where !vault.isFromCopy: return nil
        case .missing:
            return Failure(.failed, "\(that) is missing; \(this) is whole", advice: remedy)
        case .unusable(.damaged(let what)):
            return Failure(.failed, "\(that) is damaged: \(what); \(this) is whole", advice: remedy)
        case .unusable(let error):
            return Failure(
                .failed,
                "\(that) cannot be read: " + Walkdown.renderer.failure(for: error).sentence
                    + "; \(this) is whole", advice: remedy)
        case .older:
            return Failure(
                .failed,
                "\(that) is an older one, from before the last new PIN or enrolment; \(this) decides,"
                    + " and an earlier PIN opens nothing",
                advice: remedy)
        case .unlike:
            return Failure(
                .failed,
                "vault.json and its copy are both whole and differ, and neither says which is newer:"
                    + " the PIN of vault.json opens, and the copy is left alone",
                advice: "'walkdown passwd' sets a PIN and makes both say the same.")
        }
    }

    /// What opening to write has mended; nil where it did not, or nothing was wrong.
    static func mended(_ vault: SealedVault) -> String? {
        guard trouble(with: vault) != nil, let now = try? SealedVault.load(vault.home),
            trouble(with: now) == nil
        else { return nil }
        return (vault.isFromCopy ? "vault.json is" : "the copy of vault.json is") + " made anew"
    }
}
