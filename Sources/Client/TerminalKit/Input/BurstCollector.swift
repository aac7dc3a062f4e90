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

    private struct Held {
        var key: KeyEvent
        /// Milliseconds since the key before it.
        var gap: Int64
    }

    private var held: [Held] = []
    /// Printable keys of this burst that passed as text before any was held.
    private var passed = 0
    /// The shortest gap among those.
    private var pace: Int64?
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
        let gap = last.map { now - $0 } ?? Self.gap
        last = now
        if held.isEmpty, Self.isBreak(gap, pace: pace) { forgetText() }
        guard case .key(let key) = event else {
            defer { forgetText() }
            return events + release(beforeGap: nil).events + [event]
        }
        guard key.typed != nil else { return events + take(control: key, after: gap) }
        guard !isText || !held.isEmpty else {
            if passed > 0 { pace = min(pace ?? gap, gap) }
            passed += 1
            return events + [event]
        }
        // The middle of a burst that began as text: its rest is no command either.
        held.append(Held(key: key, gap: gap))
        deadline = now + Self.gap
        return events
    }

    /// Lets the gap pass when it has.
    package mutating func expire(at now: Int64) -> [InputEvent] {
        guard let due = deadline, now >= due else { return [] }
        defer { forgetText() }
        return release(beforeGap: nil).events
    }

    /// A machine keeps its pace. A pause among keys that came faster divides two who typed: a
    /// person's few keys before and after a paste, a script that sends word by word.
    private static func isBreak(_ gap: Int64, pace: Int64?) -> Bool {
        if gap >= Self.gap { return true }
        guard let pace else { return false }
        return gap > 3 && gap > 4 * pace
    }

    private mutating func forgetText() {
        passed = 0
        pace = nil
    }

    private mutating func take(control key: KeyEvent, after gap: Int64) -> [InputEvent] {
        let endsScan = key == .enter || key == .tab
        // After a person's few keys Enter begins anew; a machine goes on with its next line.
        let isMachine = held.count + passed >= Self.shortest
        defer { if !endsScan || !isMachine { forgetText() } }
        let released = release(beforeGap: endsScan ? gap : nil)
        return released.events + (released.isScan ? [] : [.key(key)])
    }

    /// - Parameter end: the gap before the Enter or Tab that may end a scan; nil where none follows.
    private mutating func release(beforeGap end: Int64?) -> (events: [InputEvent], isScan: Bool) {
        guard !held.isEmpty else { return ([], false) }
        defer {
            held = []
            deadline = nil
        }
        let inner = held.dropFirst().map(\.gap)
        let pace = (inner + [end].compactMap { $0 }).min()
        var pieces: [[KeyEvent]] = [[]]
        for (index, item) in held.enumerated() {
            if index > 0, Self.isBreak(item.gap, pace: pace) { pieces.append([]) }
            pieces[pieces.count - 1].append(item.key)
        }
        let isEnded = end.map { !Self.isBreak($0, pace: pace) } ?? false
        var events: [InputEvent] = []
        var isScan = false
        for (index, piece) in pieces.enumerated() {
            let before = index == 0 ? passed : 0
            guard piece.count + before >= Self.shortest else {
                events += piece.map { .key($0) }
                continue
            }
            isScan = isEnded && index == pieces.count - 1 && piece.count >= Self.shortest
            let text = Self.text(of: piece)
            events.append(isScan ? .scan(text) : .paste(text))
        }
        return (events, isScan)
    }

    private static func text(of keys: [KeyEvent]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: keys.compactMap(\.typed))
        return text
    }
}
