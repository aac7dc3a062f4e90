internal import Crypto

/// What an administrator hands to an inspector: a secret that is used once, and the fingerprint of
/// the certificate authority, so that a device refuses every other server before it says a word.
package struct EnrollmentCode: Hashable, Sendable {
    /// 16 random bytes.
    package let secret: [UInt8]
    /// The first 16 bytes of SHA-256 over the CA certificate's DER.
    package let fingerprint: [UInt8]

    package static let secretCount = 16

    /// - Precondition: `secret` has 16 bytes.
    package init(secret: [UInt8], caCertificate der: [UInt8]) {
        precondition(secret.count == Self.secretCount, "an enrolment secret has 16 bytes")
        self.secret = secret
        fingerprint = Self.fingerprint(of: der)
    }

    package static func fingerprint(of der: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(der).prefix(16))
    }

    /// Whether this certificate is the one that the code was made for.
    package func names(caCertificate der: [UInt8]) -> Bool {
        constantTimeEqual(fingerprint, Self.fingerprint(of: der))
    }

    /// What the server keeps and compares; the secret itself it forgets.
    package var secretHash: [UInt8] { SHA256.hash(secret) }

    /// Thirteen groups of four in Crockford's base32, as in `7Q4Z-0M3K-…`.
    package var text: String {
        let digits = Array(Base32.encode(secret + fingerprint))
        let groups = stride(from: 0, to: digits.count, by: 4).map { start in
            String(digits[start..<min(start + 4, digits.count)])
        }
        return groups.joined(separator: "-")
    }

    /// Takes both cases, spaces, missing `-`, `O` for 0, `I` and `L` for 1.
    package init(parsing text: String) throws(ReplicationError) {
        do throws(CryptoError) {
            let bytes = try Base32.decode(text)
            guard bytes.count == 32 else { throw CryptoError.malformedText("base32") }
            secret = Array(bytes[..<16])
            fingerprint = Array(bytes[16...])
        } catch {
            throw .malformedEnrollmentCode
        }
    }
}
