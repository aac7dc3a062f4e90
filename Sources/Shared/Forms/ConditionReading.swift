import Coding

/// Conditions of compiled JSON as hand-written forms have them, read as expressions over the record
/// `/data`: `{"question":"q","is":">=","value":5}`, `{"question":"q","is":"selected","value":"a"}`,
/// `{"question":"q","is":"answered"}`, `{"all":[…]}`, `{"any":[…]}`, `{"not":{…}}`.
struct ConditionReading {
    private static let comparisons = ["=", "!=", "<", "<=", ">", ">="]
    private var terms = 0

    /// The text of the expression.
    static func text(of reader: FormReader) throws(FormError) -> String {
        var reading = ConditionReading()
        return try reading.text(of: reader, depth: 1)
    }

    private mutating func text(
        of reader: FormReader, depth: Int
    ) throws(FormError) -> String {
        terms += 1
        guard depth <= FormLimits.conditionDepth, terms <= FormLimits.conditionTerms else {
            throw FormError(
                .tooLarge, at: reader.path,
                "nested deeper than \(FormLimits.conditionDepth) or longer than "
                    + "\(FormLimits.conditionTerms) terms")
        }
        let members = try reader.members()
        if members.value("question") != nil { return try test(members) }
        if let all = try members.optionalList("all", atMost: FormLimits.conditionTerms) {
            return try joined(all, by: " and ", none: "true()", depth: depth)
        }
        if let any = try members.optionalList("any", atMost: FormLimits.conditionTerms) {
            return try joined(any, by: " or ", none: "false()", depth: depth)
        }
        if let inner = members.value("not") {
            let reader = FormReader(inner, at: members.place("not"))
            return "not(" + (try text(of: reader, depth: depth + 1)) + ")"
        }
        throw FormError(
            .badCondition, at: reader.path, "a condition has question, all, any or not")
    }

    private mutating func joined(
        _ readers: [FormReader], by word: String, none: String, depth: Int
    ) throws(FormError) -> String {
        var texts: [String] = []
        for reader in readers { texts.append(try text(of: reader, depth: depth + 1)) }
        return texts.isEmpty ? none : "(" + texts.joined(separator: word) + ")"
    }

    private func test(_ members: FormReader.Members) throws(FormError) -> String {
        let question = try members.text("question")
        try FormName.check(path: question, at: members.place("question"))
        let path = "/data/" + question
        let test = try members.text("is")
        switch test {
        case "answered": return path + " != ''"
        case "selected": return "selected(\(path), \(Self.quoted(try members.text("value"))))"
        default:
            guard Self.comparisons.contains(test) else {
                throw FormError(
                    .badCondition, at: members.place("is"),
                    "expected = != < <= > >= selected or answered")
            }
            return "\(path) \(test) " + (try constant(members))
        }
    }

    private func constant(_ members: FormReader.Members) throws(FormError) -> String {
        guard let json = members.value("value") else {
            throw FormError(.badCondition, at: members.place("value"), "is missing")
        }
        let value: FieldValue
        do {
            value = try FieldValue(json: json)
        } catch {
            throw FormError(
                .badCondition, at: members.place("value"), "expected a number or a text")
        }
        switch value {
        case .null:
            throw FormError(
                .badCondition, at: members.place("value"), "compares with nothing; use answered")
        case .string(let text): return Self.quoted(text)
        case .integer, .double: return value.formText
        }
    }

    /// As a literal: XPath has no escapes, so a text with both kinds of quotes is put together.
    static func quoted(_ text: String) -> String {
        if !text.contains("'") { return "'\(text)'" }
        if !text.contains("\"") { return "\"\(text)\"" }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "concat(" + parts.map { "'\($0)'" }.joined(separator: ", \"'\", ") + ")"
    }
}
