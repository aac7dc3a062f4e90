extension Question {
    /// Whether a question can have this path.
    package static func mayBeCalled(_ path: String) -> Bool {
        do throws(FormError) {
            try FormName.check(path: path, at: "")
            return true
        } catch {
            return false
        }
    }
}

/// Names in a form: ids, section names, question paths, choice names.
enum FormName {
    /// A letter or `_`, then letters, digits, `_`, `-`, `.`; ASCII, so that a name can be typed on
    /// every keyboard and be a column of a view. Built-in fields begin with `@` and cannot collide.
    static func check(
        _ name: String, at place: String, digitsMayLead: Bool = false
    ) throws(FormError) {
        guard name.utf8.count <= FormLimits.nameBytes else {
            throw FormError(.tooLarge, at: place, "longer than \(FormLimits.nameBytes) bytes")
        }
        guard isName(name[...], digitsMayLead: digitsMayLead) else {
            throw FormError(
                .badName, at: place,
                "a name has ASCII letters, digits, '_', '-' and '.', and begins with a letter")
        }
    }

    /// Names joined by `/`.
    static func check(path: String, at place: String) throws(FormError) {
        guard path.utf8.count <= FormLimits.nameBytes else {
            throw FormError(.tooLarge, at: place, "longer than \(FormLimits.nameBytes) bytes")
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ isName($0, digitsMayLead: false) }) else {
            throw FormError(
                .badName, at: place,
                "a path is names joined by '/', of ASCII letters, digits, '_', '-' and '.'")
        }
    }

    /// Where several can be chosen, names are stored as a list of words.
    static func isChoiceName(_ name: String, inList: Bool) -> Bool {
        guard !name.isEmpty, name.utf8.count <= FormLimits.nameBytes else { return false }
        if name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return true }
        return
            !name.unicodeScalars.contains {
                (inList && $0.properties.isWhitespace) || $0.value < 0x20
                    || (0x7F...0x9F).contains($0.value)
            }
    }

    private static func isName(_ name: Substring, digitsMayLead: Bool) -> Bool {
        guard let first = name.utf8.first else { return false }
        guard isLetter(first) || (digitsMayLead && isDigit(first)) else { return false }
        return name.utf8.allSatisfy {
            isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
