package import Forms
package import Inspections
package import Replication
package import TerminalKit

/// What earlier visits to the same equipment found, question by question.
package struct HistoryScreen: Equatable, Sendable {
    package let inspection: RecordID
    /// The question that is shown.
    package var key: AnswerKey
    /// The newest first; nil while the store is asked.
    package var visits: [Visit]?
    package var focus = ListFocus<Int>(0)

    package init(_ inspection: RecordID, at key: AnswerKey) {
        self.inspection = inspection
        self.key = key
    }
}

extension InspectionScreen {
    /// Questions shown here at which one of these visits found something, in their order.
    package func keys(foundIn visits: [Visit]) -> [AnswerKey] {
        keys.filter { key in
            question(at: key)?.mayShowPrevious == true
                && visits.contains { filling?.previous(at: key, in: $0) != nil }
        }
    }

    /// The newest first.
    package func readings(at key: AnswerKey, in visits: [Visit]) -> [VisitReading] {
        filling?.readings(at: key, in: visits) ?? []
    }
}

extension AppState {
    /// What stands in the list of a history; empty while the store is asked.
    package func readings(of screen: HistoryScreen) -> [VisitReading] {
        guard let visits = screen.visits else { return [] }
        return openInspection?.readings(at: screen.key, in: visits) ?? []
    }
}
