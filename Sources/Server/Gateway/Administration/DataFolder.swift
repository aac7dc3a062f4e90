import Arguments

#if canImport(Glibc)
    import Glibc
#endif

/// The server's folder: database, keys, lock, socket. Mode 0700, its files 0600.
struct DataFolder: Sendable, Equatable {
    var path: String

    init(_ path: String) {
        self.path = path
    }

    /// `--data`, else `$WALKDOWN_DATA`, else the XDG folder for data.
    init(option: String?, environment: (String) -> String?) throws(Failure) {
        if let path = [option, environment("WALKDOWN_DATA")].compactMap(\.self).first {
            self.path = path
        } else if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
            path = data + "/walkdownd"
        } else if let home = environment("HOME") {
            path = home + "/.local/share/walkdownd"
        } else {
            throw Failure(.failed, "where is the data folder?", advice: "Say --data DIR.")
        }
        if path.isEmpty { throw Failure(.usage, "the data folder has no name") }
    }

    func file(_ name: String) -> String { path + "/" + name }

    var database: String { file("server.db") }
    var authority: String { file("ca.pem") }
    var authorityKey: String { file("ca-key.pem") }
    var certificate: String { file("server.pem") }
    var key: String { file("server-key.pem") }
    /// To be moved away; its pin stays in `pins`.
    var backupKey: String { file("backup-key.pem") }
    /// The pins that devices get, one a line: the server's key, the backup key.
    var pins: String { file("pins") }
    var administrator: String { file("administrator.json") }
    var lock: String { file("lock") }
    var socket: String { file("control.sock") }
    /// Names the socket where `socket` would be too long for one.
    var socketPointer: String { file("control") }

    var isThere: Bool { access(database, F_OK) == 0 }

    func requireThere() throws(Failure) {
        guard isThere else {
            // What stood there once is damaged, not absent: a new server would know no device.
            if access(authorityKey, F_OK) == 0 || access(key, F_OK) == 0 {
                throw Failure(
                    .locked, "the database of the server in \(path) is missing",
                    advice:
                        "Bring back server.db from a backup; everything that devices sent is in it."
                )
            }
            throw Failure(
                .failed, "there is no server in \(path)",
                advice: "'walkdownd init --data \(path)' makes one.")
        }
    }
}
