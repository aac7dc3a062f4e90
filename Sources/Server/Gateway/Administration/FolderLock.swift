import Arguments

#if canImport(Glibc)
    import Glibc
#endif

/// The right to write a data folder: `flock` on its lock file, which holds the process's number.
/// The kernel lets go when the process ends, however it ends.
final class FolderLock {
    private let descriptor: Int32

    /// - Throws: exit 6 with the holder's number when another process has it.
    init(_ folder: DataFolder) throws(Failure) {
        // Kept in the property only when it is ours: an initializer that throws after that runs
        // deinit too, which would close the number that another thread has been given by then.
        let opened = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else { throw SmallFile.failed("open", folder.lock) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.holder(opened)
            close(opened)
            throw Failure(
                .locked, "\(folder.path) is held by another process\(holder)",
                advice: "Is a server starting or stopping there? Try again in a moment.")
        }
        descriptor = opened
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, text, text.count, 0)
    }

    private static func holder(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let digits = buffer.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
        return digits.isEmpty ? "" : " (pid \(String(decoding: digits, as: UTF8.self)))"
    }

    deinit { close(descriptor) }
}
