internal import Arguments
internal import Glibc
internal import Vault

/// What a person is told about homes, locks and PINs.
enum VaultWords {
    static let failure: Renderer.Translation = { error in
        guard let error = error as? VaultError else { return nil }
        return words(for: error)
    }

    private static func words(for error: VaultError) -> Failure {
        switch error {
        case .held(let pid):
            Failure(
                .locked,
                "this home is open in " + (pid.map { "process \($0)" } ?? "another process"),
                advice: "Close it there first. Commands that only read work meanwhile, and"
                    + " 'walkdown --read-only' shows it on a screen.")
        case .notEnrolled:
            Failure(
                .locked, "this device is not enrolled",
                advice: "'walkdown enroll URL CODE' does that; 'walkdown demo' needs no server.")
        case .alreadyEnrolled:
            Failure(.failed, "this device is enrolled already; nothing was changed")
        case .keyMissing(let database):
            Failure(
                .locked, "\(database) stands here without the vault.json that opens it",
                advice: WayBack.afterKey(of: database))
        case .wrongPIN(let tries, let wait):
            Failure(
                .locked, "the PIN is wrong (\(counted(tries, "try", "tries")) in a row)",
                advice: "The next try is possible in \(counted(wait, "second", "seconds")).")
        case .wrongPINOfOne(let vault, let tries, let wait): refusal(by: vault, tries, wait)
        case .otherKey(let vault, let device): otherKey(vault, device)
        case .unprovenKey(let vault): unprovenKey(vault)
        case .delayed(let seconds):
            Failure(
                .locked,
                "after wrong PINs the next try is possible in "
                    + counted(seconds, "second", "seconds"),
                advice: "Nothing was tried.")
        case .damaged(let what):
            Failure(
                .locked, "vault.json is damaged: \(what)",
                advice:
                    "The PIN was not judged, and vault.copy.json is no better. Put an undamaged one"
                    + " back from a copy of the home; 'walkdown doctor' says what helps where there is"
                    + " none.")
        case .unknownVersion(let version):
            Failure(
                .locked, "vault.json is of version \(version), which a newer walkdown has written",
                advice: "Use that version again. Nothing was changed.")
        case .unusablePIN(let fault): words(for: fault)
        case .noPIN:
            Failure(
                .locked, "a PIN is needed and there is no terminal to ask on",
                advice:
                    "'--pin-file FILE' reads it from a file, '--pin-file -' from standard input.")
        case .outOfMemory:
            Failure(.locked, "there is not enough memory to check the PIN; nothing was tried")
        case .system(_, let path, EROFS):
            Failure(
                .locked, "the disk of \(path) can only be read, so no try of a PIN can be counted",
                advice: "Nothing was tried. Copy the whole home to where it can be written, as with"
                    + " 'cp -a HOME /dev/shm/home', and read it there with '--home'. That copy is for"
                    + " reading only: what is entered there is gone with it. Remove it afterwards.")
        case .system(let operation, let path, EISDIR):
            Failure(
                .locked, "cannot \(operation) \(path): a folder has that name",
                advice: WayBack.movingAway(path))
        case .system(let operation, let path, let code):
            Failure(.locked, "cannot \(operation) \(path): \(String(cString: strerror(code)))")
        }
    }

    /// The file may be from before the last new PIN: the other cannot be read to tell.
    private static func refusal(by vault: String, _ tries: Int, _ wait: Int) -> Failure {
        Failure(
            .locked,
            "the PIN does not open \(vault) (\(counted(tries, "try", "tries")) in a row), and the other"
                + " of the two key slots cannot be read",
            advice:
                "This one may be from before the last new PIN: try the PIN of then too. The next try"
                + " is possible in \(counted(wait, "second", "seconds")).")
    }

    private static func otherKey(_ vault: String, _ device: String) -> Failure {
        Failure(
            .locked,
            "\(vault) is of device \(device), and its key opens neither the database nor the journal"
                + " that stand here",
            advice: WayBack.afterKey(of: vault))
    }

    private static func unprovenKey(_ vault: String) -> Failure {
        Failure(
            .locked,
            "nothing here shows that \(vault) is this home's: its key has opened neither database nor"
                + " journal; the PIN is not changed",
            advice: "'walkdown doctor' says what is wrong with them.")
    }

    private static func words(for fault: PINFault) -> Failure {
        let bounds = PINReader.allowedByteCount
        let size = "A PIN has \(bounds.lowerBound) to \(bounds.upperBound) bytes."
        return switch fault {
        case .tooShort: Failure(.locked, "the PIN is too short", advice: size)
        case .tooLong: Failure(.locked, "the PIN is too long", advice: size)
        case .notRepeated: Failure(.locked, "the two PINs differ; nothing was changed")
        }
    }
}

/// `1 try`, `2 tries`.
func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) " + (count == 1 ? one : many)
}
