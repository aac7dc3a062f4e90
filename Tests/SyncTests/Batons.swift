import Replication

/// What a server knows of the nodes that push to it, to notice one whose past was lived twice
/// (SYNC, *Identity*).
struct Batons: Sendable {
    private struct Line: Sendable {
        var current: String
        var previous: String?
        var last: Set<MutationID>
        /// Who holds which place in the node's sequence.
        var places: [Int64: MutationID] = [:]
    }

    private var lines: [NodeID: Line] = [:]
    private var count = 0

    var nodes: Set<NodeID> { Set(lines.keys) }

    /// A repetition that gives a place in the sequence to something else comes from a copy.
    func takes(_ request: PushRequest) -> Bool {
        guard let line = lines[request.clientNodeId] else { return true }
        if request.baton == line.current { return true }
        let isRepetition =
            request.baton == line.previous
            && (request.mutations.map(\.id) + request.unheard).contains { line.last.contains($0) }
        return isRepetition
            && request.mutations.allSatisfy { line.places[$0.sequence] ?? $0.id == $0.id }
    }

    /// A repetition gets the baton of the answer that was lost.
    mutating func handOn(after request: PushRequest) -> String {
        let (node, before) = (request.clientNodeId, request.baton)
        var line = lines[node] ?? Line(current: "", previous: nil, last: [])
        if lines[node] == nil || line.current == before || line.previous != before {
            count += 1
            line.previous = before
            line.current = "baton-\(count)"
            line.last = []
        }
        line.last.formUnion(request.mutations.map(\.id))
        for mutation in request.mutations { line.places[mutation.sequence] = mutation.id }
        lines[node] = line
        return line.current
    }
}
