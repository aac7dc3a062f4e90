/// Labels, hints and the texts of `itext`.
enum CaptionReading {
    /// The caption that a `label` or `hint` element is.
    static func read(_ element: XMLElement, _ warnings: inout WarningList) -> Caption? {
        if let reference = element["ref"], !reference.trimmed.isEmpty {
            if let caption = keyed(reference, at: element.place) { return caption }
            return .literal([.output(ExpressionText(reference, at: element.place))])
        }
        let parts = parts(of: element, &warnings)
        return parts.isBlank ? nil : .literal(parts)
    }

    /// A message: a text, or `jr:itext('key')`.
    static func message(_ text: String?, at place: FormPlace) -> Caption? {
        guard let text, !text.trimmed.isEmpty else { return nil }
        return keyed(text, at: place) ?? .literal([.plain(text.trimmed)])
    }

    static func keyed(_ reference: String, at place: FormPlace) -> Caption? {
        guard let argument = ExpressionScan.arguments(of: "jr:itext", in: reference)?.first else {
            return nil
        }
        if let key = ExpressionScan.literal(argument) { return .key(key) }
        return .keyExpression(ExpressionText(argument, at: place))
    }

    /// Text with `output` elements in it. Other elements are markup: their text counts.
    static func parts(of element: XMLElement, _ warnings: inout WarningList) -> [TextPart] {
        var parts: [TextPart] = []
        for item in element.content {
            switch item {
            case .text(let text): parts.append(.plain(text))
            case .element(let child) where child.name.local == "output":
                guard let value = child.expression("value") ?? child.expression("ref") else {
                    warnings.note("an output without value", kind: "output", at: child.place)
                    continue
                }
                parts.append(.output(value))
            case .element(let child):
                if child.name.namespace == Namespace.xforms {
                    warnings.note(
                        "\(child.name.local) in a label is not known and passed over",
                        kind: "label \(child.name.local)", at: child.place)
                }
                parts += self.parts(of: child, &warnings)
            }
        }
        return tidied(parts)
    }

    /// Line breaks and blanks of the XML's own layout at the ends are not part of the text.
    private static func tidied(_ parts: [TextPart]) -> [TextPart] {
        var parts = parts
        if case .plain(let text)? = parts.first {
            parts[0] = .plain(String(text.drop(while: \.isWhitespace)))
        }
        if case .plain(let text)? = parts.last {
            let kept = text.reversed().drop(while: \.isWhitespace).reversed()
            parts[parts.count - 1] = .plain(String(kept))
        }
        return parts.filter { $0 != .plain("") }
    }

    static func texts(
        _ itext: XMLElement, _ warnings: inout WarningList
    ) throws(FormImportError) -> FormTexts {
        var texts = FormTexts()
        for translation in itext.all("translation") {
            guard let language = translation["lang"], !language.isEmpty else {
                throw FormImportError(translation.place, "a translation without lang")
            }
            guard !texts.languages.contains(language) else {
                throw FormImportError(
                    translation.place, "the language \(language) is there twice")
            }
            texts.languages.append(language)
            if translation["default"] != nil { texts.defaultLanguage = language }
            var entries: [String: FormTexts.Entry] = [:]
            for text in translation.all("text") {
                guard let key = text["id"] else {
                    throw FormImportError(text.place, "a text without id")
                }
                guard entries[key] == nil else {
                    throw FormImportError(text.place, "the text \(key) is there twice")
                }
                entries[key] = entry(text, &warnings)
            }
            texts.entries[language] = entries
        }
        texts.defaultLanguage = texts.defaultLanguage ?? texts.languages.first
        return texts
    }

    private static func entry(
        _ text: XMLElement, _ warnings: inout WarningList
    ) -> FormTexts.Entry {
        var entry = FormTexts.Entry()
        for value in text.all("value") {
            let parts = parts(of: value, &warnings)
            switch value["form"] {
            case nil, "long"?: entry.text = entry.text ?? parts
            case let form?: entry.forms[form] = parts
            }
        }
        return entry
    }
}
