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
}

/// Repeats whose number of rows follows from an answer.
extension FormFilling {
    /// How many rows the form asks for at each place that counts now.
    package var wantedRows: [RepeatPlace: Int] {
        var wanted: [RepeatPlace: Int] = [:]
        for repetition in form.repetitions where repetition.count != nil {
            let outer = form.repetition(around: repetition.path)
            let parents: [String?] =
                outer.map { outer in
                    answers.rows.filter { $0.path == outer.path }.map(\.id)
                } ?? [nil]
            for parent in parents {
                let place = RepeatPlace(repetition.path, in: parent)
                wanted[place] = count(of: repetition, at: place)
            }
        }
        return wanted
    }

    /// Rows of one answer; an inspection with more would fill the queue by itself.
    package static let mostCountedRows = 500

    /// Nil where the repeat is not asked at all: its rows are kept like other answers.
    private func count(of repetition: Repetition, at place: RepeatPlace) -> Int? {
        guard let expression = repetition.count, isAsked(repetition, in: place.parent) else {
            return nil
        }
        // Its paths begin at a row, so where there is none one is put there to look from.
        guard let first = answers.rows(of: place.path, in: place.parent).first else {
            var filling = self
            let row = FormAnswers.Row(id: "", parent: place.parent, path: place.path)
            _ = filling.add(row)
            return filling.count(expression, at: row)
        }
        return count(expression, at: first)
    }

    private func count(_ expression: FormExpression, at row: FormAnswers.Row) -> Int {
        let key = AnswerKey(row: row.id, row.path)
        guard let index = nodes.index(of: key) else { return 0 }
        do throws(ExpressionError) {
            let number = try expression.value(
                at: tree.node(at: index), in: expressionSurroundings
            ).number(in: surroundings.zone)
            guard number.isFinite else { return 0 }
            return Int(min(max(number.rounded(.towardZero), 0), Double(Self.mostCountedRows + 1)))
        } catch {
            // The author's mistake takes no row away.
            return answers.rows(of: row.path, in: row.parent).filter { $0.id != "" }.count
        }
    }

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
        var followed = before
        var made = 0
        // Rows bring counts of their own, and each round follows those of one depth.
        for _ in 0...form.repetitions.count {
            let changed = wantedRows.filter { followed[$0.key] != $0.value }
            guard !changed.isEmpty else { return }
            for (place, count) in changed.sorted(by: { $0.key < $1.key }) {
                let rows = answers.rows(of: place.path, in: place.parent)
                made += max(0, count - rows.count)
                guard max(made, count) <= Self.mostCountedRows else {
                    throw .tooManyRows(limit: Self.mostCountedRows)
                }
                try remove(rows.dropFirst(count), mayRemove: mayRemove)
                for number in rows.count..<max(rows.count, count) {
                    _ = add(
                        FormAnswers.Row(
                            id: newID(place, number + 1), parent: place.parent, path: place.path))
                }
                followed[place] = count
            }
        }
    }

    private mutating func remove(
        _ rows: ArraySlice<FormAnswers.Row>, mayRemove: Bool
    ) throws(CountRefusal) {
        let filled = rows.filter { isFilled(row: $0.id) }
        guard filled.isEmpty || mayRemove else {
            throw .removesRows(filled.map(\.id))
        }
        for row in rows.reversed() { _ = remove(row: row.id) }
    }
}

extension RepeatPlace: Comparable {
    package static func < (left: RepeatPlace, right: RepeatPlace) -> Bool {
        (left.path, left.parent ?? "") < (right.path, right.parent ?? "")
    }
}
