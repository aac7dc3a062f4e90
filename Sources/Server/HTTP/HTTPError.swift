/// What can go wrong with listening and with certificates; requests never throw, they are answered.
package struct HTTPError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The text is no address and port.
        case badAddress
        /// Plain HTTP was asked for on an address that is not loopback.
        case notLoopback
        /// The socket could not be had: in use, not allowed, no such address.
        case cannotListen
        /// libmicrohttpd refused to start (most often a certificate that it cannot read).
        case cannotStart
        /// What a certificate is to name is neither a host's name nor an address.
        case badHost
        /// GnuTLS could not make, read or sign a key or a certificate.
        case certificate
    }

    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
