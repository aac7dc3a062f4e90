package import Coding

extension FormDefinition {
    /// The compiled JSON format, as `init(json:)` reads it. Keys that say nothing are left out.
    package var json: JSON {
        var members: [String: JSON] = [
            "format": .integer(FormDefinition.format),
            "id": .string(id),
            "version": .string(version),
            "title": .string(title),
            "sections": .array(sections.map(\.json)),
        ]
        if let recordName { members["recordName"] = .string(recordName) }
        return .object(members)
    }
}

extension Section {
    fileprivate var json: JSON {
        var members: [String: JSON] = [
            "name": .string(name),
            "title": .string(title),
            "questions": .array(questions.map(\.json)),
        ]
        if let relevant { members["relevant"] = relevant.json }
        return .object(members)
    }
}

extension Question {
    fileprivate var json: JSON {
        var members: [String: JSON] = [
            "path": .string(path),
            "label": .string(label),
            "type": .string(type.word),
            "merge": .string(merge),
        ]
        if type == .text(multiline: true) { members["multiline"] = .bool(true) }
        if let hint { members["hint"] = .string(hint) }
        if let unit { members["unit"] = .string(unit) }
        if let relevant { members["relevant"] = relevant.json }
        if weight != 1 { members["weight"] = .number(weight) }
        if !choices.isEmpty { members["choices"] = .array(choices.map(\.json)) }
        for (key, limit) in limits.named where limit != nil {
            members[key] = limit.map(JSON.number)
        }
        for (key, flag) in flags where flag { members[key] = .bool(true) }
        return .object(members)
    }

    private var flags: [(String, Bool)] {
        [
            ("required", required), ("previous", previous), ("critical", critical),
            ("photoOnFail", photoOnFail), ("findingOnFail", findingOnFail),
        ]
    }
}

extension QuestionType {
    /// The type's word in the compiled format, and in the store's table of questions.
    package var word: String {
        switch self {
        case .text: "text"
        case .integer: "integer"
        case .decimal: "decimal"
        case .choice: "choice"
        case .verdict: "verdict"
        case .date: "date"
        case .note: "note"
        }
    }
}

extension NumberLimits {
    fileprivate var named: [(String, Double?)] {
        [
            ("min", hardMinimum), ("max", hardMaximum), ("softMin", softMinimum),
            ("softMax", softMaximum),
        ]
    }
}

extension Choice {
    fileprivate var json: JSON {
        var members: [String: JSON] = ["name": .string(name), "label": .string(label)]
        if let verdict { members["verdict"] = .string(verdict.rawValue) }
        return .object(members)
    }
}

extension JSON {
    /// Whole numbers as integers, so that a limit of 0 does not become 0.0 on the way.
    fileprivate static func number(_ value: Double) -> JSON {
        Int64(exactly: value).map(JSON.integer) ?? .double(value)
    }
}
