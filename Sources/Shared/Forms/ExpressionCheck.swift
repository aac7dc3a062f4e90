/// Whether an expression can be evaluated in a form: functions that there are, paths to what there is.
struct ExpressionCheck {
    private let root: String
    /// Of all nodes of the record, as absolute paths.
    private var paths: Set<String> = ["/"]

    init(root: String, record: RecordNode) {
        self.root = root
        collect(record)
    }

    private mutating func collect(_ node: RecordNode) {
        paths.insert(RuleDependencies.node(node.path, root: root))
        for child in node.children { collect(child) }
    }

    func check(_ expression: FormExpression, of path: String, at place: String) throws(FormError) {
        if let problem = expression.callProblems.first {
            throw FormError(.badCondition, at: place, problem.description)
        }
        let node = RuleDependencies.node(path, root: root)
        let looked = expression.dependencies(at: node).paths
        for other in looked.sorted() where !paths.contains(other) {
            throw FormError(.unknownQuestion, at: place, "there is nothing at \(other)")
        }
    }
}
