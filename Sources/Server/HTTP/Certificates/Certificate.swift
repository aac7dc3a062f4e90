import CGnuTLS
import Crypto

#if canImport(Glibc)
    import Glibc
#endif

/// An X.509 certificate: the authority's own, or a server's that the authority signed.
package final class Certificate {
    let raw: gnutls_x509_crt_t

    /// Validity begins two years before the making, so that a device whose clock is behind still
    /// connects.
    static let backdating: Int64 = 2 * year
    static let authorityLife: Int64 = 20 * year
    static let serverLife: Int64 = 10 * year
    private static let year: Int64 = 365 * 86_400

    /// - Parameter pem: the first certificate in it counts.
    package init(pem: String) throws(HTTPError) {
        raw = try Self.empty()
        let raw = raw
        try GnuTLS.check(
            GnuTLS.withDatum(pem) { walkdown_gnutls_import_certificate(raw, $0) },
            "read the certificate")
    }

    /// A certificate authority that signs itself and, with path length 0, servers only.
    ///
    /// - Parameter now: seconds since 1970.
    package init(authority name: String, key: PrivateKey, now: Int64) throws(HTTPError) {
        raw = try Self.unsigned(name, key: key, from: now, life: Self.authorityLife)
        try GnuTLS.check(gnutls_x509_crt_set_basic_constraints(raw, 1, 0), "limit the authority")
        try GnuTLS.check(walkdown_gnutls_may_sign_certificates(raw), "limit the authority")
        try GnuTLS.check(walkdown_gnutls_sign_sha256(raw, raw, key.raw), "sign the certificate")
    }

    /// A server's certificate for `hosts` (names and literal addresses), signed by an authority.
    ///
    /// - Parameter now: seconds since 1970.
    package init(
        server hosts: [String], key: PrivateKey, issuer: Certificate, issuerKey: PrivateKey,
        now: Int64
    ) throws(HTTPError) {
        guard let first = hosts.first else {
            throw HTTPError(.certificate, "a server's certificate needs a name")
        }
        for host in hosts { try Self.require(host) }
        // A common name holds 64 bytes; clients look at the alternative names alone.
        let name = first.utf8.count <= 64 ? first : "walkdownd"
        raw = try Self.unsigned(name, key: key, from: now, life: Self.serverLife)
        for host in hosts { try Self.add(host, to: raw) }
        try GnuTLS.check(gnutls_x509_crt_set_basic_constraints(raw, 0, -1), "limit the server")
        try GnuTLS.check(walkdown_gnutls_may_serve(raw), "limit the server")
        try Self.nameIssuer(raw, issuer: issuer)
        try GnuTLS.check(
            walkdown_gnutls_sign_sha256(raw, issuer.raw, issuerKey.raw), "sign the certificate")
    }

    deinit { gnutls_x509_crt_deinit(raw) }

    package func pem() throws(HTTPError) -> String {
        try GnuTLS.text("write the certificate") { walkdown_gnutls_export_pem(raw, $0) }
    }

    package func der() throws(HTTPError) -> [UInt8] {
        try GnuTLS.bytes("write the certificate") { walkdown_gnutls_export_der(raw, $0) }
    }

    // MARK: Looking

    /// The pin of the key that it certifies, as `PrivateKey.pin` writes it.
    package func pin() throws(HTTPError) -> String {
        let der = try GnuTLS.bytes("read the public key") {
            walkdown_gnutls_certified_key(raw, $0)
        }
        return "sha256//" + Base64.encode(SHA256.hash(der))
    }

    package func isSigned(by issuer: Certificate) -> Bool {
        walkdown_gnutls_is_signed_by(raw, issuer.raw) == 1
    }

    /// Seconds since 1970.
    package var begins: Int64 { Int64(gnutls_x509_crt_get_activation_time(raw)) }
    package var expires: Int64 { Int64(gnutls_x509_crt_get_expiration_time(raw)) }

    // MARK: Making

    private static func empty() throws(HTTPError) -> gnutls_x509_crt_t {
        var raw: gnutls_x509_crt_t?
        try GnuTLS.check(gnutls_x509_crt_init(&raw), "make room for a certificate")
        return raw!
    }

    private static func unsigned(
        _ name: String, key: PrivateKey, from now: Int64, life: Int64
    ) throws(HTTPError) -> gnutls_x509_crt_t {
        let raw = try empty()
        try GnuTLS.check(gnutls_x509_crt_set_version(raw, 3), "set the version")
        try GnuTLS.check(gnutls_x509_crt_set_key(raw, key.raw), "set the key")
        // Positive and not zero, as RFC 5280 asks: the first byte is 1…127.
        var serial = Crypto.random(16)
        serial[0] = serial[0] & 0x7F | 0x01
        try GnuTLS.check(
            gnutls_x509_crt_set_serial(raw, serial, serial.count), "set the serial number")
        try GnuTLS.check(
            walkdown_gnutls_set_common_name(raw, name, UInt32(name.utf8.count)), "set the name")
        try GnuTLS.check(
            gnutls_x509_crt_set_activation_time(raw, time_t(now - backdating)), "set the time")
        try GnuTLS.check(
            gnutls_x509_crt_set_expiration_time(raw, time_t(now + life)), "set the time")
        let id = try keyID(of: raw)
        try GnuTLS.check(
            gnutls_x509_crt_set_subject_key_id(raw, id, id.count), "name the key")
        return raw
    }

    private static func nameIssuer(
        _ raw: gnutls_x509_crt_t, issuer: Certificate
    ) throws(HTTPError) {
        let id = try keyID(of: issuer.raw)
        try GnuTLS.check(
            gnutls_x509_crt_set_authority_key_id(raw, id, id.count), "name the issuer's key")
    }

    private static func keyID(of raw: gnutls_x509_crt_t) throws(HTTPError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var count = bytes.count
        try GnuTLS.check(gnutls_x509_crt_get_key_id(raw, 0, &bytes, &count), "name the key")
        return Array(bytes.prefix(count))
    }

    private static func add(_ host: String, to raw: gnutls_x509_crt_t) throws(HTTPError) {
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: 16)
            guard inet_pton(family, host, &bytes) == 1 else { continue }
            let code = walkdown_gnutls_add_address(raw, bytes, UInt32(size))
            return try GnuTLS.check(code, "add the address \(host)")
        }
        let code = walkdown_gnutls_add_dns_name(raw, host, UInt32(host.utf8.count))
        try GnuTLS.check(code, "add the name \(host)")
    }

    private static func require(_ host: String) throws(HTTPError) {
        var bytes = [UInt8](repeating: 0, count: 16)
        let isAddress = [AF_INET, AF_INET6].contains { inet_pton($0, host, &bytes) == 1 }
        guard isAddress || isHostName(host) else {
            throw HTTPError(.badHost, "'\(host)' is neither a host's name nor an address")
        }
    }

    /// Letters, digits, hyphens and dots, as RFC 1123 has them; a wildcard only in front.
    private static func isHostName(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.enumerated().allSatisfy { index, label in
                (index == 0 && label == "*")
                    || (1...63).contains(label.utf8.count)
                        && label.utf8.allSatisfy(isHostByte)
                        && label.first != "-" && label.last != "-"
            }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
        default: false
        }
    }
}
