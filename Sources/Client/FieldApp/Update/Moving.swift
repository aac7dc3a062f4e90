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

    mutating func move(by distance: Int) {
        switch layers.top {
        case .unlock, .confirm: break
        case .worklist: worklist.focus.move(by: distance, in: worklist.ids)
        case .inspection(var screen):
            screen.focus.move(by: distance, in: screen.keys)
            layers.top = .inspection(screen)
        case .sections(var screen):
            screen.focus.move(by: distance, in: sectionIDs)
            layers.top = .sections(screen)
        case .picker(var screen):
            screen.focus.move(by: distance, in: screen.shown)
            layers.top = .picker(screen)
        case .rows(var screen):
            screen.focus.move(by: distance, in: ids(of: screen))
            layers.top = .rows(screen)
        case .finding(var screen):
            screen.focus.move(by: distance, in: FindingField.allCases)
            layers.top = .finding(screen)
        case .findings(var screen):
            let ids = openInspection?.findings(in: screen).map(\.id) ?? []
            screen.focus.move(by: distance, in: ids)
            layers.top = .findings(screen)
        case .why(var screen):
            screen.focus.move(by: distance, in: Array(screen.lines.indices))
            layers.top = .why(screen)
        case .history(var screen):
            screen.focus.move(by: distance, in: Array(readings(of: screen).indices))
            layers.top = .history(screen)
        case .move(var screen):
            screen.focus.move(by: distance, in: Array(screen.lines.indices))
            layers.top = .move(screen)
        case .status(var screen):
            screen.focus.move(by: distance, in: status.rows.map(\.id))
            layers.top = .status(screen)
        case .review(var screen):
            screen.focus.move(by: distance, in: screen.paths)
            layers.top = .review(screen)
        case .help(var screen):
            screen.focus.move(by: distance, in: entries(of: screen).map(\.subject))
            layers.top = .help(screen)
        case .palette(var screen):
            screen.focus.move(by: distance, in: entries(of: screen).map(\.subject))
            layers.top = .palette(screen)
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
