/// What the counts of repeats come to as the answers stand.
struct RowCounting {
    private let filling: FormFilling
    private let surroundings: ExpressionSurroundings
    private var work: FillingWork

    init(_ filling: FormFilling) {
        self.filling = filling
        surroundings = filling.expressionSurroundings
        work = FillingWork(filling.surroundings)
    }

    /// How many rows are wanted at each of these places of one repeat.
    mutating func counts(
        of repetition: Repetition, at places: [RepeatPlace]
    ) -> [RepeatPlace: Int] {
        guard let expression = repetition.count, !places.isEmpty else { return [:] }
        // Its paths begin at a row, so where there is none one is put there to look from.
        let present = Dictionary(
            filling.answers.rows.filter { $0.path == repetition.path }
                .map { (RepeatPlace($0.path, in: $0.parent), $0.id) },
            uniquingKeysWith: { first, _ in first })
        let empty = places.filter { present[$0] == nil }
        let probes = Dictionary(
            empty.enumerated().map { ($1, "\u{0}\($0)") }, uniquingKeysWith: { first, _ in first })
        let (nodes, tree) = probes.isEmpty ? (filling.nodes, filling.tree) : record(with: probes)
        var counts: [RepeatPlace: Int] = [:]
        for place in places {
            guard let row = present[place] ?? probes[place],
                let index = nodes.index(of: AnswerKey(row: row, place.path))
            else { continue }
            counts[place] =
                count(expression, at: tree.node(at: index))
                // The author's mistake takes no row away.
                ?? filling.answers.rows(of: place.path, in: place.parent).count
        }
        return counts
    }

    private mutating func count(_ expression: FormExpression, at node: Node) -> Int? {
        do throws(ExpressionError) {
            let number = try work.value(of: expression, at: node, in: surroundings)
                .number(in: surroundings.zone)
            guard number.isFinite else { return 0 }
            let most = Double(FormFilling.mostCountedRows + 1)
            return Int(min(max(number.rounded(.towardZero), 0), most))
        } catch {
            return nil
        }
    }

    /// The record as it stands, with one more row at each place.
    private func record(with probes: [RepeatPlace: String]) -> (RecordTree, NodeTree) {
        var answers = filling.answers
        for (place, id) in probes.sorted(by: { $0.key < $1.key }) {
            answers.append(FormAnswers.Row(id: id, parent: place.parent, path: place.path))
        }
        let nodes = RecordTree(filling.form, answers)
        let tree = nodes.tree.edited { editor in
            for index in editor.tree.entries.indices.dropFirst(2) {
                let same = filling.nodes.index(of: nodes.key(at: index))
                let above = editor.tree.entries[index].parent
                editor.set(
                    isRelevant: same.map { filling.tree.entries[$0].isRelevant }
                        ?? editor.tree.entries[above].isRelevant, at: index)
            }
        }
        return (nodes, tree)
    }
}
