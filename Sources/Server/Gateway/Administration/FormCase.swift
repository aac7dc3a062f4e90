import Coding
import Forms

/// One case of a file of cases: answers in, and what should come of them.
struct FormCase {
    var name: String
    /// Milliseconds since 1970-01-01 UTC.
    var now: Int64
    var zone: ExpressionZone
    var language: String?
    /// Of the device, by ODK's names, such as `username`.
    var properties: [String: String]
    /// One after the other.
    var answers: [[String: JSON]]
    var expected: Expectation

    /// What is not named is not looked at.
    struct Expectation {
        var relevant: [String]
        var irrelevant: [String]
        var required: [String]
        var readonly: [String]
        /// By address; null stands for no answer.
        var values: [String: FieldValue]
        /// All that there are, by address, each with a part of its words.
        var problems: [String: String]?
        /// Whether the inspection could be completed.
        var complete: Bool?
        /// What the form calls the record.
        var name: String?
        var score: Score?
        /// Labels as they are shown.
        var texts: [String: String]
        /// Names of the choices that are offered.
        var offered: [String: [String]]
        /// Names of the texts that are ready for what is written there.
        var comments: [String: [String]]

        /// What the verdicts come to.
        struct Score {
            /// To the tenth; null for none.
            var percent: Double??
            /// Whether a critical item failed.
            var failed: Bool?
            var observed: Int64?
            var observable: Int64?
        }
    }

    static func read(_ json: JSON) throws(CodingError) -> [FormCase] {
        try json.array("cases") { value throws(CodingError) in try FormCase(json: value) }
    }

    /// An instant that no case depends on unless it says so.
    private static let defaultNow = "2026-01-01T12:00:00.000+00:00"

    init(json: JSON) throws(CodingError) {
        try Self.refuseOthers(
            in: json, ["name", "now", "language", "properties", "answers", "expect"])
        name = try json.string("name")
        let moment = try json.readOptional("now") { value throws(CodingError) in
            try value.asString()
        }
        guard let moment = PointInTime(moment ?? Self.defaultNow) else {
            throw CodingError(
                .unexpected, path: "now", "expected an instant: 2026-03-14T09:30:00.000+01:00")
        }
        now = moment.milliseconds
        zone = ExpressionZone(fixedOffset: moment.offset)
        language = try json.member("language")?.asString()
        properties =
            try json.member("properties") == nil
            ? [:]
            : json.dictionary("properties") { value throws(CodingError) in try value.asString() }
        answers = try Self.answers(json)
        expected = try json.read("expect") { value throws(CodingError) in
            try Expectation(json: value)
        }
    }

    /// One object, or several one after the other.
    private static func answers(_ json: JSON) throws(CodingError) -> [[String: JSON]] {
        switch try json.member("answers") {
        case nil: return []
        case .object(let members)?: return [members]
        default:
            return try json.array("answers") { value throws(CodingError) in
                guard case .object(let members) = value else {
                    throw CodingError(.unexpected, "expected an object")
                }
                return members
            }
        }
    }

    /// A mistyped key would let a case pass that looks at nothing.
    fileprivate static func refuseOthers(
        in json: JSON, _ known: Set<String>
    ) throws(CodingError) {
        guard case .object(let members) = json else {
            throw CodingError(.unexpected, "expected an object")
        }
        guard let other = members.keys.sorted().first(where: { !known.contains($0) }) else {
            return
        }
        throw CodingError(
            .unexpected, path: other,
            "is not known; there are " + known.sorted().joined(separator: ", "))
    }
}

extension FormCase.Expectation {
    fileprivate init(json: JSON) throws(CodingError) {
        try FormCase.refuseOthers(
            in: json,
            [
                "relevant", "irrelevant", "required", "readonly", "values", "problems", "complete",
                "name", "texts", "offered", "comments", "score",
            ])
        func text(_ value: JSON) throws(CodingError) -> String { try value.asString() }
        func names(_ key: String) throws(CodingError) -> [String] {
            try json.member(key) == nil ? [] : json.array(key, of: text)
        }
        func texts(_ key: String) throws(CodingError) -> [String: String]? {
            try json.member(key) == nil ? nil : json.dictionary(key, of: text)
        }
        relevant = try names("relevant")
        irrelevant = try names("irrelevant")
        required = try names("required")
        readonly = try names("readonly")
        values =
            try json.member("values") == nil
            ? [:]
            : json.dictionary("values") { value throws(CodingError) in
                value == .null ? .null : try FieldValue(json: value)
            }
        problems = try texts("problems")
        complete = try json.member("complete")?.asBool()
        name = try json.member("name")?.asString()
        score = try json.readOptional("score") { value throws(CodingError) in
            try Score(json: value)
        }
        self.texts = try texts("texts") ?? [:]
        func lists(_ key: String) throws(CodingError) -> [String: [String]] {
            guard try json.member(key) != nil else { return [:] }
            return try json.dictionary(key) { value throws(CodingError) in
                var names: [String] = []
                for name in try value.asArray() { names.append(try name.asString()) }
                return names
            }
        }
        offered = try lists("offered")
        comments = try lists("comments")
    }
}

extension FormCase.Expectation.Score {
    fileprivate init(json: JSON) throws(CodingError) {
        try FormCase.refuseOthers(in: json, ["percent", "failed", "observed", "observable"])
        if case .object(let members) = json, let value = members["percent"] {
            percent = .some(value == .null ? nil : try value.asDouble())
        }
        failed = try json.member("failed")?.asBool()
        observed = try json.member("observed")?.asInteger()
        observable = try json.member("observable")?.asInteger()
    }
}
