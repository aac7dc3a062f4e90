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
        let lefts = try candidates(left, comparison, against: right, at: place)
        let rights = try candidates(right, comparison, against: left, at: place)
        for left in lefts {
            try spend(rights.count, at: place)
            if case .text(let text) = left { try spend(bytes: text.utf8.count, at: place) }
            for right in rights where holds(left, comparison, right) { return true }
        }
        return false
    }

    private func candidates(
        _ value: ExpressionValue, _ comparison: Comparison, against other: ExpressionValue,
        at place: Place
    ) throws(ExpressionError) -> [ExpressionValue] {
        guard case .nodes(let nodes) = value else { return [value] }
        // Only numbers have an order: an answer that is missing comes before and behind no truth.
        if case .equality = comparison, case .boolean = other.unpacked {
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
        case .order(let isOrdered): areOrdered(left, isOrdered, right)
        }
    }

    private func areEqual(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
        switch (left, right) {
        case (.boolean, _), (_, .boolean): left.boolean == right.boolean
        case (.number, _), (_, .number), (.days, _), (_, .days):
            areEqualNumbers(left, right)
        case (.moment(let moment), let other), (let other, .moment(let moment)):
            isSame(moment, other)
        default: left.text(in: zone) == right.text(in: zone)
        }
    }

    /// Two moments by which comes first, whatever the clock showed in the hour that it had twice. A moment
    /// and a number to the millisecond, so that a day and one is the next.
    private func areOrdered(
        _ left: ExpressionValue, _ isOrdered: (Double, Double) -> Bool, _ right: ExpressionValue
    ) -> Bool {
        let moments = (left.moment(in: zone), right.moment(in: zone))
        if let left = moments.0, let right = moments.1 {
            return isOrdered(Double(left.milliseconds), Double(right.milliseconds))
        }
        let numbers = (left.number(in: zone), right.number(in: zone))
        guard moments.0 != nil || moments.1 != nil else { return isOrdered(numbers.0, numbers.1) }
        return isOrdered(numbers.0.roundedToMillisecond, numbers.1.roundedToMillisecond)
    }

    private static func areEqual(_ left: Double, _ right: Double) -> Bool {
        left == right || abs(left - right) < 1e-12
    }

    private func areEqualNumbers(_ left: ExpressionValue, _ right: ExpressionValue) -> Bool {
        let numbers = (left.number(in: zone), right.number(in: zone))
        guard left.moment(in: zone) != nil || right.moment(in: zone) != nil else {
            return Self.areEqual(numbers.0, numbers.1)
        }
        return numbers.0.roundedToMillisecond == numbers.1.roundedToMillisecond
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

extension Double {
    /// Days without what binary fractions of a day cannot hold.
    var roundedToMillisecond: Double {
        let milliseconds = (self * Double(Moment.millisecondsOfDay)).rounded()
        guard abs(milliseconds) < 0x1p53 else { return self }
        return milliseconds / Double(Moment.millisecondsOfDay)
    }
}
