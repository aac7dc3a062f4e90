internal import Forms

/// Whether a default is worked out or stands as it is written, as pyxform tells it: by the words it
/// falls into. What names a question, calls a function or reckons with `+`, `-`, `*`, `div`, `mod` or
/// `|` is worked out.
///
/// A hyphen within a word or before a number reckons nothing; and where a hyphen stands in days and
/// positions of old, as `3 - 4 - 2026`, the default is one.
struct DefaultScan {
    private var rest: Substring
    private let hasHyphens: Bool

    /// - Parameter type: of the question, in the words of a bind.
    static func isDynamic(_ text: String, type: String?) -> Bool {
        guard text.utf8.count <= ExpressionScan.longest, !isMoment(text) else { return false }
        var scan = DefaultScan(
            rest: text[...],
            hasHyphens: ["date", "dateTime", "geopoint", "geotrace", "geoshape"].contains(type))
        while !scan.rest.isEmpty {
            if let isDynamic = scan.next() { return isDynamic }
        }
        return false
    }

    /// Takes one word. Nil while it decides nothing.
    private mutating func next() -> Bool? {
        if takeNumber() { return nil }
        guard let first = rest.first else { return nil }
        switch first {
        case "*", "+", "|": return true
        case "-":
            if hasHyphens { return false }
            return true
        case "\"", "'":
            rest.removeFirst()
            if let close = rest.firstIndex(of: first) { rest = rest[rest.index(after: close)...] }
        case "$":
            rest.removeFirst()
            if takesReference() { return true }
        case " ":
            if rest.hasPrefix(" mod ") || rest.hasPrefix(" div ") { return true }
            rest.removeFirst()
        case _ where Self.beginsName(first): return takeName() ? true : nil
        default: rest.removeFirst()
        }
        return nil
    }

    /// `12`, `-1.5`; days and times fall into such.
    private mutating func takeNumber() -> Bool {
        var number = rest
        if number.first == "-" { number.removeFirst() }
        let digits = number.prefix(while: Self.isDigit)
        number = number.dropFirst(digits.count)
        if number.first == "." {
            let fraction = number.dropFirst().prefix(while: Self.isDigit)
            guard !digits.isEmpty || !fraction.isEmpty else { return false }
            number = number.dropFirst(1 + fraction.count)
        } else if digits.isEmpty {
            return false
        }
        rest = number
        return true
    }

    /// - Returns: whether it is the name of a function that is called.
    private mutating func takeName() -> Bool {
        takeWord()
        if rest.first == ":", let second = rest.dropFirst().first, Self.beginsName(second) {
            rest.removeFirst()
            takeWord()
        }
        return rest.first == "("
    }

    private mutating func takeWord() {
        rest = rest.drop(while: ExpressionScan.isNameCharacter)
    }

    private static func isMoment(_ text: String) -> Bool {
        CivilDate(text) != nil || PointInTime(text) != nil || TimeOfDay(text) != nil
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }

    private static func beginsName(_ character: Character) -> Bool {
        character == "_" || character.isLetter
    }

    /// `{name}` or `{last-saved#name}`
    private mutating func takesReference() -> Bool {
        guard rest.first == "{" else { return false }
        rest.removeFirst()
        if rest.hasPrefix("last-saved#") { rest = rest.dropFirst("last-saved#".count) }
        guard let first = rest.first, Self.beginsName(first) else { return false }
        takeWord()
        return rest.first == "}"
    }
}
