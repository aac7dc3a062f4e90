import Coding

/// Conditions in compiled JSON:
/// `{"question":"q","is":">=","value":5}`, `{"question":"q","is":"selected","value":"a"}`,
/// `{"question":"q","is":"answered"}`, `{"all":[…]}`, `{"any":[…]}`, `{"not":{…}}`.
extension Condition {
    init(reading reader: FormReader, depth: Int) throws(FormError) {
        guard depth <= FormLimits.conditionDepth else {
            throw FormError(
                .tooLarge, at: reader.path,
                "conditions nest at most \(FormLimits.conditionDepth) deep")
        }
        let members = try reader.members()
        if members.value("question") != nil {
            self = try Self.test(members)
        } else if let all = try members.optionalList("all", atMost: FormLimits.conditionTerms) {
            self = .all(try Self.list(all, depth: depth + 1))
        } else if let any = try members.optionalList("any", atMost: FormLimits.conditionTerms) {
            self = .any(try Self.list(any, depth: depth + 1))
        } else if let inner = members.value("not") {
            self = .not(
                try Condition(
                    reading: FormReader(inner, at: members.place("not")), depth: depth + 1))
        } else {
            throw FormError(
                .badCondition, at: reader.path, "a condition has question, all, any or not")
        }
    }

    private static func list(
        _ readers: [FormReader], depth: Int
    ) throws(FormError) -> [Condition] {
        var conditions: [Condition] = []
        for reader in readers {
            conditions.append(try Condition(reading: reader, depth: depth))
        }
        return conditions
    }

    private static func test(_ members: FormReader.Members) throws(FormError) -> Condition {
        let question = try members.text("question")
        let test = try members.text("is")
        switch test {
        case "answered":
            return .answered(question: question)
        case "selected":
            return .selected(question: question, name: try members.text("value"))
        default:
            guard let comparison = Comparison(rawValue: test) else {
                throw FormError(
                    .badCondition, at: members.place("is"),
                    "expected = != < <= > >= selected or answered")
            }
            return .compare(question: question, comparison, try constant(members))
        }
    }

    private static func constant(_ members: FormReader.Members) throws(FormError) -> FieldValue {
        guard let json = members.value("value") else {
            throw FormError(.badCondition, at: members.place("value"), "is missing")
        }
        do {
            return try FieldValue(json: json)
        } catch {
            throw FormError(
                .badCondition, at: members.place("value"), "expected a number or a text")
        }
    }

    var json: JSON {
        switch self {
        case .compare(let question, let comparison, let value):
            .object([
                "question": .string(question), "is": .string(comparison.rawValue),
                "value": value.json,
            ])
        case .selected(let question, let name):
            .object([
                "question": .string(question), "is": .string("selected"), "value": .string(name),
            ])
        case .answered(let question):
            .object(["question": .string(question), "is": .string("answered")])
        case .all(let conditions):
            .object(["all": .array(conditions.map(\.json))])
        case .any(let conditions):
            .object(["any": .array(conditions.map(\.json))])
        case .not(let condition):
            .object(["not": condition.json])
        }
    }
}
