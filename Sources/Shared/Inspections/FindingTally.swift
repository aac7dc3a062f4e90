import Phrases

/// How many findings an inspection has, and how far they have come.
package struct FindingTally: Equatable, Sendable {
    package private(set) var count = 0
    /// Mended before the inspector left. The answer stays as it was and so does the score.
    package private(set) var corrected = 0
    package private(set) var closed = 0
    /// Those that the last visit had found too.
    package private(set) var repeated = 0

    package init(_ findings: some Sequence<Finding>) {
        for finding in findings {
            count += 1
            if finding.isRepeated { repeated += 1 }
            switch finding.status {
            case .pending: break
            case .corrected: corrected += 1
            case .closed: closed += 1
            }
        }
    }

    /// `3 findings, 1 corrected on site`; nil where there is none.
    package var words: String? {
        guard count > 0 else { return nil }
        let parts = [
            count == 1 ? say("1 finding") : say("\(count) findings"),
            repeated > 0 ? say("\(repeated) repeated") : nil,
            corrected > 0 ? say("\(corrected) corrected on site") : nil,
            closed > 0 ? say("\(closed) closed") : nil,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
