/// Bytes of a terminal in, events out. A pure core: it reads no clock and no descriptor, and the
/// same bytes give the same events however they are split, as long as no deadline passes between.
///
/// Sequences that it does not know are swallowed whole: no byte of them is ever typed. Formats are
/// those of ECMA-48 (CSI, SS3, strings) and xterm's ctlseqs (modifiers, SGR mouse, bracketed paste).
package struct InputDecoder: Sendable {
    /// Milliseconds to wait after a lone ESC before it is the Esc key; more on slow lines.
    package var escapeDelay: Int64
    /// Milliseconds after which the rest of a broken sequence is given up.
    static let sequenceDelay: Int64 = 300
    /// Milliseconds without a byte after which a paste that never ended is delivered as it is.
    static let pasteDelay: Int64 = 2_000

    /// Keys of this terminal alone, by the whole sequence that each sends. Only a sequence that means
    /// nothing else is looked up.
    package var learned: [[UInt8]: KeyEvent] = [:]

    /// A secret is being typed: a paste is delivered key by key instead of as one String.
    package var takesSecret = false

    var state = State.ground
    /// When the present state ends by itself, in the caller's milliseconds; nil when it does not.
    package internal(set) var deadline: Int64?
    var utf8 = UTF8Assembler()
    var paste = PasteCollector()

    enum State: Equatable, Sendable {
        case ground
        case escape
        /// Esc was delivered a moment ago: a `[` now is the rest of an arrow key on a slow line.
        case escapeDelivered
        case control(ControlSequence)
        /// SS3, the modifier digit seen so far.
        case single([UInt8])
        /// OSC, DCS, APC, PM or SOS; true after an ESC that may begin the terminator.
        case string(sawEscape: Bool)
        /// `CSI [`: a function key of the Linux console, one byte to come.
        case console
        /// `CSI M`: mouse in the X10 format, this many bytes to come.
        case oldMouse(remaining: Int)
        case pasting
    }

    package init(escapeDelay: Int64 = 25) { self.escapeDelay = escapeDelay }

    /// Whether everything that was fed has been delivered.
    package var isIdle: Bool {
        (state == .ground || state == .escapeDelivered) && utf8.isEmpty
    }

    /// Set as this one is, with nothing begun.
    func anew() -> InputDecoder {
        var next = InputDecoder(escapeDelay: escapeDelay)
        next.learned = learned
        next.takesSecret = takesSecret
        return next
    }

    /// Decodes `bytes` that came at `now` (any clock in milliseconds that never goes back).
    package mutating func feed(_ bytes: some Sequence<UInt8>, at now: Int64) -> [InputEvent] {
        var events = expire(at: now)
        for byte in bytes { take(byte, now, &events) }
        return events
    }

    /// Lets the deadline pass when it has: a lone ESC becomes the Esc key, the rest is given up.
    package mutating func expire(at now: Int64) -> [InputEvent] {
        guard let due = deadline, now >= due else { return [] }
        let ended = state
        enter(.ground, until: nil)
        switch ended {
        case .escape:
            enter(.escapeDelivered, until: due + InputDecoder.sequenceDelay)
            // The whole time may have gone by in one step: then nothing is left to wait for.
            return [.key(.escape)] + expire(at: now)
        case .control(let sequence) where sequence.isLateBracket:
            return [.key(.character("["))]
        case .pasting:
            return paste.finish()
        default:
            return []
        }
    }

    mutating func enter(_ next: State, until: Int64?) {
        state = next
        deadline = until
    }

    private mutating func take(_ byte: UInt8, _ now: Int64, _ events: inout [InputEvent]) {
        switch state {
        case .ground: ground(byte, [], now, &events)
        case .escape: afterEscape(byte, now, &events)
        case .escapeDelivered: afterDeliveredEscape(byte, now, &events)
        case .control(let sequence): control(sequence, byte, now, &events)
        case .single(let digits): single(digits, byte, now, &events)
        case .string(let sawEscape): string(sawEscape, byte, now, &events)
        case .console:
            enter(.ground, until: nil)
            if (0x41...0x45).contains(byte) {
                events.append(.key(KeyEvent(.function(Int(byte) - 0x40))))
            } else {
                look(up: [0x1B, UInt8(ascii: "["), UInt8(ascii: "["), byte], &events)
            }
        case .oldMouse(let remaining):
            if remaining > 1 {
                state = .oldMouse(remaining: remaining - 1)
            } else {
                enter(.ground, until: nil)
            }
        case .pasting:
            deadline = now + InputDecoder.pasteDelay
            let isComplete = paste.take(byte)
            if takesSecret { events += paste.takeKeys() }
            guard isComplete else { return }
            enter(.ground, until: nil)
            events += paste.finish()
        }
    }

    /// A byte outside of sequences; `modifiers` holds Alt when an ESC stood before it.
    private mutating func ground(
        _ byte: UInt8, _ modifiers: Modifiers, _ now: Int64, _ events: inout [InputEvent]
    ) {
        if byte >= 0x80 || !utf8.isEmpty {
            if utf8.isEmpty { utf8.modifiers = modifiers }
            if let scalar = utf8.take(byte), scalar.value >= 0xA0 {
                events.append(.key(KeyEvent(.character(scalar), utf8.modifiers)))
            }
            // A byte that cannot continue the character was not taken: it stands for itself.
            guard utf8.refused else { return }
        }
        if byte == 0x1B {
            enter(.escape, until: now + escapeDelay)
        } else if byte < 0x80, let event = KeyTables.event(forControl: byte) {
            events.append(.key(KeyEvent(event.key, event.modifiers.union(modifiers))))
        } else if byte < 0x80 {
            events.append(.key(KeyEvent(.character(Unicode.Scalar(byte)), modifiers)))
        }
    }

    private mutating func afterEscape(_ byte: UInt8, _ now: Int64, _ events: inout [InputEvent]) {
        switch byte {
        case 0x1B:
            events.append(.key(.escape))
            enter(.escape, until: now + escapeDelay)
        case UInt8(ascii: "["):
            enter(.control(ControlSequence()), until: now + InputDecoder.sequenceDelay)
        case UInt8(ascii: "O"):
            enter(.single([]), until: now + InputDecoder.sequenceDelay)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"):
            enter(.string(sawEscape: false), until: now + InputDecoder.sequenceDelay)
        default:
            enter(.ground, until: nil)
            ground(byte, .alt, now, &events)
        }
    }

    private mutating func afterDeliveredEscape(
        _ byte: UInt8, _ now: Int64, _ events: inout [InputEvent]
    ) {
        if byte == UInt8(ascii: "[") {
            enter(.control(ControlSequence(isLate: true)), until: now + InputDecoder.sequenceDelay)
        } else {
            enter(.ground, until: nil)
            ground(byte, [], now, &events)
        }
    }

    private mutating func control(
        _ sequence: ControlSequence, _ byte: UInt8, _ now: Int64, _ events: inout [InputEvent]
    ) {
        var sequence = sequence
        switch sequence.take(byte) {
        case .more:
            state = .control(sequence)
        case .console:
            enter(.console, until: deadline)
        case .oldMouse:
            enter(.oldMouse(remaining: 3), until: deadline)
        case .pasteBegins:
            paste = PasteCollector()
            enter(.pasting, until: now + InputDecoder.pasteDelay)
        case .ended(let event):
            enter(.ground, until: nil)
            if let event {
                events.append(event)
            } else if !sequence.isLate {
                look(up: sequence.bytes + [byte], &events)
            }
        case .broken:
            // A control character or a byte outside ASCII cannot be inside: it begins anew.
            enter(.ground, until: nil)
            ground(byte, [], now, &events)
        }
    }

    private mutating func single(
        _ digits: [UInt8], _ byte: UInt8, _ now: Int64, _ events: inout [InputEvent]
    ) {
        switch byte {
        case 0x30...0x39, 0x3B:
            // Old xterms put the modifier here: ESC O 5 A. Longer than that is nothing known.
            if digits.count < 8 { state = .single(digits + [byte]) }
        case 0x20...0x7E:
            enter(.ground, until: nil)
            let modifiers = KeyTables.modifiers(digits.last.map { Int($0) - 0x30 } ?? 1)
            if let key = KeyTables.singleShift(byte) {
                events.append(.key(KeyEvent(key.key, key.modifiers.union(modifiers))))
            } else {
                look(up: [0x1B, UInt8(ascii: "O")] + digits + [byte], &events)
            }
        default:
            enter(.ground, until: nil)
            ground(byte, [], now, &events)
        }
    }

    private func look(up sequence: [UInt8], _ events: inout [InputEvent]) {
        if let key = learned[sequence] { events.append(.key(key)) }
    }

    /// Ends at BEL or at ST (ESC \); what the terminal said is of no use to us. Any other ESC cancels
    /// the string and begins a sequence.
    private mutating func string(
        _ sawEscape: Bool, _ byte: UInt8, _ now: Int64, _ events: inout [InputEvent]
    ) {
        if byte == 0x07 || byte == 0x18 || (sawEscape && byte == UInt8(ascii: "\\")) {
            enter(.ground, until: nil)
        } else if sawEscape {
            afterEscape(byte, now, &events)
        } else {
            state = .string(sawEscape: byte == 0x1B)
        }
    }
}
