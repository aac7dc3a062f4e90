internal import Crypto

/// Seals each entry on its own (XChaCha20-Poly1305), with the entry's number as associated data, so that
/// none can stand in another's place.
struct JournalCipher: Sendable {
    var seal: @Sendable (_ plaintext: [UInt8], _ number: UInt64) throws -> SealedBox
    var unseal: @Sendable (_ box: SealedBox, _ number: UInt64) throws -> [UInt8]
    /// Takes the key out of memory; nothing can be sealed afterwards.
    var erase: @Sendable () -> Void = {}

    /// - Parameter dataKey: the one that opens the database; the journal's own is made from it and
    ///   stands on no disk.
    static func keyed(by dataKey: SecretBytes) throws -> JournalCipher {
        let key = try BLAKE2b.derive(from: dataKey, purpose: Array("walkdown journal key 1".utf8))
        return JournalCipher(
            seal: { plaintext, number in
                try SealedBox.seal(
                    bytes: plaintext, key: key, associatedData: associatedData(number))
            },
            unseal: { box, number in
                try box.openBytes(key: key, associatedData: associatedData(number))
            },
            erase: { key.erase() })
    }

    private static func associatedData(_ number: UInt64) -> [UInt8] {
        Array("walkdown journal entry ".utf8) + JournalFrame.bytes(of: number, count: 8)
    }
}
