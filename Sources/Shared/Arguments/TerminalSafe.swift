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
