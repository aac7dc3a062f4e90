internal import Glibc

package enum FolderListing {
    /// The files in a folder, sorted; none where there is no folder.
    package static func names(in path: String) throws(VaultError) -> [String] {
        guard let folder = opendir(path) else {
            guard errno == ENOENT else { throw .failed("open", path) }
            return []
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
