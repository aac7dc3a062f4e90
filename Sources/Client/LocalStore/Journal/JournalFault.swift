internal import Glibc

/// What goes wrong with the second copy. Holds no answer and no key.
package enum JournalFault: Error, Sendable, Equatable {
    /// A call of the operating system failed; `code` is its errno.
    case system(operation: String, path: String, code: Int32)
    /// The cipher refused to seal or to open.
    case cipher
    /// Bytes that no version of this program has written.
    case malformed
    /// An entry of a newer version.
    case newerFormat(Int64)
}

extension JournalFault {
    var isMissingFile: Bool {
        if case .system(_, _, let code) = self { code == ENOENT } else { false }
    }

    var isDiskFull: Bool {
        if case .system(_, _, let code) = self { code == ENOSPC || code == EDQUOT } else { false }
    }

    private static func words(of code: Int32) -> String { String(cString: strerror(code)) }
}

extension JournalFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .system(let operation, let path, let code):
            "the second copy: cannot \(operation) \(path): \(Self.words(of: code))"
        case .cipher: "the second copy: an entry could not be sealed"
        case .malformed: "the second copy: an entry is not readable"
        case .newerFormat(let version):
            "the second copy: an entry is of version \(version), which a newer walkdown has written"
        }
    }
}
