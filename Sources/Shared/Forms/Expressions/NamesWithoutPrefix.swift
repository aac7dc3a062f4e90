extension FormExpression {
    /// The same with names as the record has them: `/data/orx:meta/orx:instanceID` is
    /// `/data/meta/instanceID`.
    package var withoutPrefixes: FormExpression {
        guard source.contains(":"), tree.hasPrefixes else { return self }
        let tree = tree.withoutPrefixes
        return FormExpression(source: tree.description, tree: tree)
    }
}

extension ExpressionTree {
    fileprivate var hasPrefixes: Bool {
        if case .path(let path) = self, path.steps.contains(where: \.hasPrefix) { return true }
        return children.contains(where: \.hasPrefixes)
    }

    fileprivate var withoutPrefixes: ExpressionTree {
        switch self {
        case .number, .text: self
        case .negate(let inner): .negate(inner.withoutPrefixes)
        case .chain(let first, let links):
            .chain(
                first.withoutPrefixes,
                links.map {
                    ChainLink(
                        sign: $0.sign, operand: $0.operand.withoutPrefixes, place: $0.place)
                })
        case .union(let members): .union(members.map(\.withoutPrefixes))
        case .call(let call):
            .call(
                FunctionCall(
                    name: call.name, arguments: call.arguments.map(\.withoutPrefixes),
                    place: call.place))
        case .path(let path): .path(path.withoutPrefixes)
        }
    }
}

extension LocationPath {
    fileprivate var withoutPrefixes: LocationPath {
        var start = start
        if case .expression(let inner, let predicates) = start {
            start = .expression(
                inner.withoutPrefixes, predicates: predicates.map(\.withoutPrefixes))
        }
        return LocationPath(start: start, steps: steps.map(\.withoutPrefix), place: place)
    }
}

extension PathStep {
    fileprivate var hasPrefix: Bool {
        if case .name(let name) = test { name.contains(":") } else { false }
    }

    fileprivate var withoutPrefix: PathStep {
        var test = test
        if case .name(let name) = test, let colon = name.lastIndex(of: ":") {
            test = .name(String(name[name.index(after: colon)...]))
        }
        return PathStep(
            axis: axis, test: test, predicates: predicates.map(\.withoutPrefixes))
    }
}
