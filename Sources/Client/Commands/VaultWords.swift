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
                advice: "Close it there first. Commands that only read work meanwhile.")
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
        case .system(let operation, let path, let code):
            Failure(.locked, "cannot \(operation) \(path): \(String(cString: strerror(code)))")
        }
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
