import Coding

/// A place in a form's JSON: the value, and the path by which errors name it.
///
/// Coding's typed reading serves the wire; a form's errors carry their own codes and its texts
/// their own limits, so the form reads for itself.
struct FormReader {
    let json: JSON
    private let base: String
    private let number: Int?

    init(_ json: JSON, at path: String) {
        self.json = json
        base = path
        number = nil
    }

    /// - Parameter number: which element of the list at this place it is, from 0.
    init(_ json: JSON, at list: String, number: Int) {
        self.json = json
        base = list
        self.number = number
    }

    /// Put together when an error asks for it: lists have 50,000 elements and next to no errors.
    var path: String { number.map { "\(base)[\($0)]" } ?? base }

    func members() throws(FormError) -> Members {
        guard case .object(let values) = json else {
            throw FormError(.malformed, at: path, "expected an object")
        }
        return Members(values: values, reader: self)
    }

    struct Members {
        let values: [String: JSON]
        fileprivate let reader: FormReader

        var path: String { reader.path }

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
            let list = place(key)
            return items.enumerated().map { number, item in
                FormReader(item, at: list, number: number)
            }
        }

        /// None where the key is absent.
        func texts(_ key: String) throws(FormError) -> [String] {
            guard let value = value(key) else { return [] }
            return try FormReader(value, at: place(key)).texts()
        }

        /// The members of an object in the order of their keys.
        func objects(_ key: String) throws(FormError) -> [(String, FormReader)] {
            guard let value = value(key) else { return [] }
            guard case .object(let values) = value else {
                throw FormError(.malformed, at: place(key), "expected an object")
            }
            return values.keys.sorted().compactMap { name in
                values[name].map { (name, FormReader($0, at: "\(place(key)).\(name)")) }
            }
        }

        /// An expression as text, or a condition as hand-written forms have it.
        func expression(_ key: String) throws(FormError) -> FormExpression? {
            guard let value = value(key) else { return nil }
            if case .string(let text) = value { return try expression(text, at: place(key)) }
            let reader = FormReader(value, at: place(key))
            return try expression(try ConditionReading.text(of: reader), at: place(key))
        }

        /// `true`, `false`, or when.
        func requirement(_ key: String) throws(FormError) -> FormExpression? {
            if case .bool(let isRequired) = value(key) { return isRequired ? .always : nil }
            return try expression(key)
        }

        private func expression(
            _ text: String, at place: String
        ) throws(FormError) -> FormExpression {
            do throws(ExpressionError) {
                return try FormExpression(text)
            } catch {
                throw FormError(.badCondition, at: place, error.description)
            }
        }

        /// Nil where the key is absent or nothing is left of the text.
        func formText(_ key: String) throws(FormError) -> FormText? {
            guard let value = value(key) else { return nil }
            var text: FormText
            if case .string(let plain) = value, plain.utf8.count <= FormLimits.textBytes {
                text = FormText(plain)
            } else if case .object(let members) = value, members["text"] != nil {
                let reader = try FormReader(value, at: place(key)).members()
                var translations: [String: [FormText.Part]] = [:]
                for (language, translation) in try reader.objects("in") {
                    translations[language] = try parts(translation)
                }
                text = FormText(
                    try parts(FormReader(members["text"] ?? .null, at: reader.place("text"))),
                    translations: translations)
            } else {
                text = FormText(try parts(FormReader(value, at: place(key))))
            }
            return text.isBlank ? nil : text
        }

        private func parts(_ reader: FormReader) throws(FormError) -> [FormText.Part] {
            guard case .array(let items) = reader.json else {
                return [.plain(try reader.text())]
            }
            guard items.count <= FormLimits.textParts else {
                throw FormError(
                    .tooLarge, at: reader.path, "more than \(FormLimits.textParts) parts")
            }
            var parts: [FormText.Part] = []
            for (number, item) in items.enumerated() {
                let place = "\(reader.path)[\(number)]"
                if case .object(let members) = item, case .string(let text) = members["value"] {
                    parts.append(.value(try expression(text, at: place)))
                } else {
                    parts.append(.plain(try FormReader(item, at: place).text()))
                }
            }
            return parts
        }
    }

    func text() throws(FormError) -> String {
        guard case .string(let text) = json else {
            throw FormError(.malformed, at: path, "expected a string")
        }
        guard text.utf8.count <= FormLimits.textBytes else {
            throw FormError(.tooLarge, at: path, "longer than \(FormLimits.textBytes) bytes")
        }
        return text
    }

    func texts() throws(FormError) -> [String] {
        guard case .array(let items) = json else {
            throw FormError(.malformed, at: path, "expected a list of strings")
        }
        guard items.count <= FormLimits.instanceNodes else {
            throw FormError(.tooLarge, at: path, "the list is too long")
        }
        var texts: [String] = []
        for (number, item) in items.enumerated() {
            texts.append(try text(of: item, number: number))
        }
        return texts
    }

    private func text(of item: JSON, number: Int) throws(FormError) -> String {
        guard case .string(let text) = item, text.utf8.count <= FormLimits.textBytes else {
            return try FormReader(item, at: "\(path)[\(number)]").text()
        }
        return text
    }
}
