/// An expression as a tree. Equal trees mean the same, wherever their parts stood in the text.
package indirect enum ExpressionTree: Equatable, Sendable {
    case number(Double)
    case text(String)
    case negate(ExpressionTree)
    /// Operands of one level of precedence, from left to right: `a or b or c`, `1 - 2 + 3`. A list and
    /// not a pair, so that a thousand terms are no deeper than two.
    case chain(ExpressionTree, [ChainLink])
    /// `a | b`: at least two.
    case union([ExpressionTree])
    case call(FunctionCall)
    case path(LocationPath)
}

package struct ChainLink: Equatable, Sendable {
    package let sign: Operator
    package let operand: ExpressionTree
    package let place: Place

    package init(sign: Operator, operand: ExpressionTree, place: Place) {
        self.sign = sign
        self.operand = operand
        self.place = place
    }
}

/// Operators in two operands; `|` and the sign of a number are not among the links of a chain.
package enum Operator: String, Sendable, CaseIterable {
    case or, and
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "div"
    case modulo = "mod"
    case union = "|"

    /// Longer ones first.
    static let signs: [Operator] = [
        .notEqual, .lessOrEqual, .greaterOrEqual, .equal, .less, .greater, .add, .subtract, .union,
    ]
    static let names: [Operator] = [.or, .and, .divide, .modulo]

    /// Higher binds closer.
    var precedence: Int {
        switch self {
        case .or: 1
        case .and: 2
        case .equal, .notEqual: 3
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 4
        case .add, .subtract: 5
        case .multiply, .divide, .modulo: 6
        case .union: 8
        }
    }

    static let precedenceOfNegation = 7
}

package struct FunctionCall: Equatable, Sendable {
    package let name: String
    package let arguments: [ExpressionTree]
    package let place: Place

    package init(name: String, arguments: [ExpressionTree], place: Place) {
        self.name = name
        self.arguments = arguments
        self.place = place
    }
}

/// `/data/pump[1]/../tag`, `current()/../name`, `instance('pumps')/root/item`.
package struct LocationPath: Equatable, Sendable {
    package enum Start: Equatable, Sendable {
        /// The document: the path begins with a slash.
        case root
        /// The node that the expression belongs to.
        case context
        /// The nodes that another expression gives, of which the predicates choose some.
        case expression(ExpressionTree, predicates: [ExpressionTree])
    }

    package let start: Start
    package let steps: [PathStep]
    package let place: Place

    package init(start: Start, steps: [PathStep], place: Place) {
        self.start = start
        self.steps = steps
        self.place = place
    }
}

package struct PathStep: Equatable, Sendable {
    package enum Axis: String, Sendable, CaseIterable {
        case child, parent
        case itself = "self"
        case attribute, ancestor, descendant, namespace
        case ancestorOrSelf = "ancestor-or-self"
        case descendantOrSelf = "descendant-or-self"
        case followingSibling = "following-sibling"
        case precedingSibling = "preceding-sibling"
    }

    package enum Test: Equatable, Sendable {
        /// An element or attribute of this name, its prefix included.
        case name(String)
        /// Any element or attribute: `*`.
        case any
        /// Any of this prefix: `prefix:*`.
        case prefix(String)
        /// `node()`
        case node
        /// `text()`
        case text
    }

    package let axis: Axis
    package let test: Test
    package let predicates: [ExpressionTree]

    package init(axis: Axis, test: Test, predicates: [ExpressionTree] = []) {
        self.axis = axis
        self.test = test
        self.predicates = predicates
    }

    /// `.`
    package static let itself = PathStep(axis: .itself, test: .node)
    /// `..`
    package static let parent = PathStep(axis: .parent, test: .node)
    /// What `//` stands for.
    package static let anywhere = PathStep(axis: .descendantOrSelf, test: .node)
}
