import Arguments

#if canImport(Glibc)
    import Glibc
#endif

/// Puts one database in the place of another, which is kept beside it. Either it is done whole, or
/// what stood there stands there again; where even that fails, the error names every file.
struct DatabaseExchange {
    /// Gives a file another name; 0 where that worked, else `errno` says why not.
    typealias Rename = (_ path: String, _ name: String) -> Int32

    private typealias Move = (from: String, to: String)

    private let database: String
    private let rename: Rename

    init(
        _ database: String, rename: @escaping Rename = { path, name in Glibc.rename(path, name) }
    ) {
        self.database = database
        self.rename = rename
    }

    /// - Parameter incoming: a database that is closed, beside the one that it replaces.
    /// - Returns: what the replaced one is called now; nil where there was none.
    func take(_ incoming: String) throws(Failure) -> String? {
        let name = freeName()
        // The database first: without it nobody takes the log that is left for the new one's.
        let there = ["", "-wal", "-shm"].filter { access(database + $0, F_OK) == 0 }
        let moves: [Move] =
            there.map { (from: database + $0, to: name + $0) } + [(from: incoming, to: database)]
        var done: [Move] = []
        for move in moves {
            guard rename(move.from, move.to) == 0 else {
                let failure = SmallFile.failed("rename", move.from)
                try putBack(done, after: failure)
                throw failure
            }
            done.append(move)
        }
        return there.isEmpty ? nil : name
    }

    private func putBack(_ moves: [Move], after failure: Failure) throws(Failure) {
        for move in moves.reversed() {
            guard rename(move.to, move.from) != 0 else { continue }
            throw Failure(
                .failed,
                failure.sentence + ", and cannot name \(move.to) back to \(move.from)",
                advice: "The database is in \(moves.map(\.to).joined(separator: ", ")). Name it "
                    + "\(moves.map(\.from).joined(separator: ", ")) by hand before a server "
                    + "starts.")
        }
    }

    private func freeName() -> String {
        let first = database + ".before-restore"
        var name = first
        var number = 2
        while access(name, F_OK) == 0 || access(name + "-wal", F_OK) == 0 {
            name = "\(first).\(number)"
            number += 1
        }
        return name
    }
}
