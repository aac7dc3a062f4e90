internal import Arguments
internal import CSystem
internal import Glibc
internal import Replication

/// A new file on a medium that may be pulled out at any time, or be full. It is written beside its
/// name and gets it when all of it is on the medium: without link(2), which FAT does not have.
struct BundleFile: ~Copyable {
    /// The calls that fail when a medium goes away; what tests replace.
    struct Calls {
        var write: (Int32, UnsafeRawPointer?, Int) -> Int = { Glibc.write($0, $1, $2) }
        var synchronize: (Int32) -> Int32 = { fsync($0) }
    }

    let path: String
    private(set) var byteCount = 0
    private let descriptor: Int32
    private let calls: Calls
    private var stands = false

    private var working: String { path + ".part" }

    /// - Throws: where something stands under that name, which is never touched.
    init(_ path: String, calls: Calls = Calls()) throws(Failure) {
        descriptor = try Self.emptyWorkingFile(of: path)
        self.path = path
        self.calls = calls
    }

    private static func emptyWorkingFile(of path: String) throws(Failure) -> Int32 {
        guard access(path, F_OK) != 0 else { throw occupied(path) }
        let working = path + ".part"
        let descriptor = open(working, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failed(path, errno) }
        guard isOurs(descriptor) else {
            close(descriptor)
            throw Failure(
                .failed, "\(working) is there already, and is no bundle; nothing was written",
                advice: "Choose another name.")
        }
        guard ftruncate(descriptor, 0) == 0 else {
            let code = errno
            close(descriptor)
            throw failed(path, code)
        }
        return descriptor
    }

    deinit {
        close(descriptor)
        // Where the medium is gone, what is left on it has no end mark and is never read.
        if !stands { unlink(path + ".part") }
    }

    /// What an interrupted copy has left may be written over, and nothing else.
    private static func isOurs(_ descriptor: Int32) -> Bool {
        var start = [UInt8](repeating: 0, count: BundleHeader.magic.count)
        let count = pread(descriptor, &start, start.count, 0)
        return count >= 0 && start.prefix(count).elementsEqual(BundleHeader.magic.prefix(count))
    }

    mutating func write(_ bytes: [UInt8]) throws(Failure) {
        guard byteCount + bytes.count <= BundleWriter.mostBytes else {
            throw Failure(
                .failed, "more waits than a bundle takes (\(BundleWriter.mostBytes >> 20) MiB)",
                advice: "Nothing was written. 'walkdown sync' has no such bound.")
        }
        let (target, write) = (descriptor, calls.write)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(target, buffer.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failed(path, count == 0 ? ENOSPC : errno) }
            done += count
        }
        byteCount += bytes.count
    }

    /// Returns when the file stands under its name on the medium.
    mutating func finish() throws(Failure) {
        guard calls.synchronize(descriptor) == 0 else { throw Self.failed(path, errno) }
        guard renameOverNothing() else {
            throw errno == EEXIST ? Self.occupied(path) : Self.failed(path, errno)
        }
        stands = true
        // Some file systems of sticks cannot synchronise a folder; the file itself is there.
        let end = path.lastIndex(of: "/").map { path[...$0] } ?? "./"
        let folder = open(String(end), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failed(path, errno) }
        defer { close(folder) }
        guard fsync(folder) == 0 || errno == EINVAL || errno == ENOSYS else {
            throw Self.failed(path, errno)
        }
    }

    /// With `errno` where it says no.
    private func renameOverNothing() -> Bool {
        if walkdown_rename_new(working, path) == 0 { return true }
        guard errno == EINVAL || errno == ENOSYS else { return false }
        // A file system that cannot promise it: looked at once more, just before.
        guard access(path, F_OK) != 0 else {
            errno = EEXIST
            return false
        }
        return rename(working, path) == 0
    }

    private static func occupied(_ path: String) -> Failure {
        Failure(
            .failed, "\(path) is there already; nothing was written", advice: "Choose another name."
        )
    }

    private static func failed(_ path: String, _ code: Int32) -> Failure {
        let advice = "Nothing of it counts, and everything is still on this device."
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            return Failure(.failed, "there is no room for \(path)", advice: advice)
        case EIO, ENODEV, ENXIO:
            return Failure(
                .failed, "\(path) could not be written to its end: was it pulled out?",
                advice: advice)
        default:
            return Failure(
                .failed, "cannot write \(path): \(String(cString: strerror(code)))", advice: advice)
        }
    }
}
