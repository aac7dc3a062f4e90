import Inspections
import Phrases
import Replication

/// By what the worklist is grouped and sorted.
package enum WorklistOrder: Sendable, CaseIterable {
    case site, due, form, state

    package var next: WorklistOrder {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }

    /// Said when it is chosen.
    package var words: String {
        switch self {
        case .site: say("By site, what is due first on top")
        case .due: say("By due day")
        case .form: say("By form, what is due first on top")
        case .state: say("By state, what is due first on top")
        }
    }

    /// The heading that a row stands under; nil where the list has none.
    package func group(of row: WorklistRow) -> String? {
        switch self {
        case .site: row.site.isEmpty ? say("Without a site") : row.site
        case .due: nil
        case .form: row.form
        case .state: row.state.label.sentence
        }
    }

    /// By group, then what is due first (undated last), then by name; the id makes the order total.
    package func precedes(_ left: WorklistRow, _ right: WorklistRow) -> Bool {
        let (first, second) = (rank(of: left), rank(of: right))
        guard first == second else { return first < second }
        let undated = "9999-99-99"
        return (left.due ?? undated, left.name, left.id.rawValue)
            < (right.due ?? undated, right.name, right.id.rawValue)
    }

    /// States in the order of the work; what has no site comes first.
    private func rank(of row: WorklistRow) -> String {
        switch self {
        case .site: row.site
        case .due: ""
        case .form: row.form
        case .state: String(InspectionState.allCases.firstIndex(of: row.state) ?? 0)
        }
    }
}
