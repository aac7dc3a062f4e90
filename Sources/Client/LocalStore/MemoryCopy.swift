internal import Glibc
internal import SQLite
internal import Vault

/// A database on a disk that takes not a byte any more, as a copy in memory that can be read.
///
/// SQLite makes an index of the log beside the database, for readers too, and has no room for it. To
/// read without one (`immutable`) would leave out what stands in the log alone, which is what was
/// saved last. So database and log are copied, while nobody writes them, and the index is made beside
/// the copy. It is as encrypted as they are.
enum MemoryCopy {
    /// A folder in memory that Linux has.
    private static let memory = "/dev/shm"
    private static let chunk = 1 << 20

    /// - Returns: nil where no such copy can be made: another process writes, or memory is short.
    static func open(
        of home: Home, _ connect: (String) throws -> Connection
    ) throws -> Connection? {
        guard let lease = try quiet(home) else { return nil }
        // Nobody writes while both files are copied.
        return try withExtendedLifetime(lease) { try copied(home, connect) }
    }

    private enum Quiet {
        case held(HomeLease)
        /// On a disk that can only be read nobody writes.
        case readOnlyDisk
    }

    private static func quiet(_ home: Home) throws -> Quiet? {
        do {
            return .held(try HomeLease.acquire(home))
        } catch {
            if case .system(_, _, EROFS) = error { return .readOnlyDisk }
            return nil
        }
    }

    private static func copied(
        _ home: Home, _ connect: (String) throws -> Connection
    ) throws -> Connection? {
        var template = Array("\(memory)/walkdown-read-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        let folder = String(decoding: bytes, as: UTF8.self)
        let path = folder + "/walkdown.db"
        // What is open stays readable without its name, and goes with the process.
        defer {
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            rmdir(folder)
        }
        for suffix in ["", "-wal"] {
            guard copy(home.database + suffix, to: path + suffix) else { return nil }
        }
        return try connect(path)
    }

    /// - Returns: false where it cannot be; a file that is not there is no file to copy.
    private static func copy(_ from: String, to: String) -> Bool {
        let source = Glibc.open(from, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { return errno == ENOENT }
        defer { close(source) }
        let target = Glibc.open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { return false }
        defer { close(target) }
        while true {
            let count = sendfile(target, source, nil, chunk)
            if count == 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }
}
