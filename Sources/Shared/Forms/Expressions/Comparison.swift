/// Comparisons as JavaRosa does them: with a truth both sides become truths, with a number both
/// become numbers, otherwise texts are equal or not, and only numbers have an order.
extension Evaluation {
    enum Comparison {
        case equality(expected: Bool)
        case order((Double, Double) -> Bool)

        init?(_ sign: Operator) {
            switch sign {
            case .equal: self = .equality(expected: true)
            case .notEqual: self = .equality(expected: false)
            case .less: self = .order(<)
            case .lessOrEqual: self = .order(<=)
            case .greater: self = .order(>)
            case .greaterOrEqual: self = .order(>=)
            default: return nil
            }
        }
    }

    /// No node counts as the empty text. Of several nodes one that fits is enough, as XPath says;
    /// JavaRosa refuses those.
    func compare(
        _ left: ExpressionValue, _ comparison: Comparison, _ right: ExpressionValue,
        at place: Place
    ) throws(ExpressionError) -> Bool {
        let lefts = try candidates(left, against: right, at: place)
        let rights = try candidates(right, against: left, at: place)
        for left in lefts {
            try spend(rights.count, at: place)
            if case .text(let text) = left { try spend(bytes: text.utf8.count, at: place) }
            for right in rights where holds(left, comparison, right) { return true }
        }
        return false
    }

    private func candidates(
        _ value: ExpressionValue, against other: ExpressionValue, at place: Place
    ) throws(ExpressionError) -> [ExpressionValue] {
        guard case .nodes(let nodes) = value else { return [value] }
        if case .boolean = other.unpacked {
            let truths = nodes.map { ExpressionValue.boolean($0.isTrue) }
            return truths.isEmpty ? [.boolean(false)] : truths
        }
        guard nodes.count > 1 else { return [value.unpacked] }
        return try values(of: nodes, at: place).map(\.unpacked)
    }

    private func holds(
        _ left: ExpressionValue, _ comparison: Comparison, _ right: ExpressionValue
    ) -> Bool {
        switch comparison {
        case .equality(let expected): areEqual(left, right) == expected
        case .order(let isOrdered): isOrdered(left.number(in: zone), right.number(in: zone))
        }
    }

    private func areEqual(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
        switch (left, right) {
        case (.boolean, _), (_, .boolean): left.boolean == right.boolean
        case (.number, _), (_, .number), (.days, _), (_, .days):
            Self.areEqual(left.number(in: zone), right.number(in: zone))
        case (.moment(let moment), let other), (let other, .moment(let moment)):
            isSame(moment, other)
        default: left.text(in: zone) == right.text(in: zone)
        }
    }

    private static func areEqual(_ left: Double, _ right: Double) -> Bool {
        left == right || abs(left - right) < 1e-12
    }

    private func isSame(_ moment: Moment, _ other: ExpressionValue) -> Bool {
        switch other {
        case .moment(let other): moment.milliseconds == other.milliseconds
        case .text(let text):
            Moment(text, in: zone).map { $0.milliseconds == moment.milliseconds } ?? false
        default: false
        }
    }
}
