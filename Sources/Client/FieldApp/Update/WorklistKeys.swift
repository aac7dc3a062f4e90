import Forms
import Replication
import TerminalKit

extension AppState {
    mutating func performWorklist(_ command: Command) -> [Effect] {
        switch command {
        case .open:
            return worklist.focused.map { open($0.id) } ?? []
        case .filter:
            worklist.isFiltering = true
            return []
        case .begin: return openBeginnings()
        case .sort:
            worklist.reorder()
            notice = Notice(worklist.order.words)
            return []
        case .accept:
            worklist.isFiltering = false
            return []
        default: return []
        }
    }

    /// Opens an inspection over the present layer. One that is open further down is taken from
    /// there: an inspection has one editor and one undo, wherever it is reached from.
    /// - Parameter key: the question to go to.
    mutating func open(_ id: RecordID, at key: AnswerKey? = nil) -> [Effect] {
        var screen = InspectionScreen(id: id, focus: key)
        var below: [Layer] = []
        for layer in layers.layers {
            if case .inspection(let other) = layer {
                if other.id == id {
                    screen = other
                    if let key { screen.go(to: key) }
                }
            } else {
                below.append(layer)
            }
        }
        layers.replaceAll(with: below[0])
        below.dropFirst().forEach { layers.push($0) }
        layers.push(.inspection(screen))
        return [.loadInspection(id)]
    }
}
