import Testing

/// What the SQL of the two stores keeps away from, because engines in the field have broken over it.
/// `RawSQL.swift` is left out of what names functions: it lists what a person's statement may not
/// call.
@Suite("SQL rules")
struct SQLRules {
    // Not in the attribute itself: Swift 6.0.3 crashes on a closure among a test's arguments.
    static let files = HouseRules.sources.filter {
        ["LocalStore", "ServerStore", "SQLite"].contains($0.module)
    }

    /// Line numbers (from 1) where a string holds one of these words, in whatever case.
    private static func uses(_ words: [String], in file: SourceFile) -> [Int] {
        file.lines.indices.filter { index in
            let line = file.lines[index].lowercased()
            guard !file.lines[index].trimmed.hasPrefix("//") else { return false }
            let code = file.codeLines[index].lowercased()
            return words.contains { line.contains($0) && !code.contains($0) }
        }.map { $0 + 1 }
    }

    @Test(
        "V17 no virtual table, no search index, no formatting of texts and no library",
        arguments: files)
    func plainSQL(file: SourceFile) {
        guard !file.path.hasSuffix("/RawSQL.swift") else { return }
        let words = [
            "virtual table", "using fts", "rtree", "printf(", "format(", "load_extension",
            "fts3", "fts5",
        ]
        #expect(Self.uses(words, in: file) == [], "\(file.path)")
    }

    @Test("V14 a savepoint stands in one place of the stores, so that none stands in another")
    func savepoints() {
        let callers = Self.files.filter { file in
            !file.lineNumbers { $0.contains(".savepoint(") }.isEmpty
        }
        #expect(callers.map(\.path) == ["Sources/Server/ServerStore/SQLite/WriteSession.swift"])
        let speakers = Self.files.filter { !Self.uses(["savepoint "], in: $0).isEmpty }
        #expect(speakers.map(\.path) == ["Sources/Shared/SQLite/Transactions.swift"])
    }

    @Test("T97 a transaction begins in one place, and one that writes takes the lock at once")
    func transactions() {
        let speakers = Self.files.filter {
            !Self.uses(["begin immediate", "begin deferred", "begin transaction"], in: $0).isEmpty
        }
        #expect(speakers.map(\.path) == ["Sources/Shared/SQLite/Transactions.swift"])
        let deferred = Self.files.filter { file in
            !file.lineNumbers { $0.contains("transaction(.deferred)") }.isEmpty
        }
        #expect(deferred.map(\.path) == ["Sources/Shared/SQLite/SerialDatabase.swift"])
    }
}
