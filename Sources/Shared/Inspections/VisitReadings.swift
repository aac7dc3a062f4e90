package import Coding
package import Forms

/// What one visit found at a question.
package struct VisitReading: Equatable, Sendable {
    package let value: FieldValue
    /// YYYY-MM-DD; nil where nothing tells it, and for the visit that is under way.
    package let day: String?
    /// By how much a number differs from that of the visit before; nil where there is none.
    package let change: Double?
    /// A verdict that fails, or a number that the form calls unusual.
    package let isBad: Bool
    package let isPresent: Bool
}

extension FormFilling {
    /// What was found at a question, the newest first: now, if it is answered, then visit by visit. A visit
    /// that found nothing there is left out.
    ///
    /// - Parameter visits: earlier ones, the newest first.
    package func readings(at key: AnswerKey, in visits: [Visit]) -> [VisitReading] {
        guard let index = form.index(of: key.path) else { return [] }
        let question = form.allQuestions[index]
        let present = value(of: key)
        var found: [(value: FieldValue, day: String?, isPresent: Bool)] = []
        if !present.isNull { found.append((present, nil, true)) }
        for visit in visits {
            guard let reading = previous(at: key, in: visit) else { continue }
            found.append((reading.value, reading.day, false))
        }
        return found.indices.map { index in
            let (value, day, isPresent) = found[index]
            let before = index + 1 < found.count ? found[index + 1].value : .null
            return VisitReading(
                value: value, day: day, change: question.change(from: before, to: value),
                isBad: question.verdict(of: value) == .fail || question.isUnusual(value),
                isPresent: isPresent)
        }
    }
}
