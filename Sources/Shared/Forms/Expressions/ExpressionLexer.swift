/// Cuts the text of an expression into tokens, by the rules of XPath 1.0, section 3.7: after an
/// operand, `*` multiplies and a name is an operator; elsewhere both are names.
struct ExpressionLexer {
    enum Token: Equatable {
        case number(Double)
        case text(String)
        /// A name, possibly with a prefix: `name`, `jr:choice-name`, `prefix:*`, `*`.
        case name(String)
        case `operator`(Operator)
        case symbol(Symbol)
        case end
    }

    enum Symbol: String, CaseIterable {
        // Longer ones first: the first that fits is taken.
        case doubleSlash = "//"
        case doubleColon = "::"
        case doubleDot = ".."
        case slash = "/"
        case dot = "."
        case at = "@"
        case comma = ","
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBracket = "["
        case closeBracket = "]"
    }

    struct Placed: Equatable {
        let token: Token
        let place: Place
    }

    private let scalars: [Unicode.Scalar]
    private var at = 0
    private var tokens: [Placed] = []

    static func tokens(of text: String) throws(ExpressionError) -> [Placed] {
        guard text.utf8.count <= ExpressionLimits.bytes else {
            throw ExpressionError(
                .tooLarge, at: Place(1),
                "an expression has at most \(ExpressionLimits.bytes) bytes")
        }
        var lexer = ExpressionLexer(scalars: Array(text.unicodeScalars))
        return try lexer.all()
    }

    private init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    private mutating func all() throws(ExpressionError) -> [Placed] {
        while true {
            while at < scalars.count, scalars[at].isExpressionBlank { at += 1 }
            let place = Place(at + 1)
            guard at < scalars.count else {
                tokens.append(Placed(token: .end, place: place))
                return tokens
            }
            tokens.append(Placed(token: try next(place), place: place))
        }
    }

    private mutating func next(_ place: Place) throws(ExpressionError) -> Token {
        let scalar = scalars[at]
        if scalar == "\"" || scalar == "'" { return try quoted(scalar, place) }
        if scalar.isDigit || (scalar == "." && peek(1)?.isDigit == true) { return number() }
        if scalar == "*" {
            at += 1
            return followsOperand ? .operator(.multiply) : .name("*")
        }
        if scalar.startsName { return try name(place) }
        if let symbol = Symbol.allCases.first(where: { matches($0.rawValue) }) {
            at += symbol.rawValue.count
            return .symbol(symbol)
        }
        if let sign = Operator.signs.first(where: { matches($0.rawValue) }) {
            at += sign.rawValue.count
            return .operator(sign)
        }
        if scalar == "$" {
            throw ExpressionError(
                .unsupported, at: place, "variables, as $name, have no meaning in a form")
        }
        throw ExpressionError(
            .syntax, at: place, "\"\(ShownText.clean(String(scalar)))\" has no meaning here")
    }

    /// Whether what stands before is the end of an operand.
    private var followsOperand: Bool {
        switch tokens.last?.token {
        case .number, .text, .name: true
        case .symbol(let symbol):
            [.closeParenthesis, .closeBracket, .dot, .doubleDot].contains(symbol)
        case .operator, .end, nil: false
        }
    }

    private func peek(_ offset: Int) -> Unicode.Scalar? {
        at + offset < scalars.count ? scalars[at + offset] : nil
    }

    private func matches(_ text: String) -> Bool {
        var offset = 0
        for scalar in text.unicodeScalars {
            guard peek(offset) == scalar else { return false }
            offset += 1
        }
        return true
    }

    private mutating func quoted(
        _ quote: Unicode.Scalar, _ place: Place
    ) throws(ExpressionError) -> Token {
        var text = String.UnicodeScalarView()
        at += 1
        while at < scalars.count {
            if scalars[at] == quote {
                at += 1
                return .text(String(text))
            }
            text.append(scalars[at])
            at += 1
        }
        throw ExpressionError(.syntax, at: place, "this text has no closing quote")
    }

    private mutating func number() -> Token {
        var digits = ""
        takeDigits(&digits)
        if peek(0) == "." {
            digits += "."
            at += 1
            takeDigits(&digits)
        }
        if peek(0) == "e" || peek(0) == "E" { takeExponent(&digits) }
        return .number(NumberText.parse(digits) ?? .nan)
    }

    private mutating func takeDigits(_ digits: inout String) {
        while let scalar = peek(0), scalar.isDigit {
            digits.unicodeScalars.append(scalar)
            at += 1
        }
    }

    /// Only with digits behind it; otherwise the letter begins the next token.
    private mutating func takeExponent(_ digits: inout String) {
        let signed = peek(1) == "-" || peek(1) == "+"
        guard peek(signed ? 2 : 1)?.isDigit == true else { return }
        for _ in 0...(signed ? 1 : 0) {
            digits.unicodeScalars.append(scalars[at])
            at += 1
        }
        takeDigits(&digits)
    }

    private mutating func name(_ place: Place) throws(ExpressionError) -> Token {
        if followsOperand { return try namedOperator(place) }
        var name = takeName()
        if peek(0) == ":", peek(1) != ":" {
            if peek(1) == "*" {
                at += 2
                return .name(name + ":*")
            }
            if let next = peek(1), next.startsName {
                at += 1
                name += ":" + takeName()
            }
        }
        return .name(name)
    }

    private mutating func takeName() -> String {
        var name = String.UnicodeScalarView()
        while let scalar = peek(0), scalar.continuesName {
            name.append(scalar)
            at += 1
        }
        return String(name)
    }

    /// `1 mod1` is `1 mod 1`: digits may follow an operator at once, letters may not.
    private mutating func namedOperator(_ place: Place) throws(ExpressionError) -> Token {
        for named in Operator.names where matches(named.rawValue) {
            let next = peek(named.rawValue.count)
            guard next.map({ $0.startsName }) != true else { continue }
            at += named.rawValue.count
            return .operator(named)
        }
        let found = takeName()
        throw ExpressionError(
            .syntax, at: place,
            "expected an operator before \"\(ShownText.clean(String(found.prefix(40))))\"")
    }
}

extension Unicode.Scalar {
    /// Blank as XPath knows it: space, tab, line feed, carriage return.
    var isExpressionBlank: Bool {
        self == " " || self == "\t" || self == "\n" || self == "\r"
    }

    var isDigit: Bool { ("0"..."9").contains(self) }

    var startsName: Bool {
        isASCII
            ? ("a"..."z").contains(self) || ("A"..."Z").contains(self) || self == "_"
            : properties.isXIDStart
    }

    var continuesName: Bool {
        startsName || isDigit || self == "-" || self == "."
            || (!isASCII && properties.isXIDContinue)
    }
}
