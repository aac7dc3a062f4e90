/// Reads regular expressions as Java writes them, without what no finite automaton can do:
/// back-references; and without looking behind.
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var at = 0
    private var depth = 0
    private var ignoresCase = false

    private static let deepest = 60
    private static let mostRepetitions = 1_000

    static func tree(of text: String) throws(PatternError) -> PatternTree {
        var parser = PatternParser(scalars: Array(text.unicodeScalars))
        guard text.utf8.count <= ExpressionLimits.patternBytes else {
            throw parser.error(
                .tooLarge, "it has more than \(ExpressionLimits.patternBytes) bytes")
        }
        let tree = try parser.choice()
        guard parser.next == nil else { throw parser.error(.syntax, "\")\" closes nothing") }
        return tree
    }

    private init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    private var next: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

    private func error(_ code: PatternError.Code, _ message: String) -> PatternError {
        PatternError(code: code, character: at + 1, message: message)
    }

    private mutating func take(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard scalars[at...].starts(with: wanted) else { return false }
        at += wanted.count
        return true
    }

    private mutating func choice() throws(PatternError) -> PatternTree {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            throw error(.tooLarge, "groups nest at most \(Self.deepest) deep")
        }
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternTree {
        var parts: [PatternTree] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            parts.append(try repeated(try atom(scalar)))
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repeated(_ atom: PatternTree) throws(PatternError) -> PatternTree {
        var tree = atom
        while let (least, most) = try quantifier() {
            // Greedy, lazy and possessive differ in what they capture; a whole match is the same,
            // but for possessive ones, which would match less.
            if !take("?"), take("+") {
                throw error(.unsupported, "possessive repetitions are not supported")
            }
            tree = .repeated(tree, least: least, most: most)
        }
        return tree
    }

    private mutating func quantifier() throws(PatternError) -> (Int, Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard take("{") else { return nil }
        let least = try count()
        var most: Int? = least
        if take(",") { most = next == "}" ? nil : try count() }
        guard take("}") else { throw error(.syntax, "expected \"}\"") }
        guard most.map({ $0 >= least }) ?? true else {
            throw error(.syntax, "the larger number comes second")
        }
        return (least, most)
    }

    private mutating func count() throws(PatternError) -> Int {
        var digits = ""
        while let scalar = next, scalar.isDigit {
            digits.unicodeScalars.append(scalar)
            at += 1
        }
        guard let count = Int(digits) else { throw error(.syntax, "expected a number") }
        guard count <= Self.mostRepetitions else {
            throw error(.tooLarge, "a repetition counts at most to \(Self.mostRepetitions)")
        }
        return count
    }

    private mutating func atom(_ scalar: Unicode.Scalar) throws(PatternError) -> PatternTree {
        switch scalar {
        case "(": return try group()
        case "[": return .scalars(try set())
        case "\\": return try escape()
        case "*", "+", "?", "{":
            throw error(.syntax, "\"\(scalar)\" has nothing to repeat")
        default: break
        }
        at += 1
        switch scalar {
        case ".": return .scalars(.dot)
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        default: return .scalars(.only(scalar, ignoringCase: ignoresCase))
        }
    }

    private mutating func group() throws(PatternError) -> PatternTree {
        let before = ignoresCase
        at += 1
        if take("?i)") {
            ignoresCase = true
            return .empty
        }
        var wrap: (PatternTree) -> PatternTree = { $0 }
        if take("?i:") {
            ignoresCase = true
        } else if take("?=") {
            wrap = { .ahead($0, expected: true) }
        } else if take("?!") {
            wrap = { .ahead($0, expected: false) }
        } else if next == "?", !take("?:") {
            try nameOfGroup()
        }
        let inner = try choice()
        guard take(")") else { throw error(.syntax, "a \"(\" is not closed") }
        ignoresCase = before
        return wrap(inner)
    }

    private mutating func nameOfGroup() throws(PatternError) {
        guard take("?<"), let first = next, first.startsName else {
            throw error(.unsupported, "this kind of group is not supported")
        }
        while let scalar = next, scalar.continuesName { at += 1 }
        guard take(">") else { throw error(.syntax, "expected \">\"") }
    }

    private mutating func escape() throws(PatternError) -> PatternTree {
        if take("\\b") { return .assertion(.wordBoundary) }
        if take("\\B") { return .assertion(.noWordBoundary) }
        if take("\\A") { return .assertion(.start) }
        if take("\\z") || take("\\Z") { return .assertion(.end) }
        var set = ScalarSet(ignoresCase: ignoresCase)
        try takeEscape(into: &set)
        return .scalars(set)
    }

    private mutating func set() throws(PatternError) -> ScalarSet {
        var set = ScalarSet(ignoresCase: ignoresCase)
        at += 1
        set.isNegated = take("^")
        var isFirst = true
        while let scalar = next, isFirst || scalar != "]" {
            isFirst = false
            guard scalar != "[", !(scalar == "&" && take("&&")) else {
                throw error(.unsupported, "sets within sets are not supported")
            }
            try takeMember(into: &set)
        }
        guard take("]") else { throw error(.syntax, "a \"[\" is not closed") }
        return set
    }

    private mutating func takeMember(into set: inout ScalarSet) throws(PatternError) {
        guard let low = try single(into: &set) else { return }
        guard next == "-", at + 1 < scalars.count, scalars[at + 1] != "]" else {
            set.ranges.append(low...low)
            return
        }
        at += 1
        guard let high = try single(into: &set) else {
            // `[a-\d]`: the minus stands for itself.
            set.ranges += [low...low, 0x2D...0x2D]
            return
        }
        guard low <= high else { throw error(.syntax, "the range ends before it begins") }
        set.ranges.append(low...high)
    }

    /// One character of a set; nil when it was a class, which is then added.
    private mutating func single(into set: inout ScalarSet) throws(PatternError) -> UInt32? {
        guard let scalar = next else { throw error(.syntax, "a \"[\" is not closed") }
        guard scalar == "\\" else {
            at += 1
            return scalar.value
        }
        var escaped = ScalarSet()
        try takeEscape(into: &escaped)
        if let range = escaped.ranges.first { return range.lowerBound }
        set.classes += escaped.classes
        return nil
    }

    private mutating func takeEscape(into set: inout ScalarSet) throws(PatternError) {
        at += 1
        guard let scalar = next else { throw error(.syntax, "it ends with a backslash") }
        at += 1
        switch scalar {
        case "d", "D": set.add(.digit, negated: scalar == "D")
        case "w", "W": set.add(.word, negated: scalar == "W")
        case "s", "S": set.add(.blank, negated: scalar == "S")
        case "p", "P": set.add(try property(), negated: scalar == "P")
        case "t": set.ranges.append(0x09...0x09)
        case "n": set.ranges.append(0x0A...0x0A)
        case "r": set.ranges.append(0x0D...0x0D)
        case "f": set.ranges.append(0x0C...0x0C)
        case "x": try takeHexadecimal(2, into: &set)
        case "u": try takeHexadecimal(4, into: &set)
        default:
            guard !scalar.isWord else {
                throw error(.unsupported, "\"\\\(scalar)\" is not supported")
            }
            set.ranges.append(scalar.value...scalar.value)
        }
    }

    private mutating func property() throws(PatternError) -> ScalarSet.Kind {
        var name = String.UnicodeScalarView()
        if take("{") {
            while let scalar = next, scalar != "}", name.count < 40 {
                name.append(scalar)
                at += 1
            }
            guard take("}") else { throw error(.syntax, "expected \"}\"") }
        } else if let scalar = next {
            name.append(scalar)
            at += 1
        }
        guard let kind = ScalarSet.Kind(property: String(name)) else {
            throw error(.unsupported, "this property of characters is not supported")
        }
        return kind
    }

    private mutating func takeHexadecimal(
        _ digits: Int, into set: inout ScalarSet
    ) throws(PatternError) {
        let end = min(at + digits, scalars.count)
        let text = String(String.UnicodeScalarView(scalars[at..<end]))
        guard text.count == digits, let value = UInt32(text, radix: 16) else {
            throw error(.syntax, "expected \(digits) hexadecimal digits")
        }
        at = end
        set.ranges.append(value...value)
    }
}

extension ScalarSet {
    fileprivate mutating func add(_ kind: Kind, negated: Bool) {
        classes.append(CharacterClass(kind: kind, isNegated: negated))
    }
}
