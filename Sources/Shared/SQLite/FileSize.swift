/// What a database takes on the disk.
package struct FileSize: Sendable, Equatable {
    /// Of the file, without its log.
    package var bytes: Int64
    /// Of the pages in it that hold nothing.
    package var freeBytes: Int64
}

extension Connection {
    package func fileSize() throws -> FileSize {
        let page = try number(ofPragma: "page_size")
        return FileSize(
            bytes: try number(ofPragma: "page_count") * page,
            freeBytes: try freePages() * page)
    }

    package func freePages() throws -> Int64 { try number(ofPragma: "freelist_count") }

    private func number(ofPragma name: String) throws -> Int64 {
        switch try pragma(name) {
        case .integer(let number): return number
        // So answers SQLCipher 4 where it is asked for the size of a page.
        case .text(let digits):
            if let number = Int64(digits) { return number }
        default: break
        }
        throw SQLiteError(.pragma, "PRAGMA \(name) answers with no number")
    }
}
