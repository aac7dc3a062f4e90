internal import CSQLite
internal import Glibc

/// Makes a database under a working name and gives it its own only when it is whole: a crash or an
/// error on the way leaves nothing that the next try would take for a database (V07).
struct Creation {
    var path: String
    var key: UnsafeRawBufferPointer?
    var busyTimeout: Int32

    private var working: String { path + ".new" }

    func perform(_ prepare: (Connection) throws -> Void) throws {
        try requireFreePath()
        try removeWorkingFiles()
        do {
            try makeFile()
            try fill(prepare)
            try name()
        } catch {
            try removeWorkingFiles()
            throw error
        }
    }

    private func requireFreePath() throws(SQLiteError) {
        // A log without its database: one stood here, and the log may hold what it had not.
        for suffix in ["", "-wal", "-journal"] where access(path + suffix, F_OK) == 0 {
            throw SQLiteError(.exists, "a database stands at \(path) already")
        }
    }

    /// An empty file with mode 0600; SQLite gives its log and index the mode of the file.
    private func makeFile() throws(SQLiteError) {
        let descriptor = Glibc.open(working, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw systemError("cannot make", working) }
        guard Glibc.close(descriptor) == 0 else { throw systemError("cannot make", working) }
    }

    private func fill(_ prepare: (Connection) throws -> Void) throws {
        let connection = try Connection.attempt(
            working, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, key: key,
            busyTimeout: busyTimeout)
        do {
            try prepare(connection)
            try connection.checkpoint(.truncate)
        } catch {
            try connection.close()
            throw error
        }
        try connection.close()
    }

    private func name() throws {
        try synchronise(working)
        // link, not rename: it refuses where a file of that name appeared meanwhile.
        guard link(working, path) == 0 else {
            if errno == EEXIST {
                throw SQLiteError(.exists, "a database stands at \(path) already")
            }
            throw systemError("cannot name", path)
        }
        try removeWorkingFiles()
        try synchronise(folder)
    }

    private func removeWorkingFiles() throws(SQLiteError) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            guard unlink(working + suffix) == 0 || errno == ENOENT else {
                throw systemError("cannot remove", working + suffix)
            }
        }
    }

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func synchronise(_ path: String) throws(SQLiteError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError("cannot open", path) }
        let result = fsync(descriptor)
        let code = errno
        // Opened for reading: closing it has no data left to lose.
        _ = Glibc.close(descriptor)
        guard result == 0 else { throw SQLiteError(.system(code), "cannot write \(path) to disk") }
    }

    private func systemError(_ what: String, _ path: String) -> SQLiteError {
        SQLiteError(.system(errno), "\(what) \(path)")
    }
}
