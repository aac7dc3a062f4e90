/// Where rows of a repeat stand: in the inspection itself, or in a row of another one.
package struct RepeatPlace: Hashable, Sendable {
    package let path: String
    package let parent: String?

    package init(_ path: String, in parent: String? = nil) {
        self.path = path
        self.parent = parent
    }
}

/// Why a form's own count of rows is not followed.
package enum CountRefusal: Error, Equatable, Sendable {
    /// Rows with answers would go, by their ids: the person is asked first.
    case removesRows([String])
    case tooManyRows(limit: Int)
    /// The form's expressions over so many rows would take too long.
    case tooMuchWork
}

/// Repeats whose number of rows follows from an answer.
extension FormFilling {
    /// How many rows the form asks for at each place that counts now.
    package var wantedRows: [RepeatPlace: Int] {
        var wanted: [RepeatPlace: Int] = [:]
        var counting = RowCounting(self)
        for repetition in form.repetitions where repetition.count != nil {
            let outer = form.repetition(around: repetition.path)
            let parents: [String?] =
                outer.map { outer in
                    answers.rows.filter { $0.path == outer.path }.map(\.id)
                } ?? [nil]
            let places = parents.filter { isAsked(repetition, in: $0) }.map {
                RepeatPlace(repetition.path, in: $0)
            }
            wanted.merge(counting.counts(of: repetition, at: places)) { _, new in new }
        }
        return wanted
    }

    /// Rows of one answer; an inspection with more would fill the queue by itself.
    package static let mostCountedRows = 500

    /// Makes the rows that are missing and takes away those beyond, where the count has changed.
    /// Elsewhere the rows stay as they are: a colleague's may be on their way.
    /// - Parameters:
    ///   - before: what was wanted before the answers changed.
    ///   - mayRemove: whether rows with answers may go.
    ///   - newID: of the row at this place with this number, from 1.
    package mutating func followCounts(
        since before: [RepeatPlace: Int], mayRemove: Bool,
        newID: (RepeatPlace, Int) -> String
    ) throws(CountRefusal) {
        beginWork()
        var followed = before
        var made = 0
        // Rows bring counts of their own, and each round follows those of one depth.
        for _ in 0...form.repetitions.count {
            let changed = wantedRows.filter { followed[$0.key] != $0.value }
            guard !changed.isEmpty else { return }
            var beyond: [FormAnswers.Row] = []
            var missing: [FormAnswers.Row] = []
            for (place, count) in changed.sorted(by: { $0.key < $1.key }) {
                let rows = answers.rows(of: place.path, in: place.parent)
                made += max(0, count - rows.count)
                guard max(made, count) <= Self.mostCountedRows else {
                    throw .tooManyRows(limit: Self.mostCountedRows)
                }
                beyond += rows.dropFirst(count)
                for number in rows.count..<max(rows.count, count) {
                    missing.append(
                        FormAnswers.Row(
                            id: newID(place, number + 1), parent: place.parent, path: place.path))
                }
                followed[place] = count
            }
            let filled = beyond.filter { isFilled(row: $0.id) }
            guard filled.isEmpty || mayRemove else { throw .removesRows(filled.map(\.id)) }
            exchange(beyond.map(\.id), for: missing)
            guard !work.isSpent else { throw .tooMuchWork }
        }
    }
}

extension RepeatPlace: Comparable {
    package static func < (left: RepeatPlace, right: RepeatPlace) -> Bool {
        (left.path, left.parent ?? "") < (right.path, right.parent ?? "")
    }
}
