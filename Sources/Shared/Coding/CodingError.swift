/// What is wrong with received or stored bytes, and where.
///
/// The text names places and expectations, never a value: errors travel into logs and answers, and
/// a value may be an inspector's answer.
package struct CodingError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// Not JSON at all: syntax, encoding, trailing bytes.
        case malformed
        /// A number that neither Int64 nor Double holds.
        case numberRange
        /// The same key twice in one object.
        case duplicateKey
        /// Larger, deeper or more numerous than the limits allow.
        case tooLarge
        /// A key that must be there is not.
        case missing
        /// Something else than was expected stands there.
        case unexpected
        /// The gzip stream is damaged or cut short.
        case damagedGzip
    }

    package let code: Code
    /// Where, as in `mutations[3].recordId`; empty for the document itself.
    package private(set) var path: String
    package let message: String

    package init(_ code: Code, path: String = "", _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    package var description: String { path.isEmpty ? message : "\(path): \(message)" }

    /// The same error, seen from the value that contains the one which was read.
    ///
    /// Paths are put together only while an error travels outwards, so that reading without an
    /// error costs nothing for them.
    package func inside(key: String) -> CodingError { prefixed(with: key) }

    package func inside(key: String, index: Int) -> CodingError {
        prefixed(with: "\(key)[\(index)]")
    }

    private func prefixed(with outer: String) -> CodingError {
        var copy = self
        copy.path = path.isEmpty ? outer : "\(outer).\(path)"
        return copy
    }
}
