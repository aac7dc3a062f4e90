/// One number out of many nodes. What is blank or no number is passed over.
enum AggregateFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction("sum", .exactly(1), sum),
        ExpressionFunction("max", .atLeast(1), greatest),
        ExpressionFunction("min", .atLeast(1), least),
        ExpressionFunction("count", .exactly(1), count),
        ExpressionFunction("count-non-empty", .exactly(1), countNonEmpty),
    ]

    private static func numbers(
        _ values: [ExpressionValue], _ call: Arguments
    ) -> [Double] {
        values.map { $0.number(in: call.zone) }.filter { !$0.isNaN }
    }

    @Sendable
    private static func sum(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let values = try call.evaluation.values(of: try call.nodes(0), at: call.call.place)
        return .number(numbers(values, call).reduce(0, +))
    }

    @Sendable
    private static func greatest(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .number(numbers(try call.values(from: 0), call).max() ?? .nan)
    }

    @Sendable
    private static func least(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .number(numbers(try call.values(from: 0), call).min() ?? .nan)
    }

    @Sendable
    private static func count(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .number(Double(try call.nodes(0).count))
    }

    @Sendable
    private static func countNonEmpty(
        _ call: Arguments
    ) throws(ExpressionError) -> ExpressionValue {
        let values = try call.evaluation.values(of: try call.nodes(0), at: call.call.place)
        return .number(Double(values.count { !$0.isBlank }))
    }
}
