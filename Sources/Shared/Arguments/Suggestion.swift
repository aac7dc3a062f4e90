/// The known word that a mistyped one most likely meant, or nil when none is close: a third of the
/// letters may differ.
func nearest(to word: String, among known: [String]) -> String? {
    let scored = known.map { (name: $0, distance: editDistance(word, $0)) }
    let best = scored.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    guard let best, best.distance <= max(1, best.name.count / 3) else {
        let letters = word.drop { $0 == "-" }.count
        return known.filter { letters >= 2 && $0.hasPrefix(word) }.min()
    }
    return best.name
}

/// Insertions, deletions, substitutions and swaps of neighbours that lead from one word to the other
/// (optimal string alignment).
func editDistance(_ first: String, _ second: String) -> Int {
    let rows = Array(first)
    let columns = Array(second)
    var beforeLast: [Int] = []
    var last = Array(0...columns.count)
    for (row, letter) in rows.enumerated() {
        var current = [row + 1]
        for (column, other) in columns.enumerated() {
            var best = min(last[column + 1] + 1, current[column] + 1)
            best = min(best, last[column] + (letter == other ? 0 : 1))
            if row > 0, column > 0, letter == columns[column - 1], rows[row - 1] == other {
                best = min(best, beforeLast[column - 1] + 1)
            }
            current.append(best)
        }
        beforeLast = last
        last = current
    }
    return last[columns.count]
}
