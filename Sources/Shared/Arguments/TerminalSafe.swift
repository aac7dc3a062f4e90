/// Text that may be shown on a terminal: without control characters, which could move the cursor,
/// change the title or answer for the person, and without the marks that turn the writing direction
/// of what follows.
///
/// A line break becomes a blank unless `keepingLines`; a tab becomes a blank.
package func terminalSafe(_ text: String, keepingLines: Bool = false) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x0A where keepingLines: safe.append(scalar)
        case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: safe.append(" ")
        case 0x00...0x1F, 0x7F...0x9F: continue
        case 0x202A...0x202E, 0x2066...0x2069: continue
        default: safe.append(scalar)
        }
    }
    return String(safe)
}

/// A value on one line and without tabs, so that rows and columns stay what they are: line ends, tabs
/// and the backslash itself are written with a backslash, as `mysql -B` and PostgreSQL's COPY do.
package func escapingLines(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\n": line.append(contentsOf: "\\n".unicodeScalars)
        case "\r": line.append(contentsOf: "\\r".unicodeScalars)
        case "\t": line.append(contentsOf: "\\t".unicodeScalars)
        case "\\": line.append(contentsOf: "\\\\".unicodeScalars)
        default: line.append(scalar)
        }
    }
    return String(line)
}
