/// An expression that came to nothing, with what was assumed instead: shown, not required, accepted.
package struct FormFault: Equatable, Sendable {
    package let path: String
    /// `relevant`, `calculate`, …
    package let rule: String
    package let error: ExpressionError
}

extension FormDefinition {
    func path(ofEntry entry: String) -> String {
        var path = entry.dropFirst(parts.root.count + 2)
        if path.hasSuffix(RuleDependencies.checkMark) { path.removeLast() }
        return String(path)
    }
}
