/// The heading of a column: `label::French (fr)` is the label in French, `bind::esri:type` an
/// attribute of the bind. Old spellings are read as the new.
struct Heading: Equatable, Hashable {
    /// In the spelling of today.
    var name: String
    var language: String?
    /// As it stands in the sheet.
    var written: String

    init?(_ text: String, in table: TableKind) {
        written = text.trimmed
        guard !written.isEmpty else { return nil }
        if let today = table.spellings[Self.plain(written)] {
            name = today
            return
        }
        let parts = Self.parts(of: written)
        let first = Self.plain(parts[0])
        if ["bind", "body", "control", "instance", "walkdown", "media"].contains(first),
            parts.count > 1
        {
            let isOld = first != "media" && !written.contains("::")
            let rest = isOld ? parts[1...].joined(separator: ":") : parts[1]
            name = Self.member(of: first, rest, in: table)
            guard !isOld else { return }
            language = parts.count > 2 && first == "media" ? parts[2] : nil
            if first == "bind", parts.count > 2 { language = parts[2] }
            return
        }
        name = table.spellings[first] ?? first
        guard parts.count > 1, Self.translatable.contains(name) else {
            if parts.count > 1 { name = written }
            return
        }
        language = parts[1...].joined(separator: "::")
    }

    static let translatable: Set = [
        "label", "hint", "guidance_hint", "constraint_message", "required_message", "image",
        "audio", "video", "big-image",
    ]

    static let media = ["image", "audio", "video", "big-image"]

    /// Split at `::`, or at `:` as it was once written; blanks around do not count.
    private static func parts(of text: String) -> [String] {
        let separator = text.contains("::") ? "::" : ":"
        var parts: [String] = []
        var rest = text[...]
        while let found = rest.firstRange(of: separator) {
            parts.append(rest[..<found.lowerBound].trimmed)
            rest = rest[found.upperBound...]
        }
        return parts + [rest.trimmed]
    }

    static func plain(_ text: String) -> String {
        text.trimmed.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: "_")
    }

    /// `bind::relevant` is the column `relevant`; what has no column keeps both words.
    private static func member(
        of first: String, _ rest: String, in table: TableKind
    ) -> String {
        switch (first, rest.lowercased()) {
        case ("media", let form): return form
        case ("bind", "relevant"), ("bind", "required"), ("bind", "constraint"),
            ("bind", "readonly"):
            return rest.lowercased()
        case ("bind", "calculate"): return "calculation"
        case ("bind", "jr:constraintmsg"): return "constraint_message"
        case ("bind", "jr:requiredmsg"): return "required_message"
        case ("body", "appearance"), ("control", "appearance"): return "appearance"
        case ("body", "jr:count"), ("control", "jr:count"): return "repeat_count"
        default: return "\(first)::\(rest)"
        }
    }
}

/// The sheets that mean something, and what their columns were called over the years.
enum TableKind: String {
    case survey, choices, settings
    case externalChoices = "external_choices"

    var spellings: [String: String] {
        switch self {
        case .survey: Self.ofSurvey
        case .choices, .externalChoices: Self.ofChoices
        case .settings: Self.ofSettings
        }
    }

    private static let ofSurvey = [
        "command": "type", "tag": "name", "value": "name", "caption": "label",
        "read_only": "readonly", "relevance": "relevant", "skip": "relevant",
        "constraint_message": "constraint_message", "constraining_message": "constraint_message",
        "constraintmsg": "constraint_message", "requiredmsg": "required_message",
        "required_message": "required_message", "calculate": "calculation",
        "count": "repeat_count", "jr:count": "repeat_count", "big_image": "big-image",
        "guidance": "guidance_hint",
    ]

    private static let ofChoices = [
        "caption": "label", "list": "list_name", "value": "name", "big_image": "big-image",
    ]

    private static let ofSettings = [
        "title": "form_title", "set_form_title": "form_title", "id_string": "form_id",
        "set_form_id": "form_id",
    ]
}
