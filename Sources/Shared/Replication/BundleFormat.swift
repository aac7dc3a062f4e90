internal import Coding
internal import Crypto

/// Why a bundle cannot be read. Never contains an answer.
package enum BundleError: Error, Equatable, Sendable {
    case notABundle
    /// A newer program has made it.
    case unknownVersion(UInt8)
    /// The key does not open it, or bytes of it were changed or moved.
    case notAuthentic
    /// It ends before its end mark: a copy that was cut, or a stick that was pulled out.
    case cutShort
    /// Something stands behind its end mark.
    case tooLong
    /// What was sealed is not what this program seals.
    case unreadable
}

/// The beginning of a bundle, which anybody can read: what it is, and whose.
///
/// 16 bytes of magic, one of version, 16 random ones that tell bundles apart, the length of the
/// device's id (one byte) and the id. All of it is associated data of each frame behind it, so that no
/// frame of another bundle of the same device fits in here.
package struct BundleHeader: Equatable, Sendable {
    package static let magic = Array("walkdown bundle\n".utf8)
    package static let nonceByteCount = 16
    static let version: UInt8 = 1
    private static let fixedByteCount = magic.count + 1 + nonceByteCount + 1

    /// As the server knows it.
    package let device: String
    private let nonce: [UInt8]

    /// - Parameter nonce: random.
    package init(device: String, nonce: [UInt8]) {
        precondition(nonce.count == Self.nonceByteCount && (1...255).contains(device.utf8.count))
        self.device = device
        self.nonce = nonce
    }

    package init(of file: [UInt8]) throws(BundleError) {
        guard file.starts(with: Self.magic) else {
            // What is left of a cut magic is still ours.
            let isCut = !file.isEmpty && Self.magic.starts(with: file)
            throw isCut ? BundleError.cutShort : BundleError.notABundle
        }
        guard file.count >= Self.fixedByteCount else { throw .cutShort }
        let version = file[Self.magic.count]
        guard version == Self.version else { throw .unknownVersion(version) }
        let length = Int(file[Self.fixedByteCount - 1])
        guard file.count >= Self.fixedByteCount + length else { throw .cutShort }
        guard length > 0,
            let device = String(
                validating: file[Self.fixedByteCount...].prefix(length), as: UTF8.self)
        else { throw .notABundle }
        self.device = device
        nonce = Array(file[(Self.magic.count + 1)...].prefix(Self.nonceByteCount))
    }

    package var bytes: [UInt8] {
        Self.magic + [Self.version] + nonce + [UInt8(device.utf8.count)] + Array(device.utf8)
    }
}

/// Seals the frames of a bundle, each bound to the bundle, to its place and to what it is.
struct BundleCipher: Sendable {
    enum Kind: UInt8 {
        case batch = 1
        case end = 2
    }

    private let key: SecretBytes
    private let header: [UInt8]

    /// - Parameter tokenHash: SHA-256 of the device's token, which the server keeps in its place.
    init(tokenHash: [UInt8], header: BundleHeader) throws {
        var bytes = tokenHash
        let secret = SecretBytes(moving: &bytes)
        defer { secret.erase() }
        key = try BLAKE2b.derive(from: secret, purpose: Array("walkdown bundle key 1".utf8))
        self.header = header.bytes
    }

    /// The kind, the length of what is sealed (4 bytes, the low one first), the nonce, and the
    /// ciphertext with its tag.
    func frame(_ kind: Kind, _ place: UInt64, _ plaintext: [UInt8]) throws -> [UInt8] {
        let box = try SealedBox.seal(
            bytes: plaintext, key: key, associatedData: associatedData(kind, place))
        return [kind.rawValue] + Self.bytes(of: UInt64(box.ciphertext.count), count: 4)
            + box.nonce + box.ciphertext
    }

    func unseal(_ frame: BundleFrame, at place: UInt64) throws(BundleError) -> [UInt8] {
        do {
            let box = try SealedBox(nonce: frame.nonce, ciphertext: frame.ciphertext)
            return try box.openBytes(key: key, associatedData: associatedData(frame.kind, place))
        } catch {
            throw .notAuthentic
        }
    }

    private func associatedData(_ kind: Kind, _ place: UInt64) -> [UInt8] {
        header + [kind.rawValue] + Self.bytes(of: place, count: 8)
    }

    private static func bytes(of number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}

/// One frame as it stands in a file.
struct BundleFrame {
    static let headByteCount = 5 + SealedBox.nonceByteCount

    let kind: BundleCipher.Kind
    let nonce: [UInt8]
    let ciphertext: [UInt8]

    var byteCount: Int { Self.headByteCount + ciphertext.count }

    init(in file: [UInt8], at start: Int) throws(BundleError) {
        let body = start + Self.headByteCount
        guard body <= file.count else { throw .cutShort }
        guard let kind = BundleCipher.Kind(rawValue: file[start]) else { throw .notAuthentic }
        let count = file[start + 1..<start + 5].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count <= file.count - body else { throw .cutShort }
        self.kind = kind
        nonce = Array(file[start + 5..<body])
        ciphertext = Array(file[body..<body + count])
    }
}

/// What the end mark says, so that a frame that is missing between two is noticed as one that is
/// missing at the end.
struct BundleEnd: Equatable {
    var batches: Int64
    var mutations: Int64

    init(batches: Int64 = 0, mutations: Int64 = 0) {
        self.batches = batches
        self.mutations = mutations
    }

    init(json: JSON) throws(CodingError) {
        batches = try json.integer("batches")
        mutations = try json.integer("mutations")
    }

    var json: JSON { ["batches": .integer(batches), "mutations": .integer(mutations)] }
}
