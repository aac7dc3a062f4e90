import Replication

/// What a server knows of the nodes that push to it, to notice one whose past was lived twice
/// (SYNC, *Identity*).
struct Batons: Sendable {
    private struct Line: Sendable {
        var current: String
        var previous: String?
        var last: Set<MutationID>
    }

    private var lines: [NodeID: Line] = [:]
    private var count = 0

    var nodes: Set<NodeID> { Set(lines.keys) }

    func takes(_ baton: String?, of node: NodeID, _ ids: Set<MutationID>) -> Bool {
        guard let line = lines[node] else { return true }
        return baton == line.current || baton == line.previous && !ids.isDisjoint(with: line.last)
    }

    /// - Parameter before: what the request brought; a repetition gets the answer that was lost.
    mutating func handOn(
        _ node: NodeID, _ ids: Set<MutationID>, after before: String?
    ) -> String {
        if var line = lines[node], line.current != before, line.previous == before {
            line.last.formUnion(ids)
            lines[node] = line
            return line.current
        }
        count += 1
        let baton = "baton-\(count)"
        lines[node] = Line(current: baton, previous: before, last: ids)
        return baton
    }
}
