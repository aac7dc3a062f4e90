/// What the rules of each path look at.
///
/// Two entries a path: relevance and calculation under the path itself, because others look at what
/// comes of them; and under `path#` all that nobody looks at, so that it takes part in no circle.
struct RuleDependencies {
    let root: String
    let rules: [String: PathRules]
    /// What the labels of a question's choices put in, by the question's node; the others have none.
    private let labels: [String: [FormExpression]]

    init(root: String, rules: [String: PathRules], _ questions: [Question]) {
        self.root = root
        self.rules = rules
        var found: [ObjectIdentifier: [FormExpression]] = [:]
        var labels: [String: [FormExpression]] = [:]
        for question in questions where question.type.isChoice || question.type.isChoices {
            let list = ObjectIdentifier(question.list)
            let expressions = found[list] ?? question.choices.flatMap(\.text.expressions)
            found[list] = expressions
            guard !expressions.isEmpty else { continue }
            labels[Self.node(question.path, root: root)] = expressions
        }
        self.labels = labels
    }

    var all: [String: ExpressionDependencies] {
        var all: [String: ExpressionDependencies] = [:]
        for (path, rules) in rules {
            let node = Self.node(path, root: root)
            let computed = rules.relevant + [rules.calculate].compactMap(\.self)
            if !computed.isEmpty { all[node] = dependencies(of: computed, at: node) }
            let checked =
                rules.readonly
                + [rules.required, rules.constraint, rules.filter?.nodeset].compactMap(\.self)
            guard !checked.isEmpty else { continue }
            var found = dependencies(of: checked, at: node)
            found.groups.insert(node)
            all[node + Self.checkMark] = found
        }
        return all
    }

    static let checkMark = "#"

    static func node(_ path: String, root: String) -> String {
        path.isEmpty ? "/" + root : "/\(root)/\(path)"
    }

    private func dependencies(
        of expressions: [FormExpression], at node: String
    ) -> ExpressionDependencies {
        var joined = ExpressionDependencies()
        for expression in expressions + expressions.flatMap({ self.labels(namedIn: $0, at: node) })
        {
            let found = expression.dependencies(at: node)
            joined.paths.formUnion(found.paths)
            joined.instances.formUnion(found.instances)
            joined.isVolatile = joined.isVolatile || found.isVolatile
            joined.isUnbounded = joined.isUnbounded || found.isUnbounded
        }
        for index in node.indices.dropFirst() where node[index] == "/" {
            joined.groups.insert(String(node[..<index]))
        }
        return joined
    }

    /// `jr:choice-name(…, '/data/kind')` looks at what the label of the choice looks at.
    private func labels(namedIn expression: FormExpression, at node: String) -> [FormExpression] {
        guard !labels.isEmpty else { return [] }
        let origin = node.split(separator: "/").map { String($0) }
        return expression.tree.calls.flatMap { call -> [FormExpression] in
            guard call.name == "jr:choice-name", case .text(let written)? = call.arguments.last
            else { return [] }
            return labels[ChoiceFunctions.path(written, from: origin)] ?? []
        }
    }
}
