/// What is shown: written in place, or looked up by key in the language that is chosen.
package enum Caption: Equatable, Sendable {
    case literal([TextPart])
    case key(String)
    /// The key is itself a value of the record, as a label in a repeat can have it.
    case keyExpression(ExpressionText)
}

package enum TextPart: Equatable, Sendable {
    case plain(String)
    /// A value that is put in when the text is shown.
    case output(ExpressionText)
}

/// The texts of a form by language and key.
package struct FormTexts: Equatable, Sendable {
    /// The text of one key in one language: itself and its companions.
    package struct Entry: Equatable, Sendable {
        package var text: [TextPart]?
        /// By form: `short`, `guidance`, and the names of `image`, `audio`, `video`, `big-image`.
        package var forms: [String: [TextPart]] = [:]

        package init(text: [TextPart]? = nil) {
            self.text = text
        }
    }

    /// In the order of the form.
    package var languages: [String] = []
    package var defaultLanguage: String?
    package var entries: [String: [String: Entry]] = [:]

    package init() {}

    package subscript(key: String, language: String) -> Entry? {
        get { entries[language]?[key] }
        set { entries[language, default: [:]][key] = newValue }
    }

    package func holds(_ key: String) -> Bool {
        languages.contains { entries[$0]?[key] != nil }
    }

    /// The text of a key: in this language, else in the default language, else in the first that
    /// has one, else the key itself. Never blank.
    package func text(of key: String, in language: String?) -> [TextPart] {
        let order = [language, defaultLanguage].compactMap { $0 } + languages
        for name in order {
            guard let entry = entries[name]?[key] else { continue }
            if let text = entry.text, !text.isBlank { return text }
            if let short = entry.forms["short"], !short.isBlank { return short }
        }
        return [.plain(key)]
    }

    /// A caption in a language; nil when it has to be evaluated first.
    package func text(of caption: Caption, in language: String?) -> [TextPart]? {
        switch caption {
        case .literal(let parts): parts
        case .key(let key): text(of: key, in: language)
        case .keyExpression: nil
        }
    }

    /// A companion of the text, as `guidance` or `image`, with the same order of languages.
    package func companion(_ form: String, of key: String, in language: String?) -> [TextPart]? {
        let order = [language, defaultLanguage].compactMap { $0 } + languages
        return order.lazy.compactMap { entries[$0]?[key]?.forms[form] }.first
    }
}

extension [TextPart] {
    /// Whether nothing would be seen of it.
    package var isBlank: Bool {
        allSatisfy { part in
            if case .plain(let text) = part { text.allSatisfy(\.isWhitespace) } else { false }
        }
    }
}
