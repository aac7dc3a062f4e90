internal import Crypto

/// What Argon2id made of a PIN: the slow and costly half of closing a slot. It needs to know no
/// device yet.
struct StretchedPIN: Sendable {
    let cost: Argon2id.Cost
    let salt: [UInt8]
    let key: SecretBytes

    init(_ pin: SecretBytes, cost: Argon2id.Cost) throws(VaultError) {
        self.cost = cost
        salt = Crypto.random(Argon2id.saltByteCount)
        do {
            key = try Argon2id.derive(from: pin, salt: salt, cost: cost)
        } catch {
            throw VaultError(error)
        }
    }
}

/// The data key, closed under a PIN: Argon2id makes a key from the PIN, that key opens the box.
struct KeySlot: Equatable {
    /// The newest layout. Bound into key and box: a slot of one is never read as one of another.
    static let newestVersion: Int64 = 2
    static let dataKeyByteCount = 32

    /// Rises by one with each slot that takes the place of another, so that of two whole ones the newer is
    /// known. Bound into key and box as well: nobody who does not have the PIN makes an old slot a newer
    /// one. 0 in the first layout, which did not count.
    var generation: Int64
    var cost: Argon2id.Cost
    var salt: [UInt8]
    var box: SealedBox

    var version: Int64 { Self.version(ofGeneration: generation) }

    private static func version(ofGeneration generation: Int64) -> Int64 {
        generation == 0 ? 1 : newestVersion
    }

    static func close(
        over dataKey: SecretBytes, under pin: StretchedPIN, deviceId: String, generation: Int64
    ) throws(VaultError) -> KeySlot {
        do {
            let key = try wrappingKey(stretched: pin.key, deviceId: deviceId, generation)
            defer { key.erase() }
            let box = try SealedBox.seal(
                dataKey, key: key, associatedData: associatedData(deviceId, generation))
            return KeySlot(generation: generation, cost: pin.cost, salt: pin.salt, box: box)
        } catch {
            throw VaultError(error)
        }
    }

    /// The slow half of opening: nothing is learned about the PIN by it.
    func wrappingKey(from pin: SecretBytes, deviceId: String) throws(VaultError) -> SecretBytes {
        do {
            let stretched = try Argon2id.derive(from: pin, salt: salt, cost: cost)
            defer { stretched.erase() }
            return try Self.wrappingKey(stretched: stretched, deviceId: deviceId, generation)
        } catch {
            throw VaultError(error)
        }
    }

    /// The quick half, in which the tag alone decides; nil when it does not fit.
    func open(with key: SecretBytes, deviceId: String) throws(VaultError) -> SecretBytes? {
        do {
            return try box.open(
                key: key, associatedData: Self.associatedData(deviceId, generation))
        } catch CryptoError.notAuthentic {
            return nil
        } catch {
            throw VaultError(error)
        }
    }

    /// Keyed BLAKE2b over device, version and generation under Argon2id's key; a TPM's share joins it
    /// later.
    private static func wrappingKey(
        stretched: SecretBytes, deviceId: String, _ generation: Int64
    ) throws(CryptoError) -> SecretBytes {
        try BLAKE2b.derive(
            from: stretched, purpose: bound("walkdown key slot key", deviceId, generation))
    }

    private static func associatedData(_ deviceId: String, _ generation: Int64) -> [UInt8] {
        bound("walkdown key slot", deviceId, generation)
    }

    /// Each part with its length before it, so that no two different lists give the same bytes.
    private static func bound(
        _ purpose: String, _ deviceId: String, _ generation: Int64
    ) -> [UInt8] {
        let parts = [purpose, "\(version(ofGeneration: generation))", deviceId]
        return (generation == 0 ? parts : parts + ["\(generation)"]).flatMap { part in
            Array("\(part.utf8.count):".utf8) + Array(part.utf8)
        }
    }
}

extension VaultError {
    /// In this module a refusal by Crypto means memory, or parameters that stood in a file.
    init(_ error: CryptoError) {
        switch error {
        case .outOfMemory: self = .outOfMemory
        case .notAuthentic, .unusable, .malformedText: self = .damaged("a key slot is unusable")
        }
    }
}
