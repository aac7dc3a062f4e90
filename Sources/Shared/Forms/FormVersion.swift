/// Versions of a form in the order in which people count them: `9` before `10`, `2.9` before `2.10`,
/// `2026-09-30` before `2026-10-01`. For choosing the newest where nobody said which was published last.
package enum FormVersion {
    package static func precedes(_ left: String, _ right: String) -> Bool {
        let (left, right) = (parts(of: left), parts(of: right))
        for (first, second) in zip(left, right) where first != second { return first < second }
        return left.count < right.count
    }

    /// Runs of digits as numbers, without leading zeros so that their length tells; the rest as it stands.
    private static func parts(of version: String) -> [Part] {
        var parts: [Part] = []
        for character in version.unicodeScalars {
            let isDigit = ("0"..."9").contains(character)
            switch parts.last {
            case .number(let digits)? where isDigit:
                parts[parts.count - 1] = .number(digits + String(character))
            case .text(let text)? where !isDigit:
                parts[parts.count - 1] = .text(text + String(character))
            default: parts.append(isDigit ? .number(String(character)) : .text(String(character)))
            }
        }
        return parts.map(\.withoutZeros)
    }

    private enum Part: Comparable {
        case number(String)
        case text(String)

        var withoutZeros: Part {
            guard case .number(let digits) = self else { return self }
            return .number(String(digits.drop { $0 == "0" }))
        }

        static func < (left: Part, right: Part) -> Bool {
            switch (left, right) {
            case (.number(let a), .number(let b)):
                a.utf8.count != b.utf8.count ? a.utf8.count < b.utf8.count : a < b
            case (.text(let a), .text(let b)): a < b
            case (.number, .text): true
            case (.text, .number): false
            }
        }
    }
}
