/// Why an expression cannot be read or has no value.
///
/// Says what is wrong and at which character; never what an answer was.
package struct ExpressionError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The text is not an expression.
        case syntax
        case unknownFunction
        case wrongArity
        /// An argument is of a kind that the function cannot use.
        case badArgument
        case unknownInstance
        /// XPath that forms do not use, or that this program does not do.
        case unsupported
        /// A limit of `ExpressionLimits` is passed.
        case tooLarge
    }

    package let code: Code
    /// Where in the expression, in characters from 1.
    package let character: Int
    package let message: String

    package init(_ code: Code, at place: Place, _ message: String) {
        self.code = code
        self.character = place.character
        self.message = message
    }

    package var description: String { "at character \(character): \(message)" }
}

/// Where something stands in the text of an expression.
///
/// All places are equal, so that two trees are equal when they mean the same, however they were
/// written.
package struct Place: Hashable, Sendable {
    /// From 1.
    package let character: Int

    package init(_ character: Int) {
        self.character = character
    }

    package static func == (left: Place, right: Place) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
