package import Crypto

/// What a data key is to the database and the journal of a home.
package enum KeyFit: Equatable, Sendable {
    /// It opens one of them: it is theirs.
    case opens
    /// They are whole enough to tell, and it opens neither: it is another home's.
    case opensNeither
    /// Neither is there, or what is there cannot be read by any key.
    case unknown
}

/// The database and the journal of a home, asked about a key. That a PIN opens a box says nothing of what
/// the key in it is for: a file of another device does that too where the PIN is the same.
package struct KeyWitness: Sendable {
    package var fit: @Sendable (SecretBytes) -> KeyFit
    /// The device that they are of, as they say when this key opens them; nil where they do not.
    package var deviceId: @Sendable (SecretBytes) -> String?

    package init(
        fit: @escaping @Sendable (SecretBytes) -> KeyFit,
        deviceId: @escaping @Sendable (SecretBytes) -> String? = { _ in nil }
    ) {
        self.fit = fit
        self.deviceId = deviceId
    }

    /// For whoever only wants the key: nothing is asked, and so nothing may be replaced.
    package static let silent = KeyWitness(fit: { _ in .unknown })
}
