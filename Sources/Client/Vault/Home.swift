internal import Glibc

/// The folder that holds everything this device knows: `walkdown.db` (with `-wal` and `-shm`),
/// `journal/`, `vault.json` with its copy, `tries` and `lock`. Folders of mode 0700; files in them 0600.
package struct Home: Sendable, Equatable {
    package let directory: String

    package init(_ directory: String) {
        self.directory = directory
    }

    /// `--home`, else `$WALKDOWN_HOME`, else the XDG data folder (freedesktop.org base directory
    /// specification: `$XDG_DATA_HOME` counts only when it is absolute).
    package static func locate(
        option: String?, environment: [String: String]
    ) throws(VaultError) -> Home {
        if let option, !option.isEmpty { return Home(option) }
        if let named = environment["WALKDOWN_HOME"], !named.isEmpty { return Home(named) }
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return Home(data + "/walkdown")
        }
        guard let user = environment["HOME"], user.hasPrefix("/") else {
            throw .system(operation: "find the home of", path: "walkdown", code: ENOENT)
        }
        return Home(user + "/.local/share/walkdown")
    }

    package var database: String { directory + "/walkdown.db" }
    package var vault: String { directory + "/vault.json" }
    /// The same once more, for the day on which the first is damaged.
    package var vaultCopy: String { directory + "/vault.copy.json" }
    package var lock: String { directory + "/lock" }
    /// The folder of the second copy of what waits to be sent.
    package var journal: String { directory + "/journal" }
    var tries: String { directory + "/tries" }

    /// The copy is only ever made of a vault that stood.
    package var isEnrolled: Bool { DurableFile.exists(vault) || DurableFile.exists(vaultCopy) }

    /// What stands here of a device that was enrolled: the database, else the journal; nil where there is
    /// neither, or an enrolment was begun and not finished.
    package func leftover() throws(VaultError) -> String? {
        guard !VaultFiles.isBegun(in: self) else { return nil }
        if DurableFile.exists(database) { return database }
        return try FolderListing.names(in: journal).isEmpty ? nil : journal
    }

    /// Makes the folder with its parents where it is missing, and closes it to other people.
    package func prepare() throws(VaultError) {
        try makeFolders()
        let folder = try Descriptor(directory, O_RDONLY | O_DIRECTORY)
        guard try folder.status().st_mode & 0o077 != 0 else { return }
        guard fchmod(folder.raw, 0o700) == 0 else { throw .failed("close to others", directory) }
    }

    private func makeFolders() throws(VaultError) {
        var path = directory.hasPrefix("/") ? "/" : ""
        for name in directory.split(separator: "/") {
            path += (path.isEmpty || path.hasSuffix("/") ? "" : "/") + name
            guard mkdir(path, 0o700) == 0 || errno == EEXIST || DurableFile.exists(path) else {
                throw .failed("make the folder", path)
            }
        }
    }
}

extension Home {
    /// The home itself or files in it that other people may read or write.
    package func filesOpenToOthers() throws(VaultError) -> [String] {
        let inside = [
            database, database + "-wal", database + "-shm", vault, vaultCopy, lock, tries, journal,
        ].filter(DurableFile.exists)
        let segments = try FolderListing.names(in: journal).map { journal + "/" + $0 }
            .filter(DurableFile.exists)
        var found: [String] = []
        for path in [directory] + inside + segments {
            let mode = try Descriptor(path, O_RDONLY).status().st_mode
            if mode & 0o077 != 0 { found.append(path) }
        }
        return found
    }
}
