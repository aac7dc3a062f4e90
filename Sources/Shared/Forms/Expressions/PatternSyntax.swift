/// A regular expression as a tree.
indirect enum PatternTree: Equatable {
    case empty
    case scalars(ScalarSet)
    case sequence([PatternTree])
    case choice([PatternTree])
    /// `most` is nil where there is no limit.
    case repeated(PatternTree, least: Int, most: Int?)
    case assertion(Assertion)
    /// `(?=…)`, or `(?!…)` when it must not follow.
    case ahead(PatternTree, expected: Bool)

    enum Assertion: Equatable {
        case start, end, wordBoundary, noWordBoundary
    }
}

/// A set of characters, as `[a-z\d]`, `.` or a single letter.
struct ScalarSet: Equatable {
    var ranges: [ClosedRange<UInt32>] = []
    var classes: [CharacterClass] = []
    var isNegated = false
    var ignoresCase = false

    struct CharacterClass: Equatable {
        let kind: Kind
        let isNegated: Bool
    }

    enum Kind: Equatable {
        case digit, word, blank
        case letter, upperCase, lowerCase, number, punctuation, symbol, separator, mark
    }

    static func only(_ scalar: Unicode.Scalar, ignoringCase: Bool) -> ScalarSet {
        ScalarSet(ranges: [scalar.value...scalar.value], ignoresCase: ignoringCase)
    }

    /// All but the ends of lines.
    static let dot = ScalarSet(
        ranges: [0x0A...0x0A, 0x0D...0x0D, 0x85...0x85, 0x2028...0x2029], isNegated: true)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        guard ignoresCase else { return containsExactly(scalar) != isNegated }
        let found =
            containsExactly(scalar)
            || Self.folded(scalar, \.lowercaseMapping).map(containsExactly)
                ?? false
            || Self.folded(scalar, \.uppercaseMapping).map(containsExactly) ?? false
        return found != isNegated
    }

    private static func folded(
        _ scalar: Unicode.Scalar, _ mapping: KeyPath<Unicode.Scalar.Properties, String>
    ) -> Unicode.Scalar? {
        let mapped = scalar.properties[keyPath: mapping].unicodeScalars
        return mapped.count == 1 ? mapped.first : nil
    }

    private func containsExactly(_ scalar: Unicode.Scalar) -> Bool {
        for range in ranges where range.contains(scalar.value) { return true }
        for one in classes where one.kind.contains(scalar) != one.isNegated { return true }
        return false
    }
}

extension ScalarSet.Kind {
    /// `\d`, `\w` and `\s` are ASCII, as in Java; `\p{…}` are Unicode's.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .digit: return scalar.isDigit
        case .word: return scalar.isWord
        case .blank: return scalar == " " || (0x09...0x0D).contains(scalar.value)
        case .letter: return category(scalar).hasPrefix("L")
        case .upperCase: return category(scalar) == "Lu"
        case .lowerCase: return category(scalar) == "Ll"
        case .number: return category(scalar).hasPrefix("N")
        case .punctuation: return category(scalar).hasPrefix("P")
        case .symbol: return category(scalar).hasPrefix("S")
        case .separator: return category(scalar).hasPrefix("Z")
        case .mark: return category(scalar).hasPrefix("M")
        }
    }

    private func category(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter, .modifierLetter, .otherLetter: "L"
        case .nonspacingMark, .spacingMark, .enclosingMark: "M"
        case .decimalNumber, .letterNumber, .otherNumber: "N"
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation:
            "P"
        case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: "S"
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: "Z"
        default: "C"
        }
    }

    /// By the name in `\p{…}`, Java's POSIX names among them.
    init?(property name: String) {
        switch name {
        case "L", "IsL", "Alpha", "IsAlphabetic", "IsLetter": self = .letter
        case "Lu", "Upper", "IsUppercase": self = .upperCase
        case "Ll", "Lower", "IsLowercase": self = .lowerCase
        case "N", "Nd", "Digit", "IsDigit": self = .number
        case "P", "Punct", "IsPunctuation": self = .punctuation
        case "S": self = .symbol
        case "Z", "Zs", "Space": self = .separator
        case "M", "Mn": self = .mark
        default: return nil
        }
    }
}

extension Unicode.Scalar {
    /// A letter, digit or underscore of ASCII.
    var isWord: Bool {
        isDigit || self == "_" || ("a"..."z").contains(self) || ("A"..."Z").contains(self)
    }
}

/// Why a regular expression cannot be used.
struct PatternError: Error, Equatable {
    enum Code: Equatable {
        case syntax, unsupported, tooLarge
    }

    let code: Code
    /// In characters of the pattern, from 1.
    let character: Int
    let message: String

    func expressionError(at place: Place) -> ExpressionError {
        let kind: ExpressionError.Code =
            switch code {
            case .syntax: .badArgument
            case .unsupported: .unsupported
            case .tooLarge: .tooLarge
            }
        return ExpressionError(
            kind, at: place,
            "the regular expression, at its character \(character): \(message)")
    }
}
