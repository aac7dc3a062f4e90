internal import CSQLite

/// One value in one of SQLite's five storage classes.
package enum DatabaseValue: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    package init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
    package init(_ integer: Int) { self = .integer(Int64(integer)) }
    package init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}

/// Equal as SQLite's `IS` says it within a storage class: texts by their bytes, unlike `String`, which
/// takes two spellings of one character for the same.
extension DatabaseValue: Hashable {
    package static func == (left: DatabaseValue, right: DatabaseValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.blob(let left), .blob(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value)
        case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .blob(let value): hasher.combine(value)
        }
    }
}

extension DatabaseValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .real(value) }
    package init(nilLiteral: ()) { self = .null }
}

extension DatabaseValue {
    /// Copies what SQLite passes to a function of ours.
    init(argument pointer: OpaquePointer?) {
        switch sqlite3_value_type(pointer) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(pointer))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(pointer))
        case SQLITE_TEXT:
            // "sqlite3_value_bytes … call the text or blob routine first": the order matters.
            let bytes = UnsafeRawPointer(sqlite3_value_text(pointer))
            let count = Int(sqlite3_value_bytes(pointer))
            let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
            self = .text(String(decoding: buffer, as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = sqlite3_value_blob(pointer)
            let count = Int(sqlite3_value_bytes(pointer))
            self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
        default: self = .null
        }
    }

    /// Hands the value to SQLite as the result of a function of ours.
    func setResult(of context: OpaquePointer?) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    walkdown_sqlite_result_text(context, $0.baseAddress, Int32($0.count))
                }
            }
        case .blob(let value):
            value.withUnsafeBytes {
                walkdown_sqlite_result_blob(context, $0.baseAddress, Int32($0.count))
            }
        }
    }
}
