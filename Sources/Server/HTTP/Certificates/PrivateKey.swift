import CGnuTLS
import Crypto

/// An ECDSA P-256 key of this server's making.
package final class PrivateKey {
    let raw: gnutls_x509_privkey_t

    /// A new key from GnuTLS's own randomness.
    package init() throws(HTTPError) {
        raw = try Self.empty()
        try GnuTLS.check(walkdown_gnutls_generate_p256(raw), "make a key")
    }

    /// - Parameter pem: PKCS #8, not encrypted.
    package init(pem: String) throws(HTTPError) {
        raw = try Self.empty()
        let raw = raw
        try GnuTLS.check(
            GnuTLS.withDatum(pem) { walkdown_gnutls_import_key(raw, $0) }, "read the key")
    }

    private static func empty() throws(HTTPError) -> gnutls_x509_privkey_t {
        var raw: gnutls_x509_privkey_t?
        try GnuTLS.check(gnutls_x509_privkey_init(&raw), "make room for a key")
        return raw!
    }

    deinit { gnutls_x509_privkey_deinit(raw) }

    /// PKCS #8, not encrypted: whoever stores it sets the file's mode to 0600.
    package func pem() throws(HTTPError) -> String {
        try GnuTLS.text("write the key") { walkdown_gnutls_export_key(raw, $0) }
    }

    /// The pin of this key as curl takes it: `sha256//` and the base64 of the SHA-256 of its
    /// SubjectPublicKeyInfo.
    package func pin() throws(HTTPError) -> String {
        let der = try GnuTLS.bytes("read the public key") { walkdown_gnutls_public_key(raw, $0) }
        return "sha256//" + Base64.encode(SHA256.hash(der))
    }
}
