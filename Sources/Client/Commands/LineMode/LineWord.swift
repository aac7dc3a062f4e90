internal import Arguments
internal import FieldApp

/// What can be typed in a place of the line mode: the one table for reading a line and for its help.
struct LineWord: Equatable, Sendable {
    enum Deed: Sendable, Equatable {
        case open, begin, filter, status, sync, help, leave
        case retry, discard
        case mine, theirs, edit
        case findings
        case say(FindingField)
    }

    enum Operand: Sendable, Equatable {
        case none
        /// The number of a line.
        case number
        /// The rest of the line.
        case text
        /// The same behind a space; nothing for an empty text.
        case words
    }

    let deed: Deed
    /// What the line begins with; empty for a line that is the operand alone.
    let word: String
    let operand: Operand
    let help: String

    /// How it is written, for the help.
    var form: String {
        switch operand {
        case .none: word
        case .number: word.isEmpty ? "NUMBER" : "\(word) NUMBER"
        case .text: "\(word)TEXT"
        case .words: "\(word) TEXT"
        }
    }

    private static let common = [
        LineWord(deed: .sync, word: "s", operand: .none, help: "synchronises now"),
        LineWord(deed: .help, word: "?", operand: .none, help: "says what can be typed here"),
    ]

    static let worklist =
        [
            LineWord(
                deed: .open, word: "", operand: .number,
                help:
                    "asks the questions of that inspection; the empty line shows the list again"),
            LineWord(
                deed: .begin, word: "a", operand: .number,
                help: "begins an inspection with the same form for the same equipment"),
            LineWord(
                deed: .filter, word: "/", operand: .text,
                help: "shows only what has the text in it; / alone shows all"),
            LineWord(
                deed: .findings, word: "f", operand: .number,
                help: "shows what is wrong there and not closed yet, to change it"),
            LineWord(
                deed: .findings, word: "f", operand: .none,
                help: "shows that of all inspections, what is due first"),
            LineWord(
                deed: .status, word: "t", operand: .none,
                help: "shows what has still to go, and why"),
        ] + common + [
            LineWord(deed: .leave, word: "q", operand: .none, help: "leaves; everything is kept")
        ]

    static let status =
        [
            LineWord(
                deed: .open, word: "", operand: .number,
                help: "opens the inspection of that change, or settles its conflict"),
            LineWord(
                deed: .retry, word: "r", operand: .number, help: "sends a failed change again"),
            LineWord(
                deed: .discard, word: "d", operand: .number,
                help: "gives a failed change up; asks first"),
        ] + common + [
            LineWord(deed: .leave, word: "q", operand: .none, help: "goes back to the worklist")
        ]

    static let conflict = [
        LineWord(deed: .mine, word: "m", operand: .none, help: "keeps the value of this device"),
        LineWord(deed: .theirs, word: "t", operand: .none, help: "takes the value of the others"),
        LineWord(
            deed: .edit, word: "e", operand: .none, help: "settles it with a third value"),
        LineWord(deed: .help, word: "?", operand: .none, help: "says what can be typed here"),
        LineWord(
            deed: .leave, word: "q", operand: .none, help: "leaves it undecided"),
    ]

    static let findings = [
        LineWord(deed: .open, word: "", operand: .number, help: "opens that one, to change it"),
        LineWord(deed: .help, word: "?", operand: .none, help: "says what can be typed here"),
        LineWord(
            deed: .leave, word: "q", operand: .none, help: "goes back to the worklist"),
    ]

    /// The options of `walkdown finding`, under the same names.
    static let finding =
        FindingField.allCases.map { field in
            let option = field.option
            return LineWord(
                deed: .say(field), word: option.name, operand: .words, help: option.help)
        } + [
            LineWord(
                deed: .help, word: "?", operand: .none, help: "says what can be typed here"),
            LineWord(deed: .leave, word: "q", operand: .none, help: "goes back to the list"),
        ]
}

/// A line that was read: what to do, and with what.
struct TypedWord: Equatable {
    var deed: LineWord.Deed
    var number: Int?
    var text = ""

    /// - Returns: nil for a line that means nothing here.
    init?(_ line: String, among words: [LineWord]) {
        let line = line.trimmingSpaces
        for word in words {
            guard let operand = Self.operand(of: line, word) else { continue }
            switch word.operand {
            case .none where operand.isEmpty: self.init(deed: word.deed)
            case .number:
                guard let number = Int(operand), number > 0 else { continue }
                self.init(deed: word.deed, number: number)
            case .text: self.init(deed: word.deed, text: operand)
            case .words:
                guard operand.isEmpty || Self.isApart(line, word) else { continue }
                self.init(deed: word.deed, text: operand)
            case .none: continue
            }
            return
        }
        return nil
    }

    private init(deed: LineWord.Deed, number: Int? = nil, text: String = "") {
        self.deed = deed
        self.number = number
        self.text = text
    }

    private static func isApart(_ line: String, _ word: LineWord) -> Bool {
        line.dropFirst(word.word.count).first?.isWhitespace == true
    }

    /// What stands behind the word; nil for another word.
    private static func operand(of line: String, _ word: LineWord) -> String? {
        guard line.lowercased().hasPrefix(word.word) else { return nil }
        return String(line.dropFirst(word.word.count)).trimmingSpaces
    }
}
