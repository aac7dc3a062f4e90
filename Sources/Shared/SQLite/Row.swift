internal import CSQLite

/// The row under a running statement. Valid inside the closure that received it and nowhere else.
package struct Row {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    package var count: Int { Int(sqlite3_column_count(handle)) }

    package var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { index in
            sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
        }
    }

    package var values: [DatabaseValue] { (0..<count).map { value($0) } }

    package func isNull(_ index: Int) -> Bool { type(index) == SQLITE_NULL }

    package func value(_ index: Int) -> DatabaseValue {
        switch type(index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, Int32(index)))
        case SQLITE_FLOAT: .real(sqlite3_column_double(handle, Int32(index)))
        case SQLITE_TEXT: .text(storedText(index))
        case SQLITE_BLOB: .blob(storedBlob(index))
        default: .null
        }
    }

    /// - Throws: `columnType` where the stored value is no integer; a damaged file must not crash.
    package func integer(_ index: Int) throws(SQLiteError) -> Int64 {
        try expect(SQLITE_INTEGER, at: index)
        return sqlite3_column_int64(handle, Int32(index))
    }

    package func real(_ index: Int) throws(SQLiteError) -> Double {
        if type(index) == SQLITE_INTEGER { return Double(try integer(index)) }
        try expect(SQLITE_FLOAT, at: index)
        return sqlite3_column_double(handle, Int32(index))
    }

    package func text(_ index: Int) throws(SQLiteError) -> String {
        try expect(SQLITE_TEXT, at: index)
        return storedText(index)
    }

    package func blob(_ index: Int) throws(SQLiteError) -> [UInt8] {
        try expect(SQLITE_BLOB, at: index)
        return storedBlob(index)
    }

    package func optionalInteger(_ index: Int) throws(SQLiteError) -> Int64? {
        isNull(index) ? nil : try integer(index)
    }

    package func optionalText(_ index: Int) throws(SQLiteError) -> String? {
        isNull(index) ? nil : try text(index)
    }

    package func flag(_ index: Int) throws(SQLiteError) -> Bool { try integer(index) != 0 }

    private func type(_ index: Int) -> Int32 { sqlite3_column_type(handle, Int32(index)) }

    private func storedText(_ index: Int) -> String {
        // "The safest policy is to invoke sqlite3_column_text() followed by sqlite3_column_bytes()".
        let bytes = UnsafeRawPointer(sqlite3_column_text(handle, Int32(index)))
        let count = Int(sqlite3_column_bytes(handle, Int32(index)))
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    private func storedBlob(_ index: Int) -> [UInt8] {
        let bytes = sqlite3_column_blob(handle, Int32(index))
        let count = Int(sqlite3_column_bytes(handle, Int32(index)))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    private func expect(_ expected: Int32, at index: Int) throws(SQLiteError) {
        let found = type(index)
        guard found != expected else { return }
        let column = sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? ""
        throw SQLiteError(
            .columnType, "column \(index) (\(column)) holds storage class \(found), not \(expected)"
        )
    }
}
