internal import Glibc

/// Arithmetic.
enum NumberFunctions {
    static let all: [ExpressionFunction] =
        [
            ExpressionFunction("number", .between(0, 1), number),
            ExpressionFunction("int", .exactly(1), int),
            ExpressionFunction("round", .between(1, 2), round),
            ExpressionFunction("pow", .exactly(2), power),
            ExpressionFunction("atan2", .exactly(2), arcTangentOfTwo),
            ExpressionFunction("pi", .exactly(0)) { _ in .number(.pi) },
            ExpressionFunction("random", .exactly(0)) { call in
                .number(call.surroundings.randomFraction())
            },
        ] + ofOneNumber

    private static let ofOneNumber: [ExpressionFunction] = [
        ofOneNumber("floor") { $0.rounded(.down) },
        ofOneNumber("ceiling") { $0.rounded(.up) },
        ofOneNumber("abs") { abs($0) },
        ofOneNumber("sqrt") { $0.squareRoot() },
        ofOneNumber("exp") { exp($0) },
        ofOneNumber("exp10") { pow(10, $0) },
        ofOneNumber("log") { log($0) },
        ofOneNumber("log10") { log10($0) },
        ofOneNumber("sin") { sin($0) },
        ofOneNumber("cos") { cos($0) },
        ofOneNumber("tan") { tan($0) },
        ofOneNumber("asin") { asin($0) },
        ofOneNumber("acos") { acos($0) },
        ofOneNumber("atan") { atan($0) },
    ]

    private static func ofOneNumber(
        _ name: String, _ function: @escaping @Sendable (Double) -> Double
    ) -> ExpressionFunction {
        @Sendable
        func apply(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
            .number(function(try call.number(0)))
        }
        return ExpressionFunction(name, .exactly(1), apply)
    }

    @Sendable
    private static func number(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        guard call.count > 0 else {
            return .number(call.context.node.value.number(in: call.zone))
        }
        switch try call.value(0).unpacked {
        case .moment(let moment), .days(let moment): return .days(moment)
        case .text(let text):
            if let number = NumberText.parse(text) { return .number(number) }
            return Moment(text, in: call.zone).map { .days($0) } ?? .number(.nan)
        case let value: return .number(value.number(in: call.zone))
        }
    }

    /// Towards zero; of a moment its day.
    @Sendable
    private static func int(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        if let moment = try call.value(0).moment(in: call.zone) {
            return .number(call.zone.wholeDays(of: moment))
        }
        return .number(try call.number(0).rounded(.towardZero))
    }

    /// Without places to the nearest whole number, halves upwards, as XPath has it; with places as
    /// Excel does it.
    @Sendable
    private static func round(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let number = try call.number(0)
        guard call.count == 2 else {
            guard number.isFinite, abs(number) < 0x1p52 else { return .number(number) }
            return .number((number + 0.5).rounded(.down))
        }
        guard let places = try call.integer(1) else { return .number(.nan) }
        return .number(NumberText.round(number, places: places))
    }

    @Sendable
    private static func power(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .number(pow(try call.number(0), try call.number(1)))
    }

    @Sendable
    private static func arcTangentOfTwo(
        _ call: Arguments
    ) throws(ExpressionError) -> ExpressionValue {
        .number(atan2(try call.number(0), try call.number(1)))
    }
}
