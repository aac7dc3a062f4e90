internal import Glibc

/// Small files that are either the old or the new version after any crash.
enum DurableFile {
    /// Writes `path.new` and returns when it is on the disk; `commit` makes it `path`.
    static func stage(_ bytes: [UInt8], for path: String) throws(VaultError) {
        let file = try Descriptor(stagingPath(of: path), O_WRONLY | O_CREAT | O_TRUNC)
        try file.write(bytes)
        try file.synchronize()
    }

    /// Replaces `path` by what was staged, and makes the folder remember it.
    static func commit(_ path: String) throws(VaultError) {
        guard rename(stagingPath(of: path), path) == 0 else { throw .failed("rename", path) }
        try synchronizeFolder(of: path)
    }

    static func replace(_ path: String, with bytes: [UInt8]) throws(VaultError) {
        try stage(bytes, for: path)
        try commit(path)
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
}
