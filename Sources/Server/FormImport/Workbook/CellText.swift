/// How a cell's number becomes text: as its author sees it, not as the file stores it.
struct CellText {
    var usesYear1904 = false
    /// Whether the style of this number (`s`) shows a day, a time, or both.
    var styles: [DateStyle?] = []

    enum DateStyle: Equatable { case day, time, dayAndTime }

    func number(_ raw: String, style: Int?) -> String {
        guard let value = Double(raw), value.isFinite else { return raw }
        if let style, styles.indices.contains(style), let shown = styles[style],
            let text = date(value, shown)
        {
            return text
        }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        return String(value)
    }

    /// Days since the last day of 1899, or since 1 January 1904.
    private func date(_ serial: Double, _ style: DateStyle) -> String? {
        guard serial >= 0, serial < 2_958_466 else { return nil }
        let seconds = (serial * 86_400).rounded()
        let day = Int(seconds / 86_400)
        let clock = time(Int(seconds) - day * 86_400)
        if style == .time, day == 0 { return clock }
        let ymd = Self.day(day, usesYear1904: usesYear1904)
        return style == .day ? ymd : "\(ymd) \(clock)"
    }

    private func time(_ seconds: Int) -> String {
        [seconds / 3_600, seconds / 60 % 60, seconds % 60].map(Self.twoDigits)
            .joined(separator: ":")
    }

    /// The calendar day of a serial number. Spreadsheets believe in a 29 February 1900.
    static func day(_ serial: Int, usesYear1904: Bool) -> String {
        let sinceEpoch: Int
        if usesYear1904 {
            sinceEpoch = serial - 24_107
        } else {
            sinceEpoch = serial - (serial < 60 ? 25_568 : 25_569)
        }
        // Days to year, month and day (Hinnant, "chrono-compatible low-level date algorithms").
        let shifted = sinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let month = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        let civilYear = year + era * 400 + (civilMonth <= 2 ? 1 : 0)
        return "\(civilYear)-\(twoDigits(civilMonth))-\(twoDigits(day))"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : String(number)
    }

    /// `_x000D_` stands for a character that XML cannot hold.
    static func unescaped(_ text: String) -> String {
        guard text.contains("_x") else { return text }
        var result = ""
        var rest = text[...]
        while let found = rest.firstRange(of: "_x") {
            result += rest[..<found.lowerBound]
            let code = rest[found.upperBound...].prefix(5)
            if code.utf8.count == 5, code.last == "_",
                let value = UInt32(code.dropLast(), radix: 16),
                let scalar = UnicodeScalar(value)
            {
                result.unicodeScalars.append(scalar)
                rest = rest[code.endIndex...]
            } else {
                result += "_x"
                rest = rest[found.upperBound...]
            }
        }
        return result + rest
    }
}

extension CellText.DateStyle {
    /// The formats that every spreadsheet knows by number.
    init?(builtIn id: Int) {
        switch id {
        case 14...17: self = .day
        case 18...21, 45...47: self = .time
        case 22: self = .dayAndTime
        default: return nil
        }
    }

    /// A format of the workbook's own, as `yyyy\-mm\-dd`.
    init?(code: String) {
        var letters = ""
        var isQuoted = false
        var isBracketed = false
        var isEscaped = false
        for character in code.lowercased() {
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == "[" {
                isBracketed = true
            } else if character == "]" {
                isBracketed = false
            } else if character == ";" {
                break
            } else if !isQuoted, !isBracketed {
                letters.append(character)
            }
        }
        if letters.hasPrefix("general") { return nil }
        let hasDay = letters.contains("y") || letters.contains("d")
        let hasTime = letters.contains("h") || letters.contains("s")
        switch (hasDay, hasTime) {
        case (true, true): self = .dayAndTime
        case (true, false): self = .day
        case (false, true): self = .time
        case (false, false): return nil
        }
    }
}
