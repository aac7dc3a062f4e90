import Forms

extension FormCompiler {
    /// The default language first.
    var languages: [String] {
        let first = form.texts.defaultLanguage ?? form.texts.languages.first
        return [first].compactMap(\.self) + form.texts.languages.filter { $0 != first }
    }

    /// Nil where there is no caption, or nothing to be seen of it.
    func text(_ caption: Caption?) throws(FormImportError) -> FormText? {
        switch caption {
        case nil: return nil
        case .literal(let parts)?:
            let text = FormText(try self.parts(parts))
            return text.isBlank ? nil : text
        case .key(let key)?: return try text(ofKey: key)
        case .keyExpression(let expression)?:
            let key = try self.expression(expression, "label")
            return key.map { FormText([.value($0)]) }
        }
    }

    func text(ofKey key: String) throws(FormImportError) -> FormText? {
        let first = try parts(form.texts.text(of: key, in: languages.first))
        var translations: [String: [FormText.Part]] = [:]
        for language in languages.dropFirst() {
            guard let written = form.texts.entries[language]?[key]?.text, !written.isBlank else {
                continue
            }
            let parts = try parts(written)
            if parts != first { translations[language] = parts }
        }
        let text = FormText(first, translations: translations)
        return text.isBlank ? nil : text
    }

    private func parts(_ parts: [TextPart]) throws(FormImportError) -> [FormText.Part] {
        var compiled: [FormText.Part] = []
        for part in parts {
            switch part {
            case .plain(let text): compiled.append(.plain(Markup.reduced(text)))
            case .output(let expression):
                guard let value = try self.expression(expression, "output") else { continue }
                compiled.append(.value(value))
            }
        }
        return compiled.isEmpty ? [.plain("")] : compiled
    }
}

/// Markdown and the HTML that labels have, reduced to the words: a cell has no headings.
enum Markup {
    private static let tags: Set = [
        "b", "i", "u", "em", "strong", "span", "font", "p", "br", "h1", "h2", "h3", "h4", "h5",
        "h6", "ul", "ol", "li", "a", "small", "big", "center", "div", "hr", "sup", "sub", "code",
    ]

    static func reduced(_ text: String) -> String {
        let words = text.contains("<") ? withoutTags(text) : text
        guard words.contains("*") || words.contains("#") || words.contains("_") else {
            return words
        }
        return words.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                let words = withoutHeading(line).replacing("**", with: "")
                    .replacing("__", with: "")
                return withoutEmphasis(withoutEmphasis(String(words), "*"), "_")
            }
            .joined(separator: "\n")
    }

    /// `*word*` around whole words; `2 * 3 * 4`, `file_name_here` and a lone `Name*` stay.
    private static func withoutEmphasis(_ line: String, _ mark: Character) -> String {
        guard line.contains(mark) else { return line }
        var words = ""
        var rest = line[...]
        while let start = rest.firstIndex(of: mark) {
            let inner = rest[rest.index(after: start)...]
            words += rest[..<start]
            guard !isWord(words.last), let first = inner.first, !first.isWhitespace,
                let end = inner.dropFirst().firstIndex(of: mark),
                !inner[inner.index(before: end)].isWhitespace,
                !isWord(inner[inner.index(after: end)...].first)
            else {
                words.append(mark)
                rest = inner
                continue
            }
            words += inner[..<end]
            rest = inner[inner.index(after: end)...]
        }
        return words + rest
    }

    private static func isWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
    }

    private static func withoutHeading(_ line: Substring) -> Substring {
        let marks = line.prefix { $0 == "#" }.count
        let rest = line.dropFirst(marks)
        return (1...6).contains(marks) && rest.first == " " ? rest.dropFirst() : line
    }

    /// Only what is a tag: `a < b` stays.
    private static func withoutTags(_ text: String) -> String {
        var words = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            words += rest[..<start]
            let inner = rest[rest.index(after: start)...]
            guard let close = inner.prefix(200).firstIndex(of: ">") else {
                rest = rest[start...]
                break
            }
            let name = inner[..<close].drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
            if tags.contains(name.lowercased()) {
                if ["br", "p", "li", "div", "hr"].contains(name.lowercased()) { words += " " }
                rest = inner[inner.index(after: close)...]
            } else {
                words += "<"
                rest = inner
            }
        }
        return words + rest
    }
}
