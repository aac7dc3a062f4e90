/// What comes between `CSI 200 ~` and `CSI 201 ~`, made harmless: line ends become `\n`, `\t` stays,
/// every other control character is dropped, so that a paste can neither end itself early nor carry
/// a sequence into a stored answer.
struct PasteCollector: Equatable, Sendable {
    private var bytes: [UInt8] = []
    /// How many bytes of the end mark the last ones match.
    private var matched = 0
    private static let endMark = Array("\u{1B}[201~".utf8)
    /// Beyond this the rest of a paste is dropped: 16 times what a field can hold.
    private static let limit = 1 << 20

    /// Takes a byte; true when it completes the end mark.
    mutating func take(_ byte: UInt8) -> Bool {
        let mark = PasteCollector.endMark
        if byte == mark[matched] {
            matched += 1
            return matched == mark.count
        }
        keep(mark[..<matched])
        matched = byte == mark[0] ? 1 : 0
        if matched == 0 { keep([byte]) }
        return false
    }

    private mutating func keep(_ more: some Collection<UInt8>) {
        guard bytes.count + more.count <= PasteCollector.limit else { return }
        bytes.append(contentsOf: more)
    }

    /// The event, or none for a paste without text, and an empty collector.
    mutating func finish() -> [InputEvent] {
        defer { self = PasteCollector() }
        let text = PasteCollector.cleaned(bytes)
        return text.isEmpty ? [] : [.paste(text)]
    }

    /// What stands here as keys, as far as it is whole characters, and forgets it.
    mutating func takeKeys() -> [InputEvent] {
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else {
            // Four bytes that are no character never become one.
            if bytes.count >= 4 { bytes = [] }
            return []
        }
        bytes = Array(rest)
        return PasteCollector.isDropped(scalar) ? [] : [.key(.character(scalar))]
    }

    static func cleaned(_ bytes: [UInt8]) -> String {
        var scalars = String.UnicodeScalarView()
        var afterReturn = false
        // The valid parts; a broken byte becomes nothing rather than a replacement character.
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar == "\r" || (scalar == "\n" && !afterReturn) {
                scalars.append("\n")
            } else if scalar == "\t" || !isDropped(scalar) {
                scalars.append(scalar)
            }
            afterReturn = scalar == "\r"
        }
        return String(scalars)
    }

    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar == "\u{FFFD}"
    }
}
