/// What goes wrong with a home, its lock or its keys. Never contains a PIN, a key or file content.
package enum VaultError: Error, Equatable {
    /// Another process writes this home; nil where it has not yet said which.
    case held(pid: Int32?)
    /// There is no `vault.json`: this device is not enrolled.
    case notEnrolled
    case alreadyEnrolled
    /// A database stands here without the `vault.json` that could open it.
    case keyMissing(database: String)
    /// The tag of the key slot does not fit. `tries` is how often that happened in a row, `wait`
    /// the seconds until the next try is allowed.
    case wrongPIN(tries: Int, wait: Int)
    /// The same, where `vault` is the one of the two files that can be read: it may be of before the last new
    /// PIN.
    case wrongPINOfOne(vault: String, tries: Int, wait: Int)
    /// The PIN is right, and the key of `vault`, a file of this device, opens neither the database nor the
    /// journal of the home.
    case otherKey(vault: String, deviceId: String)
    /// Nothing here shows that the key of `vault` is this home's: its slot is not replaced.
    case unprovenKey(vault: String)
    /// Seconds left until the next try is allowed. Nothing was tried.
    case delayed(seconds: Int)
    /// `vault.json` cannot be what was written: never to be mistaken for a wrong PIN.
    case damaged(String)
    /// Written by a newer version than this program knows.
    case unknownVersion(Int64)
    case unusablePIN(PINFault)
    /// No terminal to ask on, and no file given.
    case noPIN
    /// The memory that Argon2id needs is not to be had.
    case outOfMemory
    /// A system call failed; `code` is its `errno`.
    case system(operation: String, path: String, code: Int32)
}

/// Why bytes cannot be a PIN.
package enum PINFault: Equatable, Sendable {
    case tooShort
    case tooLong
    /// The second typing differed from the first.
    case notRepeated
}
