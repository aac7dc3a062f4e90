internal import Synchronization

/// The rows of a list by what stands in one of their columns, so that nobody has to go through 50,000
/// of them for one.
struct ColumnIndex: Sendable {
    /// By the text of a cell, the rows that have such a one, in the order of the list.
    private(set) var rows: [String: [Int]] = [:]
    /// The rows without such a cell, which count as blank where they are compared.
    private(set) var missing: [Int] = []
    /// Whether all cells are plain texts with nothing inside.
    private(set) var isFlat = true

    fileprivate init(of column: ColumnIndexes.Column, in tree: NodeTree) {
        for row in tree.entries[column.parent].children {
            let entry = tree.entries[row]
            guard column.row.map({ $0 == entry.name }) ?? true else { continue }
            var isMissing = true
            for cell in entry.children where tree.entries[cell].name == column.name {
                isMissing = false
                if !tree.entries[cell].children.isEmpty { isFlat = false }
                let text = tree.node(at: cell).text
                if rows[text]?.last != row { rows[text, default: []].append(row) }
            }
            if isMissing { missing.append(row) }
        }
    }

    /// The rows whose cell is this text, as a comparison finds them: no cell is the empty text.
    func rows(equalTo text: String) -> [Int] {
        let found = rows[text] ?? []
        guard text.isEmpty, !missing.isEmpty else { return found }
        return (found + missing).sorted()
    }
}

/// The indexes of one tree, made when they are asked for.
final class ColumnIndexes: Sendable {
    struct Column: Hashable, Sendable {
        /// The node that the rows stand in.
        var parent: Int
        /// The name of the rows, as a number of the tree; nil for all.
        var row: Int?
        /// The name of the cells.
        var name: Int
    }

    private struct Contents: Sendable {
        var asked: Set<Column> = []
        var indexes: [Column: ColumnIndex] = [:]
    }

    private let contents = Mutex(Contents())

    /// Nil when it is asked for the first time: going through the rows once costs less than an index,
    /// and many a filter is never tried twice.
    func index(of column: Column, in tree: NodeTree) -> ColumnIndex? {
        let (known, isNew) = contents.withLock { contents in
            (contents.indexes[column], contents.asked.insert(column).inserted)
        }
        if let known { return known }
        guard !isNew else { return nil }
        let index = ColumnIndex(of: column, in: tree)
        contents.withLock { $0.indexes[column] = index }
        return index
    }
}
