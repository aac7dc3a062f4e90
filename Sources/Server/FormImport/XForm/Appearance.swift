/// Appearances: how a question wishes to be shown. One string of words; a call such as
/// `search('towns')` is one word.
enum Appearance {
    /// Heeded, or about looks that a terminal does not have, and lost without loss.
    private static let known: Set = [
        // What changes how one answers.
        "field-list", "minimal", "autocomplete", "search", "quick", "numbers", "multiline",
        "signature", "year", "month-year", "label", "list-nolabel", "list", "masked",
        "thousands-sep", "table-list", "summary", "hidden", "hidden-answer", "numeric", "url",
        // Looks.
        "compact", "quickcompact", "columns", "columns-pack", "columns-flex", "no-buttons",
        "no-label", "horizontal", "horizontal-compact", "vertical", "likert", "picker", "spinner",
        "no-ticks", "no-calendar", "rating", "combobox", "fuzzy", "counter", "center", "underline",
        "blue", "green", "lime", "yellow", "red", "h1", "h2", "h3", "h4", "h5", "h6", "li", "full",
        "image-map", "annotate", "draw", "new", "new-front", "new-rear", "front", "selfie",
        "newline", "big", "hide-input", "distress", "no-collapse",
        // Where one is: read as coordinates.
        "map", "maps", "placement-map", "bearing", "geopoint", "printer",
        // Calendars: a date is typed in ours.
        "bikram-sambat", "buddhist", "coptic", "ethiopian", "islamic", "myanmar", "persian",
    ]

    static func words(_ text: String?) -> [String] {
        guard let text else { return [] }
        var words: [String] = []
        var word = ""
        var depth = 0
        for character in text {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character.isWhitespace, depth <= 0 {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// Reads an appearance and warns of what is not known, once.
    static func read(
        _ text: String?, at place: FormPlace, _ warnings: inout WarningList
    ) -> [String] {
        let words = words(text)
        for word in words where !isKnown(word.lowercased()) {
            if word.hasPrefix("ex:") {
                warnings.note(
                    "another application (ex:) is not started; the answer is typed",
                    kind: "ex:", at: place)
            } else if word.hasPrefix("search(") {
                warnings.unsupported("appearance search(…)", at: place)
            } else {
                warnings.note(
                    "the appearance \(word) is not known and makes no difference",
                    kind: "appearance \(word)", at: place)
            }
        }
        return words
    }

    private static func isKnown(_ word: String) -> Bool {
        if known.contains(word) || word.hasPrefix("printer:") { return true }
        // `w4`, `columns-2`, `compact-2`: a width or a number of columns.
        let stem = word.reversed().drop { $0.isNumber }
        guard stem.count < word.count else { return false }
        return ["w", "columns-", "compact-", "quickcompact-"].contains(String(stem.reversed()))
    }
}
