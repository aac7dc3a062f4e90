import Forms
import Inspections
import Phrases
import Replication
import TerminalKit

/// The history of the equipment: from reading to reading.
extension AppState {
    mutating func openHistory() -> [Effect] {
        guard let screen = inspectionScreen, let key = screen.focus.focused else { return [] }
        layers.push(.history(HistoryScreen(screen.id, at: key)))
        return [.loadHistory(screen.id)]
    }

    mutating func receive(history visits: [Visit], of id: RecordID) {
        for index in layers.layers.indices {
            guard case .history(var screen) = layers[index], screen.inspection == id else {
                continue
            }
            screen.visits = visits
            // Asked at a question that nobody had answered: the first that somebody had.
            let keys = openInspection?.keys(foundIn: visits) ?? []
            if !keys.contains(screen.key), let first = keys.first { screen.key = first }
            layers[index] = .history(screen)
        }
    }

    /// To the question before or behind, round at the ends.
    mutating func turnHistory(by step: Int) -> [Effect] {
        guard case .history(var screen) = layers.top, let visits = screen.visits,
            let keys = openInspection?.keys(foundIn: visits), !keys.isEmpty
        else { return [] }
        let place = keys.firstIndex(of: screen.key) ?? 0
        screen.key = keys[(place + step + keys.count) % keys.count]
        screen.focus = ListFocus(0)
        layers.top = .history(screen)
        return []
    }

    /// Why there is no other reading to turn to.
    var whyNotTurnHistory: String? {
        guard case .history(let screen) = layers.top, let visits = screen.visits else {
            return say("the visits are being read")
        }
        let count = openInspection?.keys(foundIn: visits).count ?? 0
        return count > 1 ? nil : say("earlier visits answered nothing else here")
    }
}
