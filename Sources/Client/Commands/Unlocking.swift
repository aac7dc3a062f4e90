internal import Arguments
internal import Crypto
internal import LocalStore
internal import Vault

/// A home whose key is there: what a command works with.
struct UnlockedHome {
    let opened: OpenedVault
    /// Present when the command may write.
    let lease: HomeLease?

    var vault: SealedVault { opened.vault }
    var key: SecretBytes { opened.key }
    var home: Home { vault.home }
}

extension CommandRun {
    enum Access {
        /// Also while another process holds the home.
        case reading
        case writing
    }

    /// Finds the home, takes the lease where the command writes, and asks for the PIN. Nothing is
    /// made where no device is enrolled.
    /// - Parameter pin: where the PIN comes from; nil for the usual places.
    func unlock(
        for access: Access, pin ask: (() throws -> SecretBytes)? = nil
    ) throws -> UnlockedHome {
        let (vault, lease) = try loadVault(for: access)
        let wait = try vault.secondsToWait(now: surroundings.bootNow)
        guard wait == 0 else { throw VaultError.delayed(seconds: wait) }
        let pin = try ask?() ?? readPIN("PIN: ")
        defer { pin.erase() }
        let opened = try vault.open(
            pin, beside: KeyWitness(of: vault.home), now: surroundings.bootNow)
        // Where it cannot be, 'doctor' says so; the command has the key.
        if let lease { opened.keepTwice(lease: lease) }
        return UnlockedHome(opened: opened, lease: lease)
    }

    private func loadVault(for access: Access) throws -> (SealedVault, HomeLease?) {
        switch access {
        case .reading: return (try SealedVault.load(home()), nil)
        case .writing:
            let (vault, lease) = try loadVaultToWrite()
            return (vault, lease)
        }
    }

    /// The vault is looked at before the lease, because nothing is made where no device is enrolled, and
    /// read under it, because another process may have changed the PIN until then.
    func loadVaultToWrite() throws -> (SealedVault, HomeLease) {
        let home = try SealedVault.load(home()).home
        let lease = try HomeLease.acquire(home)
        return (try SealedVault.load(home), lease)
    }

    /// The PIN from `--pin-file`, else asked on the terminal, else `VaultError.noPIN`.
    func readPIN(_ question: String) throws -> SecretBytes {
        guard let file = invocation.value("pin-file") else {
            return try surroundings.terminalPrompt.ask(question)
        }
        return try readPIN(file: file)
    }

    /// A PIN that is being chosen: typed twice, or read once from a file.
    func readNewPIN() throws -> SecretBytes {
        guard let file = invocation.value("pin-file") else {
            return try askNewPIN()
        }
        return try readPIN(file: file)
    }

    /// Asks once more where the two differ or cannot be a PIN: whoever enrols would have to type the
    /// whole code again.
    func askNewPIN() throws -> SecretBytes {
        for _ in 1...4 {
            do {
                return try typeNewPIN()
            } catch {
                guard case .unusablePIN = error else { throw error }
                say(Walkdown.renderer.failure(for: error))
            }
        }
        return try typeNewPIN()
    }

    private func typeNewPIN() throws(VaultError) -> SecretBytes {
        try surroundings.terminalPrompt.askTwice(
            "New PIN or passphrase (6 to 128 bytes): ", again: "The same again: ")
    }

    func readPIN(file: String) throws -> SecretBytes {
        let source = try PINReader.read(file: file)
        if source.isReadableByOthers {
            console.say("walkdown: other people may read \(file); 'chmod 600' closes it")
        }
        return source.pin
    }
}
