/// A text of a form in the languages that it has, with places where answers are put in.
///
/// Cleaned of escapes and control characters when it is made: forms come from strangers.
package struct FormText: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        case plain(String)
        /// What the expression comes to when the text is shown.
        case value(FormExpression)
    }

    /// In the form's default language.
    package let parts: [Part]
    /// In the other languages that have it.
    package let translations: [String: [Part]]

    package init(_ parts: [Part], translations: [String: [Part]] = [:]) {
        self.parts = Self.cleaned(parts)
        self.translations = translations.mapValues(Self.cleaned)
    }

    package init(_ text: String) {
        self.init([.plain(text)])
    }

    /// The text in a language, else in the default one.
    package func parts(in language: String?) -> [Part] {
        guard let language, let translated = translations[language] else { return parts }
        return translated
    }

    /// In the default language, with `…` where an answer is put in.
    package var plain: String { plain(in: nil) }

    package func plain(in language: String?) -> String {
        let parts = parts(in: language)
        if let text = Self.only(parts) { return text }
        return ShownText.clean(
            parts.map { part in
                switch part {
                case .plain(let text): text
                case .value: "…"
                }
            }.joined())
    }

    /// The text where nothing is put in: it was cleaned when it was made. Lists of 50,000 choices need
    /// each of theirs at once.
    static func only(_ parts: [Part]) -> String? {
        if parts.count == 1, case .plain(let text) = parts[0] { text } else { nil }
    }

    package var isBlank: Bool {
        parts.allSatisfy { part in
            if case .plain(let text) = part { text.allSatisfy(\.isWhitespace) } else { false }
        }
    }

    /// The expressions in all languages.
    package var expressions: [FormExpression] {
        ([parts] + translations.values).flatMap { parts in
            parts.compactMap { part in
                if case .value(let expression) = part { expression } else { nil }
            }
        }
    }

    /// One plain part is cleaned as a whole; beside an answer the spaces at its ends stay.
    private static func cleaned(_ parts: [Part]) -> [Part] {
        if let text = only(parts) { return [.plain(ShownText.clean(text))] }
        return parts.map { part in
            guard case .plain(let text) = part else { return part }
            let clean = ShownText.clean(text)
            let before = text.first?.isWhitespace == true && !clean.isEmpty ? " " : ""
            let after = text.last?.isWhitespace == true ? " " : ""
            return .plain(before + clean + after)
        }
    }
}
