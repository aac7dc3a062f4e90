/// SplitMix64 (Steele, Lea and Flood 2014): everything that is left to chance in a run comes from
/// one of these, so the seed is the run.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Uniform enough for a simulation, and one draw.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() % UInt64(max(1, bound)))
    }

    mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.count)
    }

    /// True once in `odds` draws on average.
    mutating func oneIn(_ odds: Int) -> Bool { below(odds) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        precondition(!elements.isEmpty, "nothing to pick from")
        return elements[below(elements.count)]
    }

    /// One of them, by its weight.
    mutating func pick<Element>(weighted elements: [(weight: Int, Element)]) -> Element {
        var rest = below(elements.reduce(0) { $0 + $1.weight })
        for (weight, element) in elements {
            rest -= weight
            if rest < 0 { return element }
        }
        preconditionFailure("nothing to pick from")
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Another, independent source.
    mutating func split() -> Dice { Dice(seed: next()) }
}
