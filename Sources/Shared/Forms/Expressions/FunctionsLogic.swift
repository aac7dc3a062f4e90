/// Truth, branches and defaults.
enum LogicFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction("true", .exactly(0)) { _ in .boolean(true) },
        ExpressionFunction("false", .exactly(0)) { _ in .boolean(false) },
        ExpressionFunction("not", .exactly(1), not),
        ExpressionFunction("boolean", .exactly(1), boolean),
        ExpressionFunction("boolean-from-string", .exactly(1), booleanFromString),
        ExpressionFunction("if", .exactly(3), choose),
        ExpressionFunction("coalesce", .atLeast(1), coalesce),
        ExpressionFunction("once", .exactly(1), once),
        ExpressionFunction("depend", .atLeast(1), first),
        ExpressionFunction("checklist", .atLeast(2), checklist),
        ExpressionFunction("weighted-checklist", .atLeast(2), weightedChecklist),
    ]

    @Sendable
    private static func not(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .boolean(!(try call.boolean(0)))
    }

    @Sendable
    private static func boolean(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .boolean(try call.boolean(0))
    }

    @Sendable
    private static func booleanFromString(
        _ call: Arguments
    ) throws(ExpressionError) -> ExpressionValue {
        .boolean(["true", "1"].contains(try call.text(0)))
    }

    @Sendable
    private static func choose(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        try call.boolean(0) ? call.value(1) : call.value(2)
    }

    @Sendable
    private static func coalesce(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        for index in 0..<(call.count - 1) {
            let value = try call.value(index)
            if !value.isBlank { return value }
        }
        return try call.value(call.count - 1)
    }

    /// What the node already holds; only while that is nothing, the argument.
    @Sendable
    private static func once(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let origin = call.evaluation.origin
        return origin.text.isEmpty ? try call.value(0) : .nodes([origin])
    }

    @Sendable
    private static func first(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        try call.value(0)
    }

    /// Whether as many are true as wanted; a negative limit is none.
    @Sendable
    private static func checklist(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let least = try call.number(0)
        let most = try call.number(1)
        let count = Double(try call.values(from: 2).count(where: \.boolean))
        return .boolean((least < 0 || count >= least) && (most < 0 || count <= most))
    }

    /// The same with a weight behind each of them, in pairs or as two paths.
    @Sendable
    private static func weightedChecklist(
        _ call: Arguments
    ) throws(ExpressionError) -> ExpressionValue {
        let least = try call.number(0)
        let most = try call.number(1)
        let (flags, weights) = try pairs(call)
        guard flags.count == weights.count else {
            throw call.problem("each condition needs one weight")
        }
        var sum = 0.0
        for (flag, weight) in zip(flags, weights) where flag.boolean {
            sum += weight.number(in: call.zone)
        }
        return .boolean((least < 0 || sum >= least) && (most < 0 || sum <= most))
    }

    private static func pairs(
        _ call: Arguments
    ) throws(ExpressionError) -> ([ExpressionValue], [ExpressionValue]) {
        if call.count == 4, case .nodes(let flags) = try call.value(2),
            case .nodes(let weights) = try call.value(3)
        {
            let place = call.call.place
            return (
                try call.evaluation.values(of: flags, at: place),
                try call.evaluation.values(of: weights, at: place)
            )
        }
        var flags: [ExpressionValue] = []
        var weights: [ExpressionValue] = []
        for index in 2..<call.count {
            let value = try call.value(index)
            if index % 2 == 0 { flags.append(value) } else { weights.append(value) }
        }
        return (flags, weights)
    }
}
