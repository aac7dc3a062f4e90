import Forms
import TerminalKit

/// Moving the focus of whatever list is on top. In an editor, moving leaves the field first.
extension AppState {
    mutating func move(_ command: Command) -> [Effect] {
        if command == .up, moveLine(by: -1) { return [] }
        if command == .down, moveLine(by: 1) { return [] }
        let leaving = leaveEditor()
        switch command {
        case .up, .previous: move(by: -1)
        case .down, .next: move(by: 1)
        case .pageUp: move(by: -page)
        case .pageDown: move(by: page)
        case .first: move(by: -Self.far)
        case .last: move(by: Self.far)
        default: break
        }
        return leaving
    }

    /// Inside a long text the arrows move by lines; beyond its first and last they leave it.
    private mutating func moveLine(by distance: Int) -> Bool {
        guard let editor = layers.top.editor, editor.isMultiline else { return false }
        let columns = Layout(size).longEditorColumns(in: listColumns)
        var hasMoved = false
        changeEditor { hasMoved = $0.line.moveLine(by: distance, in: columns) }
        return hasMoved
    }

    /// Columns of the list beside the status panel.
    private var listColumns: Int {
        size.columns - (Layout(size).hasPanel ? Layout.panelColumns : 0)
    }

    /// Rows of a list that stay in view: the screen without title, status and footer.
    private var page: Int { max(1, size.rows - 6) }

    private static let far = 1_000_000

    mutating func move(by distance: Int) { _ = go(.by(distance)) }

    /// Moves the focus of the top layer.
    mutating func go(_ step: FocusStep) -> FocusChange {
        switch layers.top {
        case .unlock, .confirm: return .absent
        case .worklist: return worklist.focus.go(step, in: worklist.ids)
        case .begin(var screen):
            defer { layers.top = .begin(screen) }
            return screen.focus.go(step, in: screen.offers)
        case .inspection(var screen):
            defer { layers.top = .inspection(screen) }
            return screen.focus.go(step, in: screen.keys(for: step))
        case .sections(var screen):
            defer { layers.top = .sections(screen) }
            return screen.focus.go(step, in: sectionIDs)
        case .picker(var screen):
            defer { layers.top = .picker(screen) }
            return screen.focus.go(step, in: screen.shown)
        case .rows(var screen):
            defer { layers.top = .rows(screen) }
            return screen.focus.go(step, in: ids(of: screen))
        case .finding(var screen):
            defer { layers.top = .finding(screen) }
            return screen.focus.go(step, in: FindingField.allCases)
        case .findings(var screen):
            let ids = openInspection?.findings(in: screen).map(\.id) ?? []
            defer { layers.top = .findings(screen) }
            return screen.focus.go(step, in: ids)
        case .why(var screen):
            defer { layers.top = .why(screen) }
            return screen.focus.go(step, in: Array(screen.lines.indices))
        case .history(var screen):
            defer { layers.top = .history(screen) }
            return screen.focus.go(step, in: Array(readings(of: screen).indices))
        case .move(var screen):
            defer { layers.top = .move(screen) }
            return screen.focus.go(step, in: Array(screen.lines.indices))
        case .status(var screen):
            defer { layers.top = .status(screen) }
            return screen.focus.go(step, in: status.rows.map(\.id))
        case .review(var screen):
            defer { layers.top = .review(screen) }
            return screen.focus.go(step, in: screen.paths)
        case .settings(var screen):
            defer { layers.top = .settings(screen) }
            return screen.focus.go(step, in: ScreenSetting.allCases)
        case .keys(var screen):
            defer { layers.top = .keys(screen) }
            return screen.focus.go(step, in: KeysScreen.commands)
        case .about(var screen):
            defer { layers.top = .about(screen) }
            return screen.focus.go(step, in: Array((screen.lines ?? []).indices))
        case .help(var screen):
            defer { layers.top = .help(screen) }
            return screen.focus.go(step, in: entries(of: screen).map(\.subject))
        case .palette(var screen):
            defer { layers.top = .palette(screen) }
            return screen.focus.go(step, in: entries(of: screen).map(\.subject))
        }
    }

    /// Sections of the inspection under the section list.
    package var sectionIDs: [Int] {
        for case .inspection(let screen) in layers.layers.reversed() {
            return screen.sections.map(\.index)
        }
        return []
    }

    /// Lets a key or a paste change the filter of the top layer.
    mutating func editFilter(_ change: (inout LineEditor) -> Void) {
        switch layers.top {
        case .worklist: worklist.editFilter(change)
        case .picker(var screen):
            screen.editFilter(change)
            layers.top = .picker(screen)
        case .begin(var screen):
            screen.editFilter(change)
            layers.top = .begin(screen)
        case .help(var screen):
            change(&screen.filter)
            layers.top = .help(screen)
            settleCommands()
        case .palette(var screen):
            change(&screen.filter)
            layers.top = .palette(screen)
            settleCommands()
        default: break
        }
    }
}

extension InspectionScreen {
    /// The line that completes is gone to step by step: who goes to the end means the last question.
    fileprivate func keys(for step: FocusStep) -> [AnswerKey] {
        guard case .by(let distance) = step, distance > 1, focus.focused != .completion else {
            return keys
        }
        return keys.filter { $0 != .completion }
    }
}
