internal import Coding
internal import SQLite

extension DatabaseValue {
    /// A field's value keeps its storage class: the columns have no type that would convert it.
    init(_ value: FieldValue) {
        switch value.canonical {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .double(let double): self = .real(double)
        case .string(let text): self = .text(text)
        }
    }
}

extension Row {
    func fieldValue(_ index: Int) throws -> FieldValue {
        switch value(index) {
        case .null: return .null
        case .integer(let integer): return .integer(integer)
        case .real(let double): return try FieldValue(number: double)
        case .text(let text): return .string(text)
        case .blob: return try .string(text(index))
        }
    }
}
