import Arguments

#if canImport(Glibc)
    import Glibc
#endif

/// Whole files, read and written at once.
enum SmallFile {
    /// Larger ones are not for the command line.
    static let limit = 64 << 20

    /// - Parameter path: `-` is standard input.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failed("read", path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failed("read", path) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else {
                throw Failure(.validation, "\(path) is larger than 64 MiB")
            }
        }
    }

    static func readText(_ path: String) throws(Failure) -> String {
        let bytes = try read(path)
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.validation, "\(path) is no UTF-8 text")
        }
        return text
    }

    /// A new file, on disk when this returns.
    ///
    /// - Throws: also where one stands already.
    static func create(_ path: String, _ text: String, mode: mode_t = 0o600) throws(Failure) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, mode)
        guard descriptor >= 0 else { throw failed("write", path) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failed("write", path) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw failed("write", path) }
    }

    /// Reads `errno`.
    static func failed(_ verb: String, _ path: String) -> Failure {
        Failure(.failed, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
