internal import Glibc
internal import Vault

/// A folder in memory for a database that a process reads. It is locked (flock) while it stands, so that
/// the next process knows what a killed one has left there: memory is freed by nobody else.
final class MemoryFolder {
    /// A folder in memory that Linux has.
    static let memory = "/dev/shm"
    private static let prefix = "walkdown-read-"
    private static let databaseName = "walkdown.db"

    let path: String
    /// Has the lock.
    private let descriptor: Int32

    var database: String { path + "/" + Self.databaseName }

    /// Removes first what killed processes have left.
    ///
    /// - Returns: nil where there is no such memory.
    static func make(in memory: String = memory) -> MemoryFolder? {
        removeLeft(in: memory)
        // A process that looks for what is left may take a new folder before it is locked.
        for _ in 0..<8 {
            var template = Array("\(memory)/\(prefix)XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { return nil }
            let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
            let path = String(decoding: bytes, as: UTF8.self)
            guard let descriptor = lock(path) else { continue }
            let folder = MemoryFolder(path, descriptor)
            if folder.isThere { return folder }
        }
        return nil
    }

    private init(_ path: String, _ descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// With its name, and not another one that got it.
    private var isThere: Bool {
        var own = stat()
        var named = stat()
        return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0
            && own.st_ino == named.st_ino && own.st_dev == named.st_dev
    }

    /// Files that are open stay readable without their names.
    func remove() {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            unlinkat(descriptor, Self.databaseName + suffix, 0)
        }
        rmdir(path)
    }

    /// - Returns: nil where that is no folder of this user, or another process has it.
    private static func lock(_ path: String) -> Int32? {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func removeLeft(in memory: String) {
        for name in names(in: memory) {
            let path = memory + "/" + name
            guard let descriptor = lock(path) else { continue }
            let left = MemoryFolder(path, descriptor)
            if left.isThere { left.remove() }
        }
    }

    private static func names(in memory: String) -> [String] {
        do {
            return try FolderListing.names(in: memory).filter { $0.hasPrefix(prefix) }
        } catch {
            // Whoever cannot see them removes none.
            return []
        }
    }
}
