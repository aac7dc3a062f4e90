/// SplitMix64 (Steele, Lea and Flood 2014): small, fast and the same on every machine, so that the
/// seed in a failure's message is all that is needed to see the failure again.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &self)
    }

    /// True once in `odds` draws on average.
    package mutating func oneIn(_ odds: Int) -> Bool {
        below(odds) == 0
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        precondition(!elements.isEmpty, "nothing to pick from")
        return elements[below(elements.count)]
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
