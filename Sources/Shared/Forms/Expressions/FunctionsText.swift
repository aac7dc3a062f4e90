/// Texts. Positions count Unicode scalars.
enum TextFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction("string", .between(0, 1), string),
        ExpressionFunction("concat", .atLeast(0), concat),
        ExpressionFunction("join", .atLeast(1), join),
        ExpressionFunction("string-length", .between(0, 1), length),
        ExpressionFunction("normalize-space", .between(0, 1), normalizeSpace),
        ExpressionFunction("substr", .between(2, 3), substr),
        ExpressionFunction("substring", .between(2, 3), substring),
        ExpressionFunction("substring-before", .exactly(2), before),
        ExpressionFunction("substring-after", .exactly(2), after),
        ExpressionFunction("contains", .exactly(2), contains),
        ExpressionFunction("starts-with", .exactly(2), startsWith),
        ExpressionFunction("ends-with", .exactly(2), endsWith),
        ExpressionFunction("translate", .exactly(3), translate),
        ExpressionFunction("regex", .exactly(2), regex),
        ExpressionFunction("uuid", .between(0, 1), uuid),
    ]

    @Sendable
    private static func string(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .text(try call.textOrContext())
    }

    @Sendable
    private static func concat(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        var text = ""
        if call.count == 1 {
            for value in try call.values(from: 0) { text += value.text(in: call.zone) }
        } else {
            for index in 0..<call.count { text += try call.text(index) }
        }
        return try call.made(text)
    }

    @Sendable
    private static func join(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let separator = try call.text(0)
        let values = try call.values(from: 1)
        guard separator.utf8.count * values.count <= ExpressionLimits.textBytes else {
            throw ExpressionError(
                .tooLarge, at: call.call.place, "join() would make too long a text")
        }
        return try call.made(
            values.map { $0.text(in: call.zone) }.joined(separator: separator))
    }

    @Sendable
    private static func length(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .number(Double(try call.textOrContext().unicodeScalars.count))
    }

    @Sendable
    private static func normalizeSpace(
        _ call: Arguments
    ) throws(ExpressionError) -> ExpressionValue {
        let words = try call.textOrContext().unicodeScalars.split(
            whereSeparator: \.isExpressionBlank)
        return .text(words.map { String($0) }.joined(separator: " "))
    }

    /// From an index up to before another, both from 0; negative ones count from the end.
    @Sendable
    private static func substr(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let scalars = Array(try call.text(0).unicodeScalars)
        func index(_ number: Int?, otherwise: Int) -> Int {
            guard let number else { return otherwise }
            return min(max(0, number < 0 ? scalars.count + number : number), scalars.count)
        }
        let start = index(try call.integer(1), otherwise: 0)
        let end =
            call.count == 3
            ? index(try call.integer(2), otherwise: 0) : scalars.count
        guard start < end else { return .empty }
        return .text(String(String.UnicodeScalarView(scalars[start..<end])))
    }

    /// XPath's own: from a position, from 1, so many; both rounded.
    @Sendable
    private static func substring(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let text = try call.text(0)
        let start = (try call.number(1) + 0.5).rounded(.down)
        let end =
            call.count == 3 ? start + (try call.number(2) + 0.5).rounded(.down) : .infinity
        var kept = String.UnicodeScalarView()
        for (index, scalar) in text.unicodeScalars.enumerated() {
            let position = Double(index + 1)
            if position >= start && position < end { kept.append(scalar) }
        }
        return .text(String(kept))
    }

    @Sendable
    private static func before(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let text = try call.text(0)
        let wanted = try call.text(1)
        guard !wanted.isEmpty, let range = find(wanted, in: text) else { return .empty }
        return .text(String(text[..<range.lowerBound]))
    }

    @Sendable
    private static func after(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let text = try call.text(0)
        let wanted = try call.text(1)
        guard let range = find(wanted, in: text) else { return .empty }
        return .text(String(text[range.upperBound...]))
    }

    @Sendable
    private static func contains(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let text = try call.text(0)
        return .boolean(find(try call.text(1), in: text) != nil)
    }

    /// By bytes: no normalisation, and in time proportional to the length of the text for the texts
    /// that people write (Knuth, Morris and Pratt for all others).
    private static func find(_ wanted: String, in text: String) -> Range<String.Index>? {
        if wanted.isEmpty { return text.startIndex..<text.startIndex }
        let needle = Array(wanted.utf8)
        var borders = [0]
        var border = 0
        for byte in needle.dropFirst() {
            while border > 0, needle[border] != byte { border = borders[border - 1] }
            if needle[border] == byte { border += 1 }
            borders.append(border)
        }
        var matched = 0
        var end = text.utf8.startIndex
        for byte in text.utf8 {
            end = text.utf8.index(after: end)
            while matched > 0, needle[matched] != byte { matched = borders[matched - 1] }
            if needle[matched] == byte { matched += 1 }
            if matched == needle.count {
                return text.utf8.index(end, offsetBy: -needle.count)..<end
            }
        }
        return nil
    }

    @Sendable
    private static func startsWith(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let text = try call.text(0)
        return .boolean(text.utf8.starts(with: try call.text(1).utf8))
    }

    @Sendable
    private static func endsWith(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let text = try call.text(0)
        return .boolean(text.utf8.reversed().starts(with: try call.text(1).utf8.reversed()))
    }

    @Sendable
    private static func translate(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let text = try call.text(0)
        let from = try call.text(1).unicodeScalars
        let to = Array(try call.text(2).unicodeScalars)
        let places = Dictionary(
            from.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var changed = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard let place = places[scalar] else {
                changed.append(scalar)
                continue
            }
            if place < to.count { changed.append(to[place]) }
        }
        return .text(String(changed))
    }

    /// Whether the whole text fits.
    @Sendable
    private static func regex(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let text = try call.text(0)
        let pattern = try call.evaluation.pattern(try call.text(1), at: call.call.place)
        let match = pattern.match(text)
        try call.evaluation.spend(match.steps / 3, at: call.call.place)
        guard let fits = match.fits else {
            throw ExpressionError(
                .tooLarge, at: call.call.place,
                "regex() has too much to try for this text and this regular expression")
        }
        return .boolean(fits)
    }

    /// A random UUID, or so many random letters and digits.
    @Sendable
    private static func uuid(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        guard call.count == 1 else { return .text(call.surroundings.uuid()) }
        guard let length = try call.integer(0),
            (0...ExpressionLimits.identifierLength).contains(length)
        else {
            throw call.problem(
                "the length is from 0 to \(ExpressionLimits.identifierLength)")
        }
        try call.evaluation.spend(length, at: call.call.place)
        let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        var text = ""
        for _ in 0..<length {
            let index = Int(call.surroundings.randomFraction() * Double(letters.count))
            text.append(letters[min(max(0, index), letters.count - 1)])
        }
        return .text(text)
    }
}
