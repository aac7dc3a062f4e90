/// Labels, hints and messages of a survey: in place when there is one language, else by key.
struct CaptionWriting {
    private(set) var texts = FormTexts()
    var references: NameReferences
    private let languages: [String]
    private let unnamed: String

    init(survey: Table, choices: Table?, settings: FormSettings, references: NameReferences) {
        self.references = references
        unnamed = settings.defaultLanguage ?? "default"
        var languages: [String] = []
        for language in survey.languages + (choices?.languages ?? [])
        where !languages.contains(language) {
            languages.append(language)
        }
        self.languages = languages
    }

    /// The texts with their languages in the order of the columns.
    func finished(_ settings: FormSettings) -> FormTexts {
        var finished = texts
        let used = texts.entries.keys
        finished.languages = languages.filter { used.contains($0) }
        if used.contains(unnamed), !finished.languages.contains(unnamed) {
            finished.languages.insert(unnamed, at: 0)
        }
        if let wanted = settings.defaultLanguage, finished.languages.contains(wanted) {
            finished.defaultLanguage = wanted
        } else {
            finished.defaultLanguage = finished.languages.first
        }
        return finished
    }

    mutating func label(of node: SurveyNode) throws(FormImportError) -> Caption? {
        if let label = node.generatedLabel { return .literal([.plain(label)]) }
        let hasMedia = Heading.media.contains { node.row[$0] != nil }
        let key = try caption("label", of: node, key: "label", isKeyed: hasMedia)
        guard hasMedia else { return key }
        for form in Heading.media { try companion(form, "label", of: node) }
        return .key("\(node.path):label")
    }

    mutating func hint(of node: SurveyNode) throws(FormImportError) -> Caption? {
        let hasGuidance = node.row["guidance_hint"] != nil
        let caption = try caption("hint", of: node, key: "hint", isKeyed: hasGuidance)
        guard hasGuidance else { return caption }
        try companion("guidance_hint", "hint", of: node)
        return .key("\(node.path):hint")
    }

    mutating func message(
        _ column: String, _ key: String, of node: SurveyNode
    ) throws(FormImportError) -> Caption? {
        try caption(column, of: node, key: key, isKeyed: false)
    }

    private mutating func caption(
        _ column: String, of node: SurveyNode, key: String, isKeyed: Bool
    ) throws(FormImportError) -> Caption? {
        let found = node.row.texts(column)
        guard !found.isEmpty else { return nil }
        let place = node.row.place(column)
        guard isKeyed || found.contains(where: { $0.language != nil }) else {
            return .literal(try references.parts(of: found[0].text, at: node, place: place))
        }
        let key = "\(node.path):\(key)"
        for text in found {
            let parts = try references.parts(of: text.text, at: node, place: place)
            let language = text.language ?? unnamed
            texts[key, language, default: FormTexts.Entry()].text = parts
        }
        return .key(key)
    }

    private mutating func companion(
        _ column: String, _ key: String, of node: SurveyNode
    ) throws(FormImportError) {
        let form = column == "guidance_hint" ? "guidance" : column
        for text in node.row.texts(column) {
            let parts = try references.parts(of: text.text, at: node, place: node.row.place(column))
            texts["\(node.path):\(key)", text.language ?? unnamed, default: FormTexts.Entry()]
                .forms[form] = form == "guidance" ? parts : Self.media(parts, form)
        }
    }

    /// The texts of one choice under `key`.
    mutating func choice(
        _ choice: ChoiceLists.Choice, key: String, root: SurveyNode
    ) throws(FormImportError) {
        for text in choice.row.texts("label") {
            let parts = try references.parts(
                of: text.text, at: root, place: choice.row.place("label"))
            texts[key, text.language ?? unnamed, default: FormTexts.Entry()].text = parts
        }
        for form in Heading.media {
            for text in choice.row.texts(form) {
                texts[key, text.language ?? unnamed, default: FormTexts.Entry()].forms[form] =
                    Self.media([.plain(text.text)], form)
            }
        }
        guard choice.row.texts("label").isEmpty else { return }
        let language = languages.first ?? unnamed
        texts[key, language, default: FormTexts.Entry()].text = [
            .plain(choice.row.isEmpty ? "Other" : choice.name)
        ]
    }

    /// `well.png` as `jr://images/well.png`.
    private static func media(_ parts: [TextPart], _ form: String) -> [TextPart] {
        let folder = ["image": "images", "big-image": "images"][form] ?? form
        guard case .plain(let name)? = parts.first, !name.contains("://") else { return parts }
        return [.plain("jr://\(folder)/\(name)")] + parts.dropFirst()
    }
}

extension FormTexts {
    subscript(key: String, language: String, default empty: Entry) -> Entry {
        get { entries[language]?[key] ?? empty }
        set { entries[language, default: [:]][key] = newValue }
    }
}
