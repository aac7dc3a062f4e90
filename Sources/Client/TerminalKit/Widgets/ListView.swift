/// An item of a list, or with no id something between the items that takes no focus (a heading).
package struct ListItem<ID: Hashable & Sendable> {
    package var id: ID?
    package var rows: Int
    /// The row inside the item that must be seen while it is focused: where its caret stands.
    package var caretRow: Int
    package var draw: (inout Canvas, Rect) -> Void

    package init(
        _ id: ID?, rows: Int = 1, caretRow: Int = 0,
        draw: @escaping (inout Canvas, Rect) -> Void
    ) {
        self.id = id
        self.rows = max(1, rows)
        self.caretRow = min(max(0, caretRow), max(1, rows) - 1)
        self.draw = draw
    }
}

/// A list whose items are made when they are looked at: a frame makes those in view and the few that
/// stand between its focus and the last one, however long the list is.
package struct ListContents<ID: Hashable & Sendable> {
    /// The items' ids in order; nil for what takes no focus.
    fileprivate let ids: [ID?]
    private let make: (Int) -> ListItem<ID>
    private var made: [Int: ListItem<ID>] = [:]

    package init(_ ids: [ID?], item make: @escaping (Int) -> ListItem<ID>) {
        self.ids = ids
        self.make = make
    }

    package init(_ items: [ListItem<ID>]) {
        self.init(items.map(\.id)) { items[$0] }
    }

    fileprivate mutating func item(_ index: Int) -> ListItem<ID> {
        if let item = made[index] { return item }
        let item = make(index)
        made[index] = item
        return item
    }

    fileprivate func index(of id: ID?) -> Int? { id.flatMap { ids.firstIndex(of: $0) } }

    /// The rows of the headings right above an item, as many as `room` takes.
    fileprivate mutating func headingRows(above index: Int, room: Int) -> Int {
        var rows = 0
        for above in (0..<index).reversed() where rows <= room {
            guard ids[above] == nil, rows + item(above).rows <= room else { break }
            rows += item(above).rows
        }
        return rows
    }
}

/// Where a list stands: one of its items, and the row from the list's top edge where that begins.
package struct ListPlace: Equatable, Sendable {
    package var index: Int
    package var row: Int

    package init(index: Int, row: Int) {
        self.index = index
        self.row = row
    }

    /// The same place, told by another item.
    fileprivate func told<ID>(by other: Int, in list: inout ListContents<ID>) -> ListPlace {
        var place = self
        while place.index < other {
            place.row += list.item(place.index).rows
            place.index += 1
        }
        while place.index > other {
            place.index -= 1
            place.row -= list.item(place.index).rows
        }
        return place
    }

    /// The same place, told by the item that the top edge cuts or begins with. Where nothing is left
    /// above, the first item moves up to the edge.
    fileprivate func toldFromTop<ID>(in list: inout ListContents<ID>) -> ListPlace {
        var place = self
        while place.row > 0, place.index > 0 {
            place = place.told(by: place.index - 1, in: &list)
        }
        if place.row > 0 { place.row = 0 }
        while place.index + 1 < list.ids.count, place.row + list.item(place.index).rows <= 0 {
            place = place.told(by: place.index + 1, in: &list)
        }
        return place
    }

    /// Moved down by what would stay empty below the last item.
    fileprivate func filled<ID>(to rows: Int, in list: inout ListContents<ID>) -> ListPlace {
        var end = row
        for index in index..<list.ids.count {
            end += list.item(index).rows
            if end >= rows { return self }
        }
        return ListPlace(index: index, row: row + rows - end)
    }
}

/// Where a list stood in the last frame, so that the next one moves it as little as possible: the
/// focused item keeps its row on the screen while others come and go above it.
package struct ScrollAnchor<ID: Hashable & Sendable>: Hashable, Sendable {
    private var focused: ID?
    private var focusedRow = 0
    /// The first item with an id that was in view.
    private var first: ID?
    private var firstRow = 0

    package init() {}

    /// Where to draw the list in `rows` rows, told by the first item in view: with the focused item in
    /// view and, where there is room, the heading before it.
    package mutating func settle(
        _ list: inout ListContents<ID>, focused: ID?, rows: Int
    ) -> ListPlace {
        guard !list.ids.isEmpty else {
            self = ScrollAnchor()
            return ListPlace(index: 0, row: 0)
        }
        let focus = list.index(of: focused)
        var place = lastPlace(in: list, focused: focused, at: focus)
        if let focus { place = place.told(by: focus, in: &list) }
        place = place.filled(to: rows, in: &list)
        if let focus { place.row = Self.row(place.row, of: focus, in: &list, rows: rows) }
        let top = place.toldFromTop(in: &list)
        remember(top, focused: focused, at: focus, in: &list)
        return top
    }

    private func lastPlace(
        in list: ListContents<ID>, focused: ID?, at focus: Int?
    ) -> ListPlace {
        if let focus, focused == self.focused {
            return ListPlace(index: focus, row: focusedRow)
        }
        if let index = list.index(of: first) { return ListPlace(index: index, row: firstRow) }
        return ListPlace(index: 0, row: 0)
    }

    /// The row for the focused item that is nearest to `row` and shows it.
    private static func row(
        _ row: Int, of focus: Int, in list: inout ListContents<ID>, rows: Int
    ) -> Int {
        let item = list.item(focus)
        let height = min(item.rows, rows)
        let heading = list.headingRows(above: focus, room: rows - height)
        return min(max(min(row, rows - height), heading), rows - 1 - item.caretRow)
    }

    private mutating func remember(
        _ top: ListPlace, focused: ID?, at focus: Int?, in list: inout ListContents<ID>
    ) {
        self.focused = focused
        focusedRow = focus.map { top.told(by: $0, in: &list).row } ?? 0
        let index = list.ids[top.index...].firstIndex { $0 != nil }
        first = index.flatMap { list.ids[$0] }
        firstRow = index.map { top.told(by: $0, in: &list).row } ?? 0
    }
}

extension Canvas {
    /// Draws the part of a list that is in view, puts the cursor on the focused item and marks in
    /// the last column that there is more above or below.
    package mutating func list<ID>(
        _ contents: ListContents<ID>, focused: ID?, in rect: Rect,
        anchor: inout ScrollAnchor<ID>
    ) {
        guard !rect.isEmpty else { return }
        var list = contents
        let top = anchor.settle(&list, focused: focused, rows: rect.rows)
        var index = top.index
        var row = rect.row + top.row
        clipped(to: rect) { canvas in
            while index < list.ids.count, row < rect.endRow {
                let item = list.item(index)
                if item.id != nil, item.id == focused {
                    canvas.cursor = Position(column: rect.column, row: max(row, rect.row))
                }
                let place = Rect(
                    column: rect.column, row: row, columns: rect.columns, rows: item.rows)
                if let id = item.id { canvas.offerTap(on: TapTarget(id), in: place) }
                item.draw(&canvas, place)
                index += 1
                row += item.rows
            }
        }
        let glyphs = Glyphs.of(tier)
        if top.index > 0 || top.row < 0 {
            text(glyphs.up, column: rect.endColumn - 1, row: rect.row)
        }
        if index < list.ids.count || row > rect.endRow {
            text(glyphs.down, column: rect.endColumn - 1, row: rect.endRow - 1)
        }
    }

    /// The same for a list that is made whole.
    package mutating func list<ID>(
        _ items: [ListItem<ID>], focused: ID?, in rect: Rect, anchor: inout ScrollAnchor<ID>
    ) {
        list(ListContents(items), focused: focused, in: rect, anchor: &anchor)
    }
}
