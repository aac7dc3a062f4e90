extension Connection {
    /// Everything that is wrong with the file, one line each; empty where nothing is. Reads all
    /// rows of the check: the first alone would hide how far the damage goes (V04).
    package func integrityProblems(limit: Int = 10_000) throws -> [String] {
        try problems("integrity_check(\(limit))")
            // Unknown to SQLCipher 3 and to plain SQLite, which answer with no row.
            + problems("cipher_integrity_check") + foreignKeyProblems()
    }

    /// The pages that this connection keeps in memory are read again when they are wanted: what a passing
    /// fault of disk or cipher left in them is not believed any longer.
    package func forgetPages() throws(SQLiteError) {
        precondition(!isInTransaction, "pages of an open transaction may stand nowhere else")
        try execute("PRAGMA shrink_memory")
    }

    private func problems(_ pragma: String) throws -> [String] {
        try query("PRAGMA \(pragma)") { try $0.text(0) }.filter { $0 != "ok" }
    }

    private func foreignKeyProblems() throws -> [String] {
        try query("PRAGMA foreign_key_check") { row in
            "a row of \(try row.text(0)) refers to a missing row of \(try row.text(2))"
        }
    }
}
