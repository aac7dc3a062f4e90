/// Reads an expression: XPath 1.0 as forms use it.
struct ExpressionParser {
    private let tokens: [ExpressionLexer.Placed]
    private var at = 0
    private var depth = 0

    static func tree(of text: String) throws(ExpressionError) -> ExpressionTree {
        var parser = ExpressionParser(tokens: try ExpressionLexer.tokens(of: text))
        let tree = try parser.operand(above: 0)
        guard parser.token == .end else { throw parser.unexpected("an operator or the end") }
        return tree
    }

    private init(tokens: [ExpressionLexer.Placed]) {
        self.tokens = tokens
    }

    private var token: ExpressionLexer.Token { tokens[at].token }
    private var place: Place { tokens[at].place }

    private func isNext(_ symbol: ExpressionLexer.Symbol, ahead: Int = 0) -> Bool {
        at + ahead < tokens.count && tokens[at + ahead].token == .symbol(symbol)
    }

    private mutating func take(_ symbol: ExpressionLexer.Symbol) -> Bool {
        guard isNext(symbol) else { return false }
        at += 1
        return true
    }

    private mutating func expect(_ symbol: ExpressionLexer.Symbol) throws(ExpressionError) {
        guard take(symbol) else { throw unexpected("\"\(symbol.rawValue)\"") }
    }

    private func unexpected(_ expected: String) -> ExpressionError {
        let found =
            switch token {
            case .number: "a number"
            case .text: "a text"
            case .name(let name): "\"\(ShownText.clean(String(name.prefix(40))))\""
            case .operator(let sign): "\"\(sign.rawValue)\""
            case .symbol(let symbol): "\"\(symbol.rawValue)\""
            case .end: "the end"
            }
        return ExpressionError(.syntax, at: place, "expected \(expected), found \(found)")
    }

    /// What binds closer than `level`, by climbing precedences.
    private mutating func operand(above level: Int) throws(ExpressionError) -> ExpressionTree {
        depth += 1
        defer { depth -= 1 }
        guard depth <= ExpressionLimits.depth else {
            throw ExpressionError(
                .tooLarge, at: place,
                "an expression nests at most \(ExpressionLimits.depth) deep")
        }
        var left = try signed()
        while case .operator(let sign) = token, sign.precedence > level {
            left = sign == .union ? try union(left) : try chain(left, at: sign.precedence)
        }
        return left
    }

    private mutating func chain(
        _ first: ExpressionTree, at precedence: Int
    ) throws(ExpressionError) -> ExpressionTree {
        var links: [ChainLink] = []
        while case .operator(let sign) = token, sign.precedence == precedence {
            let place = place
            at += 1
            let operand = try operand(above: precedence)
            links.append(ChainLink(sign: sign, operand: operand, place: place))
        }
        return .chain(first, links)
    }

    private mutating func union(
        _ first: ExpressionTree
    ) throws(ExpressionError) -> ExpressionTree {
        var members = [first]
        while case .operator(.union) = token {
            at += 1
            members.append(try operand(above: Operator.union.precedence))
        }
        return .union(members)
    }

    /// An operand with the minus signs before it. Two signs mean what four mean: a number.
    private mutating func signed() throws(ExpressionError) -> ExpressionTree {
        var signs = 0
        while case .operator(.subtract) = token {
            signs += 1
            at += 1
        }
        guard signs > 0 else { return try primary() }
        let inner = try operand(above: Operator.precedenceOfNegation)
        return signs % 2 == 1 ? .negate(inner) : .negate(.negate(inner))
    }

    private mutating func primary() throws(ExpressionError) -> ExpressionTree {
        let place = place
        let start: ExpressionTree
        switch token {
        case .number(let number):
            at += 1
            start = .number(number)
        case .text(let text):
            at += 1
            start = .text(text)
        case .symbol(.openParenthesis):
            at += 1
            start = try operand(above: 0)
            try expect(.closeParenthesis)
        case .name(let name) where isNext(.openParenthesis, ahead: 1) && !Self.isNodeTest(name):
            start = .call(try call(name))
        default:
            return .path(try path(place))
        }
        let predicates = try predicates()
        guard !predicates.isEmpty || isNext(.slash) || isNext(.doubleSlash) else { return start }
        return .path(
            LocationPath(
                start: .expression(start, predicates: predicates),
                steps: try followingSteps(), place: place))
    }

    private static func isNodeTest(_ name: String) -> Bool {
        ["node", "text", "comment", "processing-instruction"].contains(name)
    }

    private mutating func call(_ name: String) throws(ExpressionError) -> FunctionCall {
        let place = place
        at += 2
        var arguments: [ExpressionTree] = []
        if !isNext(.closeParenthesis) {
            repeat { arguments.append(try operand(above: 0)) } while take(.comma)
        }
        guard take(.closeParenthesis) else { throw unexpected("\",\" or \")\"") }
        return FunctionCall(name: name, arguments: arguments, place: place)
    }

    private mutating func predicates() throws(ExpressionError) -> [ExpressionTree] {
        var predicates: [ExpressionTree] = []
        while take(.openBracket) {
            predicates.append(try operand(above: 0))
            try expect(.closeBracket)
        }
        return predicates
    }

    private mutating func path(_ place: Place) throws(ExpressionError) -> LocationPath {
        if isNext(.doubleSlash) {
            return LocationPath(start: .root, steps: try followingSteps(), place: place)
        }
        if take(.slash) {
            let steps = startsStep ? [try step()] + (try followingSteps()) : []
            return LocationPath(start: .root, steps: steps, place: place)
        }
        guard startsStep else { throw unexpected("a value") }
        let first = try step()
        return LocationPath(
            start: .context, steps: [first] + (try followingSteps()), place: place)
    }

    private var startsStep: Bool {
        switch token {
        case .name, .symbol(.dot), .symbol(.doubleDot), .symbol(.at): true
        default: false
        }
    }

    private mutating func followingSteps() throws(ExpressionError) -> [PathStep] {
        var steps: [PathStep] = []
        while true {
            if take(.doubleSlash) {
                steps.append(.anywhere)
            } else if !take(.slash) {
                return steps
            }
            guard startsStep else { throw unexpected("a name after the slash") }
            steps.append(try step())
        }
    }

    private mutating func step() throws(ExpressionError) -> PathStep {
        // `.` and `..` take predicates too, as JavaRosa lets them.
        if take(.dot) {
            return PathStep(axis: .itself, test: .node, predicates: try predicates())
        }
        if take(.doubleDot) {
            return PathStep(axis: .parent, test: .node, predicates: try predicates())
        }
        var axis = PathStep.Axis.child
        if take(.at) {
            axis = .attribute
        } else if case .name(let name) = token, isNext(.doubleColon, ahead: 1) {
            guard let named = PathStep.Axis(rawValue: name) else {
                throw ExpressionError(
                    .unsupported, at: place,
                    "there is no axis \"\(ShownText.clean(String(name.prefix(40))))\"")
            }
            axis = named
            at += 2
        }
        let test = try test()
        return PathStep(axis: axis, test: test, predicates: try predicates())
    }

    private mutating func test() throws(ExpressionError) -> PathStep.Test {
        guard case .name(let name) = token else { throw unexpected("a name") }
        let place = place
        at += 1
        if take(.openParenthesis) {
            try expect(.closeParenthesis)
            switch name {
            case "node": return .node
            case "text": return .text
            default:
                throw ExpressionError(
                    .unsupported, at: place,
                    "\(ShownText.clean(String(name.prefix(40))))() has no place in a path")
            }
        }
        if name == "*" { return .any }
        return name.hasSuffix(":*") ? .prefix(String(name.dropLast(2))) : .name(name)
    }
}
