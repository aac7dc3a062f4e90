internal import Glibc
internal import Vault

/// Where the journal's segments stand: the device's disk, or in a test one that fails.
protocol JournalFolder: Sendable {
    /// The files in it, sorted; none where there is no folder.
    func names() throws -> [String]
    func contents(of name: String) throws -> [UInt8]
    /// A new file of zeros, on the disk with its name when this returns. Its blocks are there: what is
    /// written into it later cannot meet a full disk, and reaches the disk without a change of the
    /// file's own record.
    func make(_ name: String, byteCount: Int) throws -> any JournalFile
    func reopen(_ name: String) throws -> any JournalFile
    func rename(_ name: String, to other: String) throws
    func remove(_ name: String) throws
}

protocol JournalFile: AnyObject, Sendable {
    func write(_ bytes: [UInt8], at start: Int) throws
    /// Returns when what was written is on the disk.
    func synchronize() throws
}

/// A folder of mode 0700 with files of mode 0600.
struct DiskJournalFolder: JournalFolder {
    let path: String

    func names() throws -> [String] {
        do throws(VaultError) {
            return try FolderListing.names(in: path)
        } catch {
            throw fault("open", path)
        }
    }

    func contents(of name: String) throws -> [UInt8] {
        let file = try DiskJournalFile(path + "/" + name, O_RDONLY | O_NOFOLLOW)
        return try file.readAll()
    }

    func make(_ name: String, byteCount: Int) throws -> any JournalFile {
        try makeFolder()
        let target = path + "/" + name
        let file = try DiskJournalFile(target, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        do {
            // Written, not reserved: a block that is only reserved costs a change of the file's own
            // record with its first write.
            try file.write([UInt8](repeating: 0, count: byteCount), at: 0)
            try file.synchronizeAll()
            try synchronizeFolder(path)
        } catch {
            // What cannot be removed either is a segment without entries, and read as that.
            unlink(target)
            throw error
        }
        return file
    }

    func reopen(_ name: String) throws -> any JournalFile {
        try DiskJournalFile(path + "/" + name, O_RDWR | O_NOFOLLOW)
    }

    func rename(_ name: String, to other: String) throws {
        guard Glibc.rename(path + "/" + name, path + "/" + other) == 0 else {
            throw fault("rename", path + "/" + name)
        }
        try synchronizeFolder(path)
    }

    func remove(_ name: String) throws {
        guard unlink(path + "/" + name) == 0 || errno == ENOENT else {
            throw fault("remove", path + "/" + name)
        }
    }

    private func makeFolder() throws {
        if mkdir(path, 0o700) == 0 {
            let end = path.lastIndex(of: "/") ?? path.startIndex
            return try synchronizeFolder(String(path[..<end]))
        }
        guard errno == EEXIST else { throw fault("make the folder", path) }
    }

    /// The name of a new file is only safe when its folder is on the disk too.
    private func synchronizeFolder(_ path: String) throws {
        try DiskJournalFile(path, O_RDONLY | O_DIRECTORY).synchronizeAll()
    }

    private func fault(_ operation: String, _ path: String) -> JournalFault {
        .system(operation: operation, path: path, code: errno)
    }
}

final class DiskJournalFile: JournalFile {
    private let descriptor: Int32
    private let path: String

    init(_ path: String, _ flags: Int32) throws {
        descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else {
            throw JournalFault.system(operation: "open", path: path, code: errno)
        }
    }

    deinit {
        // Nothing is lost: whoever must know that the bytes arrived has called `synchronize`.
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ bytes: [UInt8], at start: Int) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map {
                    pwrite(descriptor, $0 + done, bytes.count - done, off_t(start + done))
                } ?? 0
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw fault("write")
            }
            done += count
        }
    }

    func readAll() throws -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw fault("look at") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map {
                    pread(descriptor, $0 + done, buffer.count - done, off_t(done))
                } ?? 0
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw fault("read")
            }
            if count == 0 { break }
            done += count
        }
        return done == bytes.count ? bytes : Array(bytes.prefix(done))
    }

    /// The content (fdatasync(2)).
    func synchronize() throws {
        guard fdatasync(descriptor) == 0 else { throw fault("fdatasync") }
    }

    /// The content and the file's own record (fsync(2)).
    func synchronizeAll() throws {
        guard fsync(descriptor) == 0 else { throw fault("fsync") }
    }

    private func fault(_ operation: String) -> JournalFault {
        .system(operation: operation, path: path, code: errno)
    }
}
