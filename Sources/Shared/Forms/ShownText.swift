/// Text of a form made safe to stand on a screen.
///
/// Labels, hints and choices come from strangers. An escape sequence among them could move the
/// cursor or retitle the window, a bidirectional override could turn a row around. Answers are
/// stored byte for byte; only what is *shown* goes through here.
package enum ShownText {
    /// The text without escape sequences, control characters and direction overrides; each run of
    /// white space, line ends included, becomes one space.
    package static func clean(_ text: String) -> String {
        if isCleanASCII(text) { return text }
        var out = String.UnicodeScalarView()
        var pendingSpace = false
        var scalars = Scanner(text)
        while let scalar = scalars.next() {
            if scalar.properties.isWhitespace {
                pendingSpace = true
            } else if !isHarmful(scalar) {
                if pendingSpace && !out.isEmpty { out.append(" ") }
                pendingSpace = false
                out.append(scalar)
            }
        }
        return String(out)
    }

    /// As nearly all labels of long lists are: printable, and no two spaces together or at an end.
    private static func isCleanASCII(_ text: String) -> Bool {
        var isAfterSpace = true
        for byte in text.utf8 {
            guard byte > 0x20 || (byte == 0x20 && !isAfterSpace), byte < 0x7F else { return false }
            isAfterSpace = byte == 0x20
        }
        return !isAfterSpace || text.isEmpty
    }

    /// Whether a stored or typed text holds something that no answer may hold: control characters
    /// other than, in a long text, line end and tab.
    package static func hasControlCharacters(_ text: String, multiline: Bool) -> Bool {
        text.unicodeScalars.contains { scalar in
            if multiline && (scalar == "\n" || scalar == "\t") { return false }
            return isControl(scalar)
        }
    }

    /// A text that a form works out made fit to be an answer: without escape sequences and control
    /// characters. Line ends and tabs stay in a long text and are spaces in a short one.
    package static func answer(_ text: String, multiline: Bool) -> String {
        guard hasControlCharacters(text, multiline: multiline) else { return text }
        var out = String.UnicodeScalarView()
        var scalars = Scanner(text)
        while let scalar = scalars.next() {
            if scalar == "\n" || scalar == "\t" {
                out.append(multiline ? scalar : " ")
            } else if !isControl(scalar) {
                out.append(scalar)
            }
        }
        return String(out)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: true  // embeddings, overrides, isolates
        case 0xFEFF, 0xFFF9...0xFFFB: true  // byte-order mark, interlinear marks
        default: isControl(scalar) || scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// Scalars of a text with whole escape sequences (ECMA-48: CSI, OSC and other strings, two-byte
    /// escapes) left out.
    private struct Scanner {
        private var rest: Substring.UnicodeScalarView

        init(_ text: String) { rest = text[...].unicodeScalars }

        mutating func next() -> Unicode.Scalar? {
            while let scalar = rest.popFirst() {
                switch scalar.value {
                case 0x1B: skipEscape()
                case 0x9B: skipControlSequence()
                case 0x90, 0x98, 0x9D, 0x9E, 0x9F: skipString()
                default: return scalar
                }
            }
            return nil
        }

        private mutating func skipEscape() {
            switch rest.popFirst() {
            case "[": skipControlSequence()
            case "]", "P", "X", "^", "_": skipString()
            case let other?:
                // nF escapes: intermediates, then one final byte.
                if (0x20...0x2F).contains(other.value) { skipIntermediates() }
            case nil: break
            }
        }

        private mutating func skipIntermediates() {
            while let scalar = rest.popFirst(), (0x20...0x2F).contains(scalar.value) {}
        }

        private mutating func skipControlSequence() {
            while let scalar = rest.popFirst(), (0x20...0x3F).contains(scalar.value) {}
        }

        /// Ends at BEL or at the string terminator. An unterminated one must not swallow the whole
        /// label: then only its introducer goes.
        private mutating func skipString() {
            let start = rest
            while let scalar = rest.popFirst() {
                if scalar.value == 0x07 || scalar.value == 0x9C { return }
                if scalar.value == 0x1B {
                    if rest.first == "\\" { rest.removeFirst() }
                    return
                }
            }
            rest = start
        }
    }
}
