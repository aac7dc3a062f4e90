/// What a fault writes to put the terminal back, computed before it is needed.
package enum RestoreString {
    /// Mouse reports (xterm's 1000, 1002, 1006) and bracketed paste off.
    package static let modesOff = "\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1006l\u{1B}[?2004l"
    package static let pasteOn = "\u{1B}[?2004h"
    /// Presses and the wheel with places beyond column 223, no movement.
    package static let mouseOn = "\u{1B}[?1000h\u{1B}[?1006h"
    package static let mouseOff = "\u{1B}[?1006l\u{1B}[?1000l"

    /// `capability` gives terminfo's string of a name. Terminals that are not of the ANSI family get
    /// none of the private modes.
    package static func make(_ capability: (String) -> String?) -> String {
        var parts: [String] = []
        let isAnsi = capability("cup")?.hasPrefix("\u{1B}[") ?? false
        if isAnsi { parts.append(modesOff) }
        for name in ["sgr0", "op", "rmkx", "cnorm"] { parts.append(capability(name) ?? "") }
        if let leave = capability("rmcup") {
            parts.append(leave)
        } else {
            // Without a second screen the shell goes on below ours.
            parts.append(isAnsi ? "\u{1B}[r\u{1B}[999;1H\r\n" : "\r\n")
        }
        return parts.map(withoutPadding).joined()
    }

    /// terminfo(5) writes delays as `$<5>`: nobody waits for them after a fault.
    package static func withoutPadding(_ text: String) -> String {
        var kept = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "$") {
            kept += rest[..<start]
            let after = rest[rest.index(after: start)...]
            if after.first == "<", let end = after.firstIndex(of: ">") {
                rest = after[after.index(after: end)...]
            } else {
                kept += "$"
                rest = after
            }
        }
        return kept + rest
    }
}
