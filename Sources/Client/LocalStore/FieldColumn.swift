package import Coding
package import SQLite

extension DatabaseValue {
    package init(_ value: FieldValue) {
        switch value.canonical {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .double(let double): self = .real(double)
        case .string(let string): self = .text(string)
        }
    }
}

extension FieldValue {
    /// Throws where no field can hold what is stored.
    init(stored value: DatabaseValue) throws {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = FieldValue.double(real).canonical
        case .text(let text): self = .string(text)
        case .blob: throw StoreError.damaged("a field holds a blob")
        }
    }
}

extension Row {
    /// A field's value. Throws where the column holds what no field can hold.
    package func fieldValue(_ index: Int) throws -> FieldValue {
        try FieldValue(stored: value(index))
    }
}
