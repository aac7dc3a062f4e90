package import Forms
import Phrases

/// How answers read on the screen.
extension Question {
    /// What a number may be: `0 to 600 psi`; nil where the form sets no hard limit.
    package var rangeText: String? {
        let low = limits.hardMinimum.map(plainNumber)
        let high = limits.hardMaximum.map(plainNumber)
        let suffix = unit.map { " " + $0 } ?? ""
        return switch (low, high) {
        case (let low?, let high?): say("\(low) to \(high)\(suffix)")
        case (let low?, nil): say("at least \(low)\(suffix)")
        case (nil, let high?): say("at most \(high)\(suffix)")
        case (nil, nil): nil
        }
    }
}
