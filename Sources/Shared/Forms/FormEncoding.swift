package import Coding

/// Writes the compiled JSON format, number 2 (see README.md beside this file). Keys that say nothing
/// are left out.
extension FormDefinition {
    package var json: JSON {
        var lists = ListWriting()
        var members: [String: JSON] = [
            "format": .integer(FormDefinition.format),
            "id": .string(id),
            "version": .string(version),
            "title": .string(title),
            "sections": .array(sections.map { $0.json(&lists) }),
        ]
        if parts.root != "data" { members["root"] = .string(parts.root) }
        members["recordName"] = recordName.map { .string($0) }
        members["instanceName"] = parts.instanceName?.json
        members["languages"] =
            parts.languages.isEmpty
            ? nil : .array(parts.languages.map { .string($0) })
        members["hidden"] =
            parts.hidden.isEmpty
            ? nil : .array(parts.hidden.map { .object($0.members(&lists)) })
        members["groups"] = parts.groups.isEmpty ? nil : .array(parts.groups.map(\.json))
        members["actions"] = parts.actions.isEmpty ? nil : .array(parts.actions.map(\.json))
        members["rows"] = parts.rows.isEmpty ? nil : .array(parts.rows.map(\.json))
        members["lists"] = lists.json
        if !parts.lists.isEmpty {
            members["instances"] = .object(parts.lists.mapValues { InstanceCoding.json(of: $0) })
        }
        return .object(members)
    }
}

/// Lists that several questions share are written once.
private struct ListWriting {
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var lists: [ChoiceList] = []

    mutating func number(of list: ChoiceList) -> Int {
        if let number = numbers[ObjectIdentifier(list)] { return number }
        numbers[ObjectIdentifier(list)] = lists.count
        lists.append(list)
        return lists.count - 1
    }

    var json: JSON? {
        lists.isEmpty ? nil : .array(lists.map { .array($0.choices.map(\.json)) })
    }
}

extension Section {
    fileprivate func json(_ lists: inout ListWriting) -> JSON {
        var members: [String: JSON] = ["name": .string(name), "title": text.json]
        members["relevant"] = relevant?.json
        var items: [JSON] = []
        for item in self.items { item.write(to: &items, &lists) }
        members["questions"] = .array(items)
        return .object(members)
    }
}

extension FormItem {
    /// Groups and repeats as a beginning and an end, so that a document is no deeper for them.
    fileprivate func write(to items: inout [JSON], _ lists: inout ListWriting) {
        switch self {
        case .question(let question): items.append(.object(question.members(&lists)))
        case .group(let group):
            var members: [String: JSON] = ["begin": .string("group")]
            members["path"] = group.path.map { .string($0) }
            members["title"] = group.text?.json
            if group.isFieldList { members["fieldList"] = .bool(true) }
            items.append(.object(members))
            for item in group.items { item.write(to: &items, &lists) }
            items.append(.object(["end": .string("group")]))
        case .repetition(let repetition):
            var members: [String: JSON] = [
                "begin": .string("repeat"), "path": .string(repetition.path),
            ]
            members["title"] = repetition.text?.json
            members["count"] = repetition.count?.json
            if repetition.isFixed { members["fixed"] = .bool(true) }
            items.append(.object(members))
            for item in repetition.items { item.write(to: &items, &lists) }
            items.append(.object(["end": .string("repeat")]))
        }
    }
}

extension Question {
    fileprivate func members(_ lists: inout ListWriting) -> [String: JSON] {
        var members: [String: JSON] = [
            "path": .string(path),
            "label": text.json,
            "type": .string(type.word),
            "merge": .string(merge),
        ]
        if type == .text(multiline: true) { members["multiline"] = .bool(true) }
        members["hint"] = hintText?.json
        members["unit"] = unit.map { .string($0) }
        members["initial"] = initial.map { .string($0) }
        for (key, expression) in rules.named { members[key] = expression.json }
        members["constraintMessage"] = rules.constraintText?.json
        members["requiredMessage"] = rules.requiredText?.json
        if weight != 1 { members["weight"] = .number(weight) }
        if !choices.isEmpty { members["list"] = .integer(Int64(lists.number(of: list))) }
        if !comments.isEmpty { members["comments"] = .integer(Int64(lists.number(of: comments))) }
        if let filter {
            members["filter"] = filter.nodeset.json
            members["filterValue"] = .string(filter.valueName)
            members["filterLabel"] = filter.labelName.map { .string($0) }
        }
        if !appearance.isEmpty {
            members["appearance"] = .array(appearance.sorted().map { .string($0) })
        }
        for (key, limit) in limits.named where limit != nil {
            members[key] = limit.map(JSON.number)
        }
        for (key, flag) in flags where flag { members[key] = .bool(true) }
        return members
    }

    private var flags: [(String, Bool)] {
        [
            ("previous", previous), ("critical", critical), ("photoOnFail", photoOnFail),
            ("findingOnFail", findingOnFail),
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
        case .choices: "choices"
        case .ranking: "ranking"
        case .verdict: "verdict"
        case .date: "date"
        case .time: "time"
        case .dateTime: "dateTime"
        case .point: "point"
        case .trace: "trace"
        case .shape: "shape"
        case .barcode: "barcode"
        case .file: "file"
        case .acknowledge: "acknowledge"
        case .note: "note"
        }
    }
}

extension NumberLimits {
    /// By their keys in the compiled format.
    var named: [(String, Double?)] {
        [
            ("min", hardMinimum), ("max", hardMaximum), ("softMin", softMinimum),
            ("softMax", softMaximum), ("step", step),
        ]
    }
}

extension Choice {
    fileprivate var json: JSON {
        var members: [String: JSON] = ["name": .string(name), "label": text.json]
        members["verdict"] = verdict.map { .string($0.rawValue) }
        return .object(members)
    }
}

extension GroupRules {
    fileprivate var json: JSON {
        var members: [String: JSON] = ["path": .string(path)]
        members["relevant"] = relevant?.json
        members["readonly"] = readonly?.json
        return .object(members)
    }
}

extension FormAction {
    fileprivate var json: JSON {
        var members: [String: JSON] = [
            "events": .array(events.map(\.rawValue).sorted().map { .string($0) }),
            "target": .string(target),
        ]
        members["source"] = source.map { .string($0) }
        switch value {
        case .expression(let expression): members["expression"] = expression.json
        case .literal(let text): members["literal"] = .string(text)
        case .property(let name): members["property"] = .string(name)
        }
        return .object(members)
    }
}

extension InitialRow {
    fileprivate var json: JSON {
        var members: [String: JSON] = [
            "repeat": .string(path), "values": .object(values.mapValues { .string($0) }),
        ]
        members["in"] = parent.map { .integer(Int64($0)) }
        return .object(members)
    }
}

extension FormExpression {
    fileprivate var json: JSON { .string(source) }
}

extension FormText {
    /// A string where that says all.
    fileprivate var json: JSON {
        guard !translations.isEmpty else { return Self.json(parts) }
        return .object([
            "text": Self.json(parts), "in": .object(translations.mapValues { Self.json($0) }),
        ])
    }

    private static func json(_ parts: [Part]) -> JSON {
        if parts.count == 1, case .plain(let text) = parts[0] { return .string(text) }
        return .array(
            parts.map { part in
                switch part {
                case .plain(let text): .string(text)
                case .value(let expression): .object(["value": expression.json])
                }
            })
    }
}

extension JSON {
    /// Whole numbers as integers, so that a limit of 0 does not become 0.0 on the way.
    fileprivate static func number(_ value: Double) -> JSON {
        Int64(exactly: value).map(JSON.integer) ?? .double(value)
    }
}
