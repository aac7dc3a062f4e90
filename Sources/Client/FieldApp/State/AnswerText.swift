package import Coding
package import Forms

/// How answers read on the screen.
extension Question {
    /// What a number may be: `0 to 600 psi`; nil where the form sets no hard limit.
    package var rangeText: String? {
        let low = limits.hardMinimum.map(plainNumber)
        let high = limits.hardMaximum.map(plainNumber)
        let suffix = unit.map { " " + $0 } ?? ""
        return switch (low, high) {
        case (let low?, let high?): "\(low) to \(high)\(suffix)"
        case (let low?, nil): "at least \(low)\(suffix)"
        case (nil, let high?): "at most \(high)\(suffix)"
        case (nil, nil): nil
        }
    }

    /// How a present number differs from the last visit's: `+12.5`; nil where either is none.
    package func change(from previous: FieldValue, to value: FieldValue) -> String? {
        guard type.isNumber, let before = previous.number, let now = value.number else {
            return nil
        }
        // Readings are decimal fractions: without rounding 0.3 − 0.1 would show 15 digits.
        let difference = ((now - before) * 1_000).rounded() / 1_000
        return (difference > 0 ? "+" : "") + plainNumber(difference)
    }
}
