/// A function that expressions may call.
struct ExpressionFunction: Sendable {
    let name: String
    let arity: Arity
    let evaluate: @Sendable (Arguments) throws(ExpressionError) -> ExpressionValue

    enum Arity: Equatable, Sendable {
        case exactly(Int)
        case between(Int, Int)
        case atLeast(Int)
        case oneOf([Int])
        /// 4, or 3 of which the first says that they are about a point.
        case listOrPoint
    }

    /// What stands in place of a list for parts of a point.
    static let pointMark = "@geopoint"

    init(
        _ name: String, _ arity: Arity,
        _ evaluate: @escaping @Sendable (Arguments) throws(ExpressionError) -> ExpressionValue
    ) {
        self.name = name
        self.arity = arity
        self.evaluate = evaluate
    }

    func arityProblem(of call: FunctionCall) -> ExpressionError? {
        let count = call.arguments.count
        let wanted: String
        switch arity {
        case .exactly(let number):
            if count == number { return nil }
            wanted = "\(number)"
        case .between(let least, let most):
            if (least...most).contains(count) { return nil }
            wanted = "\(least) to \(most)"
        case .atLeast(let least):
            if count >= least { return nil }
            wanted = "at least \(least)"
        case .oneOf(let numbers):
            if numbers.contains(count) { return nil }
            wanted = numbers.map { "\($0)" }.joined(separator: " or ")
        case .listOrPoint:
            if count == 4 { return nil }
            if count == 3, case .text(Self.pointMark)? = call.arguments.first { return nil }
            wanted = "4"
        }
        return ExpressionError(
            .wrongArity, at: call.place,
            "\(name)() takes \(wanted) arguments, not \(count)")
    }
}

/// All functions by name, one entry each in the files `Functions….swift`.
enum FunctionTable {
    static let all: [ExpressionFunction] =
        LogicFunctions.all + NumberFunctions.all + AggregateFunctions.all + TextFunctions.all
        + DateFunctions.all + NodeFunctions.all + RepeatFunctions.all + ChoiceFunctions.all
        + GeoFunctions.all + EncodingFunctions.all

    private static let byName = Dictionary(
        all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    static func function(named name: String) -> ExpressionFunction? { byName[name] }

    static func unknown(_ call: FunctionCall) -> ExpressionError {
        ExpressionError(
            .unknownFunction, at: call.place,
            "there is no function \(ShownText.clean(String(call.name.prefix(60))))()")
    }
}

/// The arguments of one call. Each is evaluated when it is asked for, so that a branch that is not
/// taken costs nothing and fails nothing.
struct Arguments {
    let call: FunctionCall
    let evaluation: Evaluation
    let context: Evaluation.Context

    var count: Int { call.arguments.count }
    var zone: ExpressionZone { evaluation.zone }
    var surroundings: ExpressionSurroundings { evaluation.surroundings }

    func value(_ index: Int) throws(ExpressionError) -> ExpressionValue {
        try evaluation.value(of: call.arguments[index], context)
    }

    func text(_ index: Int) throws(ExpressionError) -> String {
        let text = try value(index).text(in: zone)
        try evaluation.spend(bytes: text.utf8.count, at: call.place)
        return text
    }

    func number(_ index: Int) throws(ExpressionError) -> Double {
        try value(index).number(in: zone)
    }

    /// Towards zero; nil for what is no number, and for numbers that no list is as long as.
    func integer(_ index: Int) throws(ExpressionError) -> Int? {
        let number = try number(index).rounded(.towardZero)
        return number.isFinite && abs(number) < 1e15 ? Int(number) : nil
    }

    func boolean(_ index: Int) throws(ExpressionError) -> Bool {
        try value(index).boolean
    }

    func nodes(_ index: Int) throws(ExpressionError) -> [Node] {
        guard case .nodes(let nodes) = try value(index) else {
            throw problem("argument \(index + 1) has to be a path")
        }
        return nodes
    }

    /// The text of an argument, or of the context where there is none.
    func textOrContext() throws(ExpressionError) -> String {
        guard count == 0 else { return try text(0) }
        try evaluation.spend(context.node.entry.size, at: call.place)
        let text = context.node.text
        try evaluation.spend(bytes: text.utf8.count, at: call.place)
        return text
    }

    /// The values from this argument on; a path counts as all of its nodes.
    func values(from first: Int) throws(ExpressionError) -> [ExpressionValue] {
        var values: [ExpressionValue] = []
        for index in first..<max(first, count) {
            let value = try value(index)
            if case .nodes(let nodes) = value {
                values += try evaluation.values(of: nodes, at: call.place)
            } else {
                values.append(value)
            }
        }
        return values
    }

    func problem(_ message: String) -> ExpressionError {
        ExpressionError(.badArgument, at: call.place, "\(call.name)(): \(message)")
    }

    /// A text that the function has made, if it is not too long.
    func made(_ text: String) throws(ExpressionError) -> ExpressionValue {
        guard text.utf8.count <= ExpressionLimits.textBytes else {
            throw ExpressionError(
                .tooLarge, at: call.place,
                "\(call.name)() made a text of more than \(ExpressionLimits.textBytes) bytes")
        }
        try evaluation.spend(bytes: text.utf8.count, at: call.place)
        return .text(text)
    }
}
