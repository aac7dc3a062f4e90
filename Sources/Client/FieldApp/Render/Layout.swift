import TerminalKit

/// How the screen is divided, by its size alone.
struct Layout: Equatable {
    enum Width: Comparable {
        /// Too small to work with.
        case none
        /// 20 to 39 columns: labels above answers, badges only.
        case narrow
        /// 40 to 59: one column, a status of one line.
        case compact
        /// 60 to 99: one column, a status of three lines.
        case regular
        /// From 100: the status stands beside.
        case wide
    }

    static let panelColumns = 30

    let width: Width
    let titleRows: Int
    let footerRows: Int
    let statusRows: Int
    /// The status stands in a column at the right instead of three lines below.
    let hasPanel: Bool
    /// There is room for a box that leaves something of what it covers to be seen.
    let boxesFit: Bool

    init(_ size: Size) {
        switch size.columns {
        case ..<20: width = .none
        case ..<40: width = size.rows < 5 ? .none : .narrow
        case ..<60: width = size.rows < 5 ? .none : .compact
        case ..<100: width = size.rows < 5 ? .none : .regular
        default: width = size.rows < 5 ? .none : .wide
        }
        titleRows = size.rows >= 6 ? 1 : 0
        footerRows = size.rows >= 8 ? 1 : 0
        hasPanel = width == .wide && size.rows >= 14
        statusRows = width == .regular && size.rows >= 16 ? 3 : 1
        boxesFit = width >= .regular && size.rows >= 16
    }

    /// Cells of a line of a long text that is being edited, in a list of so many columns.
    func longEditorColumns(in columns: Int) -> Int { max(2, columns - 6) }

    /// Words beside badges, details beside rows.
    var hasRoom: Bool { width >= .regular }
}
