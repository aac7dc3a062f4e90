package import Crypto
internal import Glibc

/// Reads a PIN byte by byte into locked memory: it is never a `String`, and no buffer of the
/// standard library ever holds it.
package enum PINReader {
    package static let allowedByteCount = 6...128

    package struct Source: Equatable, Sendable {
        package let pin: SecretBytes
        /// Other people may read the file that it came from.
        package let isReadableByOthers: Bool
    }

    /// The first line of a file, without trailing CR and LF. `-` is standard input.
    package static func read(file path: String) throws(VaultError) -> Source {
        if path == "-" {
            return Source(pin: try readLine(STDIN_FILENO), isReadableByOthers: false)
        }
        let file = try Descriptor(path, O_RDONLY)
        let mode = try file.status().st_mode
        let isOpenToOthers = mode & S_IFMT == S_IFREG && mode & 0o077 != 0
        return Source(pin: try readLine(file.raw), isReadableByOthers: isOpenToOthers)
    }

    /// Reads up to the end of the line and not a byte further, so that what follows on the same
    /// pipe stays for whoever reads next.
    package static func readLine(_ descriptor: Int32) throws(VaultError) -> SecretBytes {
        // One more than allowed, to know a longer one, and one for a CR that does not count.
        let room = SecretBytes(count: allowedByteCount.upperBound + 2)
        let count = try room.withMutableBytes { (bytes) throws(VaultError) in
            try fill(bytes, from: descriptor)
        }
        let length = room.withBytes { bytes in
            count > 0 && bytes[count - 1] == UInt8(ascii: "\r") ? count - 1 : count
        }
        guard length <= allowedByteCount.upperBound else { throw .unusablePIN(.tooLong) }
        guard length >= allowedByteCount.lowerBound else { throw .unusablePIN(.tooShort) }
        return room.withBytes { SecretBytes(copying: .init(rebasing: $0.prefix(length))) }
    }

    private static func fill(
        _ bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32
    ) throws(VaultError) -> Int {
        var count = 0
        while count < bytes.count {
            let got = Glibc.read(descriptor, bytes.baseAddress! + count, 1)
            if got < 0 {
                if errno == EINTR { continue }
                throw .failed("read", "the PIN")
            }
            if got == 0 || bytes[count] == UInt8(ascii: "\n") { break }
            count += 1
        }
        return count
    }
}
