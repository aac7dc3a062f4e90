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
    private static let chunk = 1 << 20

    /// - Returns: nil where no such copy can be made: another process writes, or memory is short.
    static func open(
        of home: Home, _ connect: (String) throws -> Connection
    ) throws -> Connection? {
        guard let lease = quiet(home) else { return nil }
        // Nobody writes while both files are copied.
        return try withExtendedLifetime(lease) { try copied(home, connect) }
    }

    private static func quiet(_ home: Home) -> HomeLease? {
        do {
            return try HomeLease.acquire(home)
        } catch {
            return nil
        }
    }

    private static func copied(
        _ home: Home, _ connect: (String) throws -> Connection
    ) throws -> Connection? {
        guard let folder = MemoryFolder.make() else { return nil }
        // What is open stays readable without its name, and goes with the process.
        defer { folder.remove() }
        for suffix in ["", "-wal"] {
            guard copy(home.database + suffix, to: folder.database + suffix) else { return nil }
        }
        return try connect(folder.database)
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
