/// Tells a person's keys from a machine's: a barcode scanner, or a paste from a terminal without
/// bracketed paste, types faster than fingers can, and a letter of it must never be a command.
///
/// A pure core like the decoder. Where printable keys are commands they are held for the length of a
/// gap before they count; where they are text they pass at once.
package struct BurstCollector: Sendable {
    /// Milliseconds between two keys, below which the same hand cannot have typed both.
    static let gap: Int64 = 30
    /// A burst of fewer is two fast fingers, or keys that a slow line brought together.
    static let shortest = 6

    private var held: [KeyEvent] = []
    /// Printable keys since the last gap, held or not.
    private var run = 0
    private var last: Int64?
    /// When what is held counts, in the caller's milliseconds; nil when nothing is held.
    package private(set) var deadline: Int64?

    package init() {}

    package var isIdle: Bool { held.isEmpty }

    /// - Parameter isText: whether the key would be text where it goes now, or begin one.
    /// - Returns: what counts now, in order.
    package mutating func take(
        _ event: InputEvent, at now: Int64, isText: Bool
    ) -> [InputEvent] {
        let events = expire(at: now)
        if let last, now - last >= Self.gap { run = 0 }
        last = now
        guard case .key(let key) = event else { return events + release() + [event] }
        guard key.typed != nil else { return events + take(control: key) }
        run += 1
        guard !isText || !held.isEmpty else { return events + [event] }
        // The middle of a burst that began as text: its rest is no command either.
        held.append(key)
        deadline = now + Self.gap
        return events
    }

    /// Lets the gap pass when it has.
    package mutating func expire(at now: Int64) -> [InputEvent] {
        guard let due = deadline, now >= due else { return [] }
        return release()
    }

    private mutating func take(control key: KeyEvent) -> [InputEvent] {
        let endsScan = key == .enter || key == .tab
        if endsScan, held.count >= Self.shortest {
            let text = takeHeld()
            return [.scan(text)]
        }
        // After a person's few keys Enter begins anew; a machine goes on with its next line.
        defer { if !endsScan || run < Self.shortest { run = 0 } }
        return release() + [.key(key)]
    }

    private mutating func release() -> [InputEvent] {
        guard !held.isEmpty else { return [] }
        if run >= Self.shortest { return [.paste(takeHeld())] }
        let keys = held.map { InputEvent.key($0) }
        _ = takeHeld()
        return keys
    }

    private mutating func takeHeld() -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: held.compactMap(\.typed))
        held = []
        deadline = nil
        return text
    }
}
