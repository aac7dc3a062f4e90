internal import Glibc

/// A small text in the home that a person writes too, and may keep elsewhere: the home has a link then.
package enum SettingsFile {
    /// Replaces the file, or makes it, for its owner alone; where it is a link, what that leads to. After
    /// any crash it is the old or the new one.
    package static func replace(_ path: String, with text: String) throws(VaultError) {
        let target = try destination(of: path)
        // A name that nobody else gives: it may stand among a person's own files.
        let parts = target.split(separator: "/", omittingEmptySubsequences: false)
        let staging = (parts.dropLast() + [".\(parts.last ?? "").walkdown"]).joined(separator: "/")
        do {
            // What a crash has left may be open to others.
            try DurableFile.remove(staging)
            try DurableFile.stage(Array(text.utf8), at: staging)
            try DurableFile.commit(target, from: staging)
        } catch {
            unlink(staging)
            throw error
        }
    }

    /// - Returns: at most `limit` bytes; nil where there is no file.
    package static func read(_ path: String, limit: Int) throws(VaultError) -> [UInt8]? {
        guard DurableFile.exists(path) else { return nil }
        // What nobody writes into would else be waited for.
        let file = try Descriptor(path, O_RDONLY | O_NONBLOCK)
        guard try file.status().st_mode & S_IFMT == S_IFREG else {
            throw .system(operation: "read", path: path, code: EINVAL)
        }
        return try file.readAll(limit: limit)
    }

    /// More links in a row are a ring, as for open(2).
    private static let mostLinks = 40

    /// Where a file stands, or would.
    private static func destination(of path: String) throws(VaultError) -> String {
        var path = path
        for _ in 0...mostLinks {
            guard let next = link(at: path) else { return path }
            let end = path.lastIndex(of: "/")
            let folder = end.map { String(path[...$0]) } ?? ""
            path = next.hasPrefix("/") ? next : folder + next
        }
        throw .system(operation: "follow", path: path, code: ELOOP)
    }

    /// Nil for what is no link, or not there.
    private static func link(at path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return bytes.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) }
    }
}
