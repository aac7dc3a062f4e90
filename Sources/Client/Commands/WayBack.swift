internal import LocalStore
internal import Vault

/// What helps where the database of a home cannot be used, or nothing can open it. Never advises what
/// would fail.
enum WayBack {
    /// - Parameter isReadable: whether it can still be read.
    /// - Returns: what helps where only the database is damaged or missing.
    static func afterDatabase(of unlocked: UnlockedHome, isReadable: Bool = false) -> String {
        let copy = try? DeviceStore.secondCopy(home: unlocked.home, key: unlocked.key)
        guard copy?.knowsDevice != true else {
            return "'walkdown doctor --repair' makes a new one from the journal."
        }
        let device = unlocked.vault.deviceId
        return
            (unlocked.opened.fit == .opens
            ? ""
            : "Nothing here shows that vault.json, of device \(device), is this home's: if it is not,"
                + " put the right one back. ")
            + "The journal does not say who this device is, so that no new one can be made here. "
            + (isReadable
                ? "'walkdown outbox --json' may still copy out what was entered and not sent. "
                : "")
            + "Put walkdown.db back from a copy of this folder. " + leaving(unlocked.home.directory)
            + " What was entered and not sent is lost then."
    }

    /// - Parameter path: a file in the home that nothing opens any more.
    static func afterKey(of path: String) -> String {
        let home = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return
            "Put vault.json or vault.copy.json back from a copy of this folder. Without either nobody"
            + " can read what is here. " + leaving(home.joined(separator: "/"))
            + " What was entered and not sent stays in the folder, for the day on which the key turns up."
    }

    /// What has the name of a file of the home and is none of it.
    static func movingAway(_ path: String) -> String {
        "Move it away, as with 'mv \(path) \(path).other', and keep it."
    }

    /// Beside what stands in the home nothing new can be made.
    private static func leaving(_ folder: String) -> String {
        var home = folder[...]
        while home.count > 1, home.hasSuffix("/") { home.removeLast() }
        return
            "Else move the whole folder away, as with 'mv \(home) \(home).old', keep it, and enrol"
            + " anew with 'walkdown enroll URL CODE': what the server has comes back. Have the"
            + " administrator revoke the device of before."
    }
}
