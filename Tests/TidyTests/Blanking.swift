/// Replaces comments and the insides of string literals by spaces, keeping the lines as they are.
///
/// Not a parser: it knows line comments, nested block comments, one-line and multi-line strings and
/// `#` delimiters, which is all that the house rules need.
struct Blanking {
    private(set) var code = ""

    private enum Place: Equatable {
        case code
        case lineComment
        case blockComment(depth: Int)
        case string(quotes: Int, hashes: Int)
    }

    private let characters: [Character]
    private var place = Place.code
    private var at = 0

    init(_ text: String) {
        characters = Array(text)
        code.reserveCapacity(characters.count)
        while at < characters.count { step() }
    }

    private mutating func step() {
        switch place {
        case .code: stepInCode()
        case .lineComment: stepInLineComment()
        case .blockComment(let depth): stepInBlockComment(depth)
        case .string(let quotes, let hashes): stepInString(quotes, hashes)
        }
    }

    private func starts(_ word: String, at index: Int) -> Bool {
        var index = index
        for character in word {
            guard index < characters.count, characters[index] == character else { return false }
            index += 1
        }
        return true
    }

    private mutating func blank(_ count: Int) {
        for character in characters[at..<min(at + count, characters.count)] {
            code.append(character == "\n" ? "\n" : " ")
        }
        at += count
    }

    private mutating func stepInCode() {
        if starts("//", at: at) { return enter(.lineComment, 2) }
        if starts("/*", at: at) { return enter(.blockComment(depth: 1), 2) }
        var hashes = 0
        while starts("#", at: at + hashes) { hashes += 1 }
        if starts("\"\"\"", at: at + hashes) {
            return enter(.string(quotes: 3, hashes: hashes), 3 + hashes)
        }
        if starts("\"", at: at + hashes) {
            return enter(.string(quotes: 1, hashes: hashes), 1 + hashes)
        }
        code.append(characters[at])
        at += 1
    }

    private mutating func enter(_ next: Place, _ width: Int) {
        blank(width)
        place = next
    }

    private mutating func stepInLineComment() {
        if characters[at] == "\n" { place = .code }
        blank(1)
    }

    private mutating func stepInBlockComment(_ depth: Int) {
        if starts("/*", at: at) { return enter(.blockComment(depth: depth + 1), 2) }
        if starts("*/", at: at) {
            return enter(depth == 1 ? .code : .blockComment(depth: depth - 1), 2)
        }
        blank(1)
    }

    private mutating func stepInString(_ quotes: Int, _ hashes: Int) {
        let close = String(repeating: "\"", count: quotes) + String(repeating: "#", count: hashes)
        if starts(close, at: at) { return enter(.code, close.count) }
        if hashes == 0, starts("\\", at: at) { return blank(2) }
        blank(1)
    }
}
