import CGnuTLS

/// The calling conventions of GnuTLS: codes below zero are errors, results come in `datum`s that
/// the caller frees.
enum GnuTLS {
    static func check(_ code: Int32, _ purpose: String) throws(HTTPError) {
        guard code < 0 else { return }
        let reason = gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)"
        throw HTTPError(.certificate, "cannot \(purpose): \(reason)")
    }

    static func bytes(
        _ purpose: String, _ fill: (UnsafeMutablePointer<gnutls_datum_t>) -> Int32
    ) throws(HTTPError) -> [UInt8] {
        var datum = gnutls_datum_t()
        try check(fill(&datum), purpose)
        defer { walkdown_gnutls_free(&datum) }
        return Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
    }

    static func text(
        _ purpose: String, _ fill: (UnsafeMutablePointer<gnutls_datum_t>) -> Int32
    ) throws(HTTPError) -> String {
        String(decoding: try bytes(purpose, fill), as: UTF8.self)
    }

    /// The bytes of `text` as GnuTLS reads them; it does not write.
    static func withDatum(
        _ text: String, _ body: (UnsafePointer<gnutls_datum_t>) -> Int32
    ) -> Int32 {
        var bytes = Array(text.utf8)
        let count = UInt32(bytes.count)
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = gnutls_datum_t(data: buffer.baseAddress, size: count)
            return body(&datum)
        }
    }
}
