/// Where an answer stands, as people write it: `pump[2]/tag` is the tag of the second pump,
/// `pump[+]/tag` that of a new one.
package struct AnswerAddress: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        /// From 1.
        case number(Int)
        /// A new row at the end.
        case new
    }

    package struct Part: Hashable, Sendable {
        package let name: String
        package let place: Place?
    }

    package let parts: [Part]

    /// Nil for what is no address: an empty part, a place that is neither a number from 1 nor `+`.
    package init?(_ text: String) {
        var parts: [Part] = []
        for word in text.split(separator: "/", omittingEmptySubsequences: false) {
            guard let mark = word.firstIndex(of: "[") else {
                parts.append(Part(name: String(word), place: nil))
                continue
            }
            guard word.last == "]" else { return nil }
            let inside = word[word.index(after: mark)...].dropLast()
            guard let place = Self.place(inside) else { return nil }
            parts.append(Part(name: String(word[..<mark]), place: place))
        }
        guard parts.allSatisfy({ !$0.name.isEmpty }) else { return nil }
        self.parts = parts
    }

    private static func place(_ text: Substring) -> Place? {
        if text == "+" { return .new }
        guard text.utf8.count <= 6, let number = Int(text), number > 0 else { return nil }
        return .number(number)
    }

    /// Without the places.
    package var path: String { parts.map(\.name).joined(separator: "/") }

    /// Up to and with the part of this number, as it was written: which new row is meant.
    package func beginning(through index: Int) -> [Part] { Array(parts[...index]) }
}

extension FormAnswers {
    /// Where an answer or a row stands, as people write it, with the number of each row from 1:
    /// `pump[2]/seal[1]/state`.
    package func address(of key: AnswerKey) -> String {
        var address = key.path
        var next = key.row.flatMap { row($0) }
        // From the innermost row outwards, so that the places before stay where they are.
        while let row = next {
            if let number = number(ofRow: row.id),
                address == row.path || address.hasPrefix(row.path + "/")
            {
                let end = address.index(address.startIndex, offsetBy: row.path.count)
                address.insert(contentsOf: "[\(number)]", at: end)
            }
            next = row.parent.flatMap { self.row($0) }
        }
        return address
    }

    /// A row's place among those of its repeat beside it, from 1.
    package func number(ofRow id: String) -> Int? {
        guard let row = row(id) else { return nil }
        return rows(of: row.path, in: row.parent).firstIndex { $0.id == id }.map { $0 + 1 }
    }
}

extension FormFilling {
    package func address(of key: AnswerKey) -> String { answers.address(of: key) }
}
