internal import Glibc

/// An open file that closes itself. The one place of this module that knows what `errno` and
/// `EINTR` mean.
struct Descriptor: ~Copyable {
    let raw: Int32
    private let path: String

    /// - Parameter flags: of open(2); `O_CLOEXEC` is added.
    init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(VaultError) {
        let raw = Glibc.open(path, flags | O_CLOEXEC, mode)
        guard raw >= 0 else { throw .failed("open", path) }
        self.raw = raw
        self.path = path
    }

    deinit {
        // Nothing is lost: whoever must know that the bytes arrived has called `synchronize`.
        close(raw)
    }

    /// Reads up to the end or to `limit` bytes, whichever comes first.
    func readAll(limit: Int) throws(VaultError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = Glibc.read(raw, &chunk, min(chunk.count, limit - bytes.count))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw .failed("read", path)
            }
            bytes += chunk[..<count]
        }
        return bytes
    }

    func write(_ bytes: [UInt8], at start: Int = 0) throws(VaultError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(raw, buffer.baseAddress! + done, bytes.count - done, off_t(start + done))
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw .failed("write", path)
            }
            done += count
        }
    }

    /// Returns when the bytes are on the disk (fsync(2)).
    func synchronize() throws(VaultError) {
        guard fsync(raw) == 0 else { throw .failed("fsync", path) }
    }

    func truncate(to count: Int) throws(VaultError) {
        guard ftruncate(raw, off_t(count)) == 0 else { throw .failed("truncate", path) }
    }

    /// flock(2); false when another open file has the lock and `operation` says not to wait.
    func lock(_ operation: Int32) throws(VaultError) -> Bool {
        while flock(raw, operation) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            default: throw .failed("lock", path)
            }
        }
        return true
    }

    func status() throws(VaultError) -> stat {
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw .failed("look at", path) }
        return status
    }
}

extension VaultError {
    /// The failure of the system call that has just returned.
    static func failed(_ operation: String, _ path: String) -> VaultError {
        .system(operation: operation, path: path, code: errno)
    }
}
