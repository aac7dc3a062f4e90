import Coding

/// A place in a form's JSON: the value, and the path by which errors name it.
///
/// Coding's typed reading serves the wire; a form's errors carry their own codes and its texts
/// their own limits, so the form reads for itself.
struct FormReader {
    let json: JSON
    let path: String

    init(_ json: JSON, at path: String) {
        self.json = json
        self.path = path
    }

    func members() throws(FormError) -> Members {
        guard case .object(let values) = json else {
            throw FormError(.malformed, at: path, "expected an object")
        }
        return Members(values: values, path: path)
    }

    struct Members {
        let values: [String: JSON]
        let path: String

        func place(_ key: String) -> String { path.isEmpty ? key : path + "." + key }

        /// The value of a key; absent and null are the same.
        func value(_ key: String) -> JSON? {
            values[key].flatMap { $0 == .null ? nil : $0 }
        }

        func text(_ key: String) throws(FormError) -> String {
            guard let text = try optionalText(key) else {
                throw FormError(.malformed, at: place(key), "is missing")
            }
            return text
        }

        func optionalText(_ key: String) throws(FormError) -> String? {
            guard let value = value(key) else { return nil }
            guard case .string(let text) = value else {
                throw FormError(.malformed, at: place(key), "expected a string")
            }
            guard text.utf8.count <= FormLimits.textBytes else {
                throw FormError(
                    .tooLarge, at: place(key), "longer than \(FormLimits.textBytes) bytes")
            }
            return text
        }

        /// False where the key is absent.
        func bool(_ key: String) throws(FormError) -> Bool {
            guard let value = value(key) else { return false }
            guard case .bool(let bool) = value else {
                throw FormError(.malformed, at: place(key), "expected true or false")
            }
            return bool
        }

        func integer(_ key: String) throws(FormError) -> Int64? {
            guard let value = value(key) else { return nil }
            guard case .integer(let integer) = value else {
                throw FormError(.malformed, at: place(key), "expected a whole number")
            }
            return integer
        }

        func number(_ key: String) throws(FormError) -> Double? {
            switch value(key) {
            case nil: return nil
            case .integer(let integer): return Double(integer)
            case .double(let double): return double
            default: throw FormError(.malformed, at: place(key), "expected a number")
            }
        }

        func list(_ key: String, atMost limit: Int) throws(FormError) -> [FormReader] {
            guard let list = try optionalList(key, atMost: limit) else {
                throw FormError(.malformed, at: place(key), "is missing")
            }
            return list
        }

        func optionalList(_ key: String, atMost limit: Int) throws(FormError) -> [FormReader]? {
            guard let value = value(key) else { return nil }
            guard case .array(let items) = value else {
                throw FormError(.malformed, at: place(key), "expected a list")
            }
            guard items.count <= limit else {
                throw FormError(.tooLarge, at: place(key), "the list is too long")
            }
            return items.enumerated().map { number, item in
                FormReader(item, at: "\(place(key))[\(number)]")
            }
        }

        func condition(_ key: String) throws(FormError) -> Condition? {
            guard let value = value(key) else { return nil }
            return try Condition(reading: FormReader(value, at: place(key)), depth: 1)
        }
    }
}
