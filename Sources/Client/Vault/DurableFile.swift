internal import Glibc

/// Small files that are either the old or the new version after any crash.
enum DurableFile {
    /// Writes `path.new` and returns when it is on the disk; `commit` makes it `path`. What was
    /// staged before is overwritten in place, which a disk that has filled up meanwhile still takes.
    static func stage(_ bytes: [UInt8], for path: String) throws(VaultError) {
        try stage(bytes, at: stagingPath(of: path))
    }

    static func stage(_ bytes: [UInt8], at staging: String) throws(VaultError) {
        let file = try Descriptor(staging, O_WRONLY | O_CREAT)
        try file.write(bytes)
        try file.truncate(to: bytes.count)
        try file.synchronize()
    }

    /// Replaces `path` by what was staged, and makes the folder remember it.
    static func commit(_ path: String) throws(VaultError) {
        try commit(path, from: stagingPath(of: path))
    }

    static func commit(_ path: String, from staging: String) throws(VaultError) {
        guard rename(staging, path) == 0 else { throw .failed("rename", path) }
        try synchronizeFolder(of: path)
    }

    /// Replaces a file, or makes it, and overwrites what it held: content that only loses its name stays
    /// on the disk until something else needs the place. (A medium that writes elsewhere each time, as
    /// flash does beneath its controller, keeps a copy all the same.) Where it throws, nothing of the
    /// new content is left beside the file.
    ///
    /// - Parameter work: done when the new content is on the disk and the old still has the name.
    /// - Returns: false where the new content stands and the old could not be overwritten.
    static func replaceErasing(
        _ path: String, with bytes: [UInt8],
        onceStaged work: () throws(VaultError) -> Void = { () throws(VaultError) in }
    ) throws(VaultError) -> Bool {
        let isThere = exists(path)
        let old: Descriptor
        do {
            old = try Descriptor(path, O_RDWR)
        } catch {
            // Missing, or so damaged that only its name can be taken.
            try replace(path, with: bytes, onceStaged: work)
            return !isThere
        }
        try replace(path, with: bytes, onceStaged: work)
        return overwrite(old)
    }

    private static func replace(
        _ path: String, with bytes: [UInt8], onceStaged work: () throws(VaultError) -> Void
    ) throws(VaultError) {
        do {
            try stage(bytes, for: path)
            try work()
            try commit(path)
        } catch {
            _ = eraseStaged(for: path)
            throw error
        }
    }

    /// - Returns: false where that could not be done.
    private static func overwrite(_ file: borrowing Descriptor) -> Bool {
        do {
            try file.write([UInt8](repeating: 0, count: Int(file.status().st_size)))
            try file.synchronize()
            return true
        } catch {
            return false
        }
    }

    /// Replaces a file by these bytes, or makes it.
    static func write(_ bytes: [UInt8], to path: String) throws(VaultError) {
        try stage(bytes, for: path)
        try commit(path)
    }

    /// Overwrites what a file held and removes it, where it is there. It is gone from the folder on the
    /// disk when this returns.
    ///
    /// - Returns: false where it is gone and its content could not be overwritten.
    static func erase(_ path: String) throws(VaultError) -> Bool {
        guard exists(path) else { return true }
        let isErased: Bool
        do {
            isErased = overwrite(try Descriptor(path, O_RDWR))
        } catch {
            isErased = false
        }
        try remove(path)
        try synchronizeFolder(of: path)
        return isErased
    }

    /// Overwrites and removes what was staged and will not be committed.
    ///
    /// - Returns: false where it is still there, or on the disk without a name.
    static func eraseStaged(for path: String) -> Bool {
        do {
            return try erase(stagingPath(of: path))
        } catch {
            return false
        }
    }

    static func stagingPath(of path: String) -> String { path + ".new" }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The name of a new file is only safe when its folder is on the disk too.
    static func synchronizeFolder(of path: String) throws(VaultError) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let folder = end == path.startIndex ? "." : String(path[..<end])
        try Descriptor(folder, O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// Removes a file if it is there.
    static func remove(_ path: String) throws(VaultError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .failed("remove", path) }
    }

    /// Removes a folder of files if it is there.
    static func removeFolder(_ path: String) throws(VaultError) {
        for name in try FolderListing.names(in: path) { try remove(path + "/" + name) }
        guard rmdir(path) == 0 || errno == ENOENT else { throw .failed("remove", path) }
    }
}
