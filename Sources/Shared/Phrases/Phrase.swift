/// What is told to a person: a sentence as it stands in English, and what is put into it. It is written as a
/// literal; what stands in it after a backslash is put in as it is, in whatever language the sentence is told.
///
/// The English sentence is the key of its translations, with `%1`, `%2` and so on where something is put in.
package struct Phrase: ExpressibleByStringInterpolation, Hashable, Sendable {
    package let key: String
    package let arguments: [String]

    package init(key: String, arguments: [String] = []) {
        self.key = key
        self.arguments = arguments
    }

    package init(stringLiteral value: String) { self.init(key: value) }

    package init(stringInterpolation: StringInterpolation) {
        self.init(key: stringInterpolation.key, arguments: stringInterpolation.arguments)
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var key = ""
        fileprivate var arguments: [String] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            key.reserveCapacity(literalCapacity + 2 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { key += literal }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            arguments.append(value.description)
            key += "%\(arguments.count)"
        }
    }

    /// In the language in force.
    package var text: String { text(in: .inForce) }

    package func text(in book: Phrasebook) -> String {
        let sentence = book.sentence(for: key)
        return arguments.isEmpty ? sentence : filled(sentence)
    }

    /// A `%` that no number of an argument follows stands for itself.
    private func filled(_ sentence: String) -> String {
        var text = ""
        var rest = sentence[...]
        while let sign = rest.firstIndex(of: "%") {
            text += rest[..<sign]
            rest = rest[sign...].dropFirst()
            guard let number = rest.first?.wholeNumberValue, (1...arguments.count).contains(number)
            else {
                text += "%"
                continue
            }
            text += arguments[number - 1]
            rest = rest.dropFirst()
        }
        return text + rest
    }
}

/// A sentence in the language in force.
package func say(_ phrase: Phrase) -> String { phrase.text }
