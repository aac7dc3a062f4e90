/// One cell: a scalar, its style and its width. A wide character is a head of width 2 followed by a
/// continuation of width 0. Combining marks stand in the canvas's side table at `marks`; 0 is none.
package struct Cell: Hashable, Sendable {
    package var scalar: Unicode.Scalar
    package var style: Style
    package var width: UInt8
    package var marks: UInt16

    package init(
        _ scalar: Unicode.Scalar, style: Style = .plain, width: UInt8 = 1, marks: UInt16 = 0
    ) {
        self.scalar = scalar
        self.style = style
        self.width = width
        self.marks = marks
    }

    package static func blank(_ style: Style = .plain) -> Cell { Cell(" ", style: style) }

    package static func continuation(_ style: Style) -> Cell {
        Cell(" ", style: style, width: 0)
    }

    package var isContinuation: Bool { width == 0 }
}
