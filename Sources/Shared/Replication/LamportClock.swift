/// Lamport's logical clock (CACM 21:7, 1978): what was seen before an edit has a smaller count than
/// the edit. No wall clock takes part.
package struct LamportClock: Hashable, Sendable {
    /// The largest step that is believed: no device makes four thousand million edits unseen, and
    /// one poisoned counter would otherwise push every other device's to the end of the range.
    package static let longestJump: Int64 = 1 << 32

    /// In the upper half of the range jumps are no longer than this: whoever wants to drive the
    /// counters of all to the end, step by step, does not get there.
    package static let longestHighJump: Int64 = 1 << 20

    package private(set) var counter: Int64

    package init(counter: Int64 = 0) {
        precondition(counter >= 0, "a Lamport counter begins at 0")
        self.counter = counter
    }

    /// The count of a new edit. At the end of the range it stays: where two edits count the same,
    /// nodes and values decide, which is better than to end the program.
    package mutating func tick() -> Int64 {
        counter += counter < .max ? 1 : 0
        return counter
    }

    /// Takes note of a count from a device. The counter stays as it was when the jump is refused.
    package mutating func witness(_ other: Int64) throws(ReplicationError) {
        guard Self.isBelievable(other, after: counter) else { throw .lamportJump }
        counter = max(counter, other)
    }

    /// Takes the server's count, which the server has bounded already; a new device may be far
    /// behind.
    package mutating func adopt(serverLamport: Int64) {
        counter = max(counter, serverLamport)
    }

    package static func isBelievable(_ other: Int64, after counter: Int64) -> Bool {
        guard other > counter else { return other >= 0 }
        return other - counter <= (other > .max / 2 ? longestHighJump : longestJump)
    }
}
