/// A chart of a few readings in very little room: a line through them, two by four dots a cell, and
/// dotted lines where limits are. In ASCII a cell is one dot.
package struct ReadingChart: Equatable, Sendable {
    /// From top to bottom, each `columns` cells wide.
    package let lines: [String]
    /// The values of the lowest and the highest dots.
    package let low: Double
    package let high: Double

    /// - Parameters:
    ///   - readings: from left to right; only finite ones.
    ///   - limits: drawn where they are near enough to say something; far from all readings they would
    ///     flatten the line.
    /// - Returns: nil where there is no line to draw: fewer than two readings, or no room.
    package init?(
        _ readings: [Double], limits: [Double] = [], columns: Int, rows: Int, tier: Tier
    ) {
        guard readings.count > 1, columns > 1, rows > 0, readings.allSatisfy(\.isFinite),
            let lowest = readings.min(), let highest = readings.max()
        else { return nil }
        let span = highest - lowest
        guard span.isFinite else { return nil }
        let reach = span > 0 ? span : max(abs(highest) / 10, 1)
        let near = limits.filter { lowest - 2 * reach <= $0 && $0 <= highest + 2 * reach }
        let least = ([lowest] + near).min() ?? lowest
        let most = ([highest] + near).max() ?? highest
        // Readings that are all alike stand in the middle.
        low = most > least ? least : least - reach
        high = most > least ? most : most + reach
        var grid = DotGrid(columns: columns, rows: rows, tier: tier)
        let scale = { [low, high] (value: Double) -> Int in
            Int(((high - value) / (high - low) * Double(grid.height - 1)).rounded())
        }
        for limit in near { grid.drawLimit(at: scale(limit)) }
        let places = readings.indices.map { index in
            (x: index * (grid.width - 1) / (readings.count - 1), y: scale(readings[index]))
        }
        for (from, to) in zip(places, places.dropFirst()) { grid.drawLine(from, to) }
        lines = grid.lines
    }
}

/// Dots in cells.
private struct DotGrid {
    private let columns: Int
    private let isBraille: Bool
    /// Of dots.
    let width: Int
    let height: Int
    private var curve: [Bool]
    private var limits: [Bool]

    init(columns: Int, rows: Int, tier: Tier) {
        self.columns = columns
        isBraille = tier == .utf8
        width = columns * (isBraille ? 2 : 1)
        height = rows * (isBraille ? 4 : 1)
        curve = Array(repeating: false, count: width * height)
        limits = curve
    }

    /// Every fourth dot, so that it is not taken for a reading.
    mutating func drawLimit(at y: Int) {
        for x in stride(from: 0, to: width, by: isBraille ? 4 : 2) { limits[y * width + x] = true }
    }

    mutating func drawLine(_ from: (x: Int, y: Int), _ to: (x: Int, y: Int)) {
        let steps = max(abs(to.x - from.x), abs(to.y - from.y), 1)
        for step in 0...steps {
            let part = Double(step) / Double(steps)
            let x = Double(from.x) + part * Double(to.x - from.x)
            let y = Double(from.y) + part * Double(to.y - from.y)
            curve[Int(y.rounded()) * width + Int(x.rounded())] = true
        }
    }

    var lines: [String] {
        isBraille
            ? stride(from: 0, to: height, by: 4).map(brailleLine)
            : (0..<height).map { y in
                String((0..<width).map { x in asciiDot(y * width + x) })
            }
    }

    private func asciiDot(_ index: Int) -> Character {
        curve[index] ? "*" : limits[index] ? "-" : " "
    }

    /// The eight dots of a cell by their bits (Unicode, block Braille Patterns): left column, then right,
    /// the lowest row last.
    private static let bits: [(x: Int, y: Int, bit: UInt32)] = [
        (0, 0, 0x01), (0, 1, 0x02), (0, 2, 0x04), (1, 0, 0x08), (1, 1, 0x10), (1, 2, 0x20),
        (0, 3, 0x40), (1, 3, 0x80),
    ]

    private func brailleLine(_ top: Int) -> String {
        var line = String.UnicodeScalarView()
        for column in 0..<columns {
            var dots: UInt32 = 0
            for (x, y, bit) in Self.bits {
                let index = (top + y) * width + 2 * column + x
                if curve[index] || limits[index] { dots |= bit }
            }
            let cell = dots == 0 ? Unicode.Scalar(0x20) : Unicode.Scalar(0x2800 + dots)
            line.append(cell ?? " ")
        }
        return String(line)
    }
}
