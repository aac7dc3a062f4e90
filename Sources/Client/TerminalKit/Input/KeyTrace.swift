/// What came from the terminal, piece by piece: the bytes of one key beside what the decoder made of
/// them. For whoever wants to know what a key sends. A pure core like the decoder.
package struct KeyTrace: Sendable {
    package struct Entry: Equatable, Sendable {
        package let bytes: [UInt8]
        /// None where the bytes mean nothing that is known: they were swallowed.
        package let events: [InputEvent]
        /// A whole sequence that means nothing known, so that it can be learned as a key.
        package let isStranger: Bool
    }

    private var decoder = InputDecoder()
    /// Those that no event has come of yet.
    private var bytes: [UInt8] = []
    /// More of one piece, as of a long paste, are not kept.
    private static let longest = 4_096
    /// More of one sequence are no key.
    private static let longestSequence = 32

    /// - Parameter learned: keys of this terminal alone, by what each sends.
    package init(learned: [[UInt8]: KeyEvent] = [:]) { decoder.learned = learned }

    /// When what is begun ends by itself, in the caller's milliseconds.
    package var deadline: Int64? { decoder.deadline }

    package mutating func feed(_ more: some Sequence<UInt8>, at now: Int64) -> [Entry] {
        var entries = expire(at: now)
        for byte in more {
            if bytes.count < Self.longest { bytes.append(byte) }
            let events = decoder.feed([byte], at: now)
            if decoder.isIdle {
                entries += take(events, isWhole: true)
            } else if !events.isEmpty {
                // The byte ended one key and begins the next: ESC after ESC.
                let next = bytes.popLast()
                entries += take(events, isWhole: true)
                bytes = [next].compactMap(\.self)
            }
        }
        return entries
    }

    /// Lets the deadline pass when it has.
    package mutating func expire(at now: Int64) -> [Entry] {
        let wasIdle = decoder.isIdle
        let events = decoder.expire(at: now)
        return decoder.isIdle && !wasIdle ? take(events, isWhole: false) : []
    }

    private mutating func take(_ events: [InputEvent], isWhole: Bool) -> [Entry] {
        defer { bytes = [] }
        guard !bytes.isEmpty || !events.isEmpty else { return [] }
        let isSequence =
            bytes.starts(with: [0x1B, UInt8(ascii: "[")])
            || bytes.starts(with: [0x1B, UInt8(ascii: "O")])
        let isStranger =
            isWhole && isSequence && events.isEmpty && bytes.count <= Self.longestSequence
        return [Entry(bytes: bytes, events: events, isStranger: isStranger)]
    }
}

extension KeyTrace.Entry {
    /// `1b 5b 41`; of a long piece the beginning, and of what was pasted or scanned only what says that it
    /// was: it may be a PIN.
    package var hex: String {
        let shown = shownBytes.prefix(12)
        let rest = bytes.count - shown.count
        return shown.map(Self.hex).joined(separator: " ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// The bytes of a key; of what was pasted or scanned only those before it.
    package var shownBytes: [UInt8] {
        let holdsText = events.contains { event in
            switch event {
            case .paste, .scan: true
            case .key, .mouse: false
            }
        }
        guard holdsText else { return bytes }
        return bytes.starts(with: Self.pasteBegins) ? Self.pasteBegins : []
    }

    /// `ESC [ 200 ~`
    private static let pasteBegins: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x30, 0x7E]

    package static func hex(_ byte: UInt8) -> String {
        (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    }

    /// What it is called; never what was pasted.
    package var name: String {
        events.isEmpty ? "unknown" : events.map(\.name).joined(separator: ", ")
    }
}

extension InputEvent {
    fileprivate var name: String {
        switch self {
        case .key(let key): key.name
        case .paste(let text): "paste of \(text.count) characters"
        case .scan(let text): "scan of \(text.count) characters"
        case .mouse(let mouse): mouse.name
        }
    }
}

extension MouseEvent {
    fileprivate var name: String {
        let deed =
            switch action {
            case .press: "tap"
            case .drag: "drag"
            case .release: "release"
            case .scrollUp: "wheel up"
            case .scrollDown: "wheel down"
            }
        return "\(deed) at column \(position.column + 1), row \(position.row + 1)"
    }
}
