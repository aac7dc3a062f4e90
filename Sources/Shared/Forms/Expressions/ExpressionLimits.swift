/// What an expression may hold and cost at most. Forms are untrusted; of some 4,700 expressions of real
/// forms the longest has 2,441 bytes, and the deepest nests 14 deep.
package enum ExpressionLimits {
    /// Bytes of UTF-8 in an expression.
    package static let bytes = 65_536
    /// How deep parentheses, calls, predicates and minus signs nest. Bounds the recursion of reading,
    /// evaluating and printing.
    package static let depth = 120
    /// Nodes looked at, operations done and pieces of text read in one evaluation: four times what
    /// filtering a choice list of 50,000 rows needs. In a release build the worst that we could write
    /// took 0.7 s to pass it.
    package static let steps = 2_000_000
    /// Bytes of UTF-8 in a text that an expression makes.
    package static let textBytes = 1_048_576
    /// Bytes of UTF-8 in a regular expression.
    package static let patternBytes = 4_096
    /// States that a regular expression is unfolded to.
    package static let patternStates = 20_000
    /// States times characters that one match may look at.
    package static let matchSteps = 5_000_000
    /// Decimal places that `round` takes, either way.
    package static let decimals = 30
    /// Characters of `uuid(length)`.
    package static let identifierLength = 1_000
}
