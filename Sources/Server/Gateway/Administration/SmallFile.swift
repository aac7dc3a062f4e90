import Arguments
import Replication

#if canImport(Glibc)
    import Glibc
#endif

/// Whole files, read and written at once.
enum SmallFile {
    /// Larger ones are not for the command line.
    static let limit = 64 << 20
    /// In base64 it has to fit into what goes through the control socket.
    static let bundleLimit = BundleWriter.mostBytes

    /// - Parameter path: `-` is standard input.
    static func read(_ path: String, limit: Int = limit) throws(Failure) -> [UInt8] {
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
                throw Failure(.validation, "\(path) is larger than \(limit >> 20) MiB")
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
        try write(Array(text.utf8)[...], to: descriptor, path)
        guard fsync(descriptor) == 0 else { throw failed("write", path) }
    }

    /// A new file with the same bytes, on disk when this returns, for its owner alone.
    ///
    /// - Throws: also where one stands already.
    static func copy(_ path: String, to target: String) throws(Failure) {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw failed("read", path) }
        defer { close(source) }
        let copy = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard copy >= 0 else { throw failed("write", target) }
        defer { close(copy) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Glibc.read(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failed("read", path) }
            if count == 0 { break }
            try write(buffer[..<count], to: copy, target)
        }
        guard fsync(copy) == 0 else { throw failed("write", target) }
    }

    private static func write(
        _ bytes: ArraySlice<UInt8>, to descriptor: Int32, _ path: String
    ) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failed("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// What was renamed in the folder is on disk when this returns.
    static func synchronise(_ folder: String) throws(Failure) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failed("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failed("write", folder) }
    }

    /// Reads `errno`.
    static func failed(_ verb: String, _ path: String) -> Failure {
        Failure(.failed, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
