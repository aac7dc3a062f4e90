internal import Synchronization

/// The rows of long lists by what stands in one of their columns, so that a filter on it need not go
/// through all of them. Made when the same column of the same list is asked for the second time: whoever
/// looks once has looked through it by then.
final class ListIndex: Sendable {
    struct Column: Hashable {
        /// The node around the rows.
        let parent: Int
        /// The number of the column's name.
        let name: Int
    }

    /// Rows in order.
    struct Rows {
        var byText: [String: [Int]] = [:]
        /// Rows that have no such column.
        var without: [Int] = []
    }

    private enum State {
        case askedOnce
        case made(Rows)
    }

    private let columns = Mutex<[Column: State]>([:])

    /// Nil where looking through the rows is no more work.
    func rows(_ column: Column, in tree: NodeTree) -> Rows? {
        columns.withLock { columns in
            switch columns[column] {
            case .made(let rows): return rows
            case .askedOnce:
                let rows = Self.rows(column, in: tree)
                columns[column] = .made(rows)
                return rows
            case nil:
                columns[column] = .askedOnce
                return nil
            }
        }
    }

    private static func rows(_ column: Column, in tree: NodeTree) -> Rows {
        var rows = Rows()
        for row in tree.entries[column.parent].children {
            var isMissing = true
            for cell in tree.entries[row].children where tree.entries[cell].name == column.name {
                isMissing = false
                let text = Node(tree: tree, index: cell).text
                // A row that has the column twice stands there once.
                if rows.byText[text]?.last != row { rows.byText[text, default: []].append(row) }
            }
            if isMissing { rows.without.append(row) }
        }
        return rows
    }
}
