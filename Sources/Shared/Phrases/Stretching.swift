/// How the stretched language is made of English.
enum Stretching {
    /// Keys are not translated, nor what is put in.
    static func stretched(_ key: String) -> String {
        var letters = 0
        var text = ""
        for word in words(of: key) {
            guard !keyNames.contains(word), !word.hasPrefix("%") else {
                text += word
                continue
            }
            text += word.map { accented[$0].map { String($0) } ?? String($0) }.joined()
            letters += word.count { $0.isLetter }
        }
        // A wide letter takes two cells.
        let more = (letters * 3 + 9) / 10
        return more == 0 ? text : text + " " + String(repeating: "語", count: more)
    }

    /// Runs of letters, digits and `%`, and what stands between them.
    private static func words(of key: String) -> [String] {
        var words: [String] = []
        var isWord = false
        for character in key {
            let isPart = character.isLetter || character.isNumber || character == "%"
            if isPart == isWord, !words.isEmpty {
                words[words.count - 1].append(character)
            } else {
                words.append(String(character))
            }
            isWord = isPart
        }
        return words
    }

    private static let accented: [Character: Character] = Dictionary(
        uniqueKeysWithValues: zip(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
            "áƀçđéƒĝĥíĵķĺɱñóþǫŕšţúṽŵẋýžÁƁÇĐÉƑĜĤÍĴĶĹṀÑÓÞǪŔŠŢÚṼŴẊÝŽ"))

    /// As they stand on the keys.
    private static let keyNames: Set<String> = [
        "Enter", "Esc", "Ctrl", "Shift", "Delete", "Down", "Up", "Left", "Right", "Tab", "F5", "F8",
        "walkdown", "doctor", "PIN",
    ]
}
