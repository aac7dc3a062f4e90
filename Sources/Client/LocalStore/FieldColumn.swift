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

extension Row {
    /// A field's value. Throws where the column holds what no field can hold.
    package func fieldValue(_ index: Int) throws -> FieldValue {
        switch value(index) {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): FieldValue.double(real).canonical
        case .text(let text): .string(text)
        case .blob: throw StoreError.damaged("a field holds a blob")
        }
    }
}
