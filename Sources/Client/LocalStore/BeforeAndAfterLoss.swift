internal import Replication
internal import SQLite

/// A retry or a resolution takes a record's later changes along, but not over the moment at which the
/// record left the scope: what was entered before goes to a supervisor under the cursor of before, and
/// what was entered after would take it along into a refusal.
struct PartedByLoss {
    /// What becomes one with that about which a person decides.
    var absorbed: [WaitingMutation]
    /// Places of what was entered after the loss, and goes behind it.
    var later: [Int64] = []
}

extension Connection {
    /// - Parameters:
    ///   - mutations: what would be taken along.
    ///   - head: that about which a person decides.
    ///   - fields: those about which he does; what was entered of them since is part of it.
    func parted(
        _ mutations: [WaitingMutation], by head: WaitingMutation, taking fields: Set<FieldName> = []
    ) throws -> PartedByLoss {
        guard head.pullPosition != nil else { return PartedByLoss(absorbed: mutations) }
        var parts = PartedByLoss(absorbed: [])
        for mutation in mutations {
            guard mutation.pullPosition == nil else {
                parts.absorbed.append(mutation)
                continue
            }
            let decided = mutation.entries.filter { fields.contains($0.key) }
            if try takeOut(decided.keys, of: mutation) { parts.later.append(mutation.sequence) }
            guard !decided.isEmpty else { continue }
            var decision = mutation
            decision.entries = decided
            decision.operation = "UPDATE"
            decision.pullPosition = head.pullPosition
            // Its row is not taken along, if there is one still.
            decision.sequence = head.sequence
            parts.absorbed.append(decision)
        }
        return parts
    }

    /// - Returns: whether anything is left of the mutation.
    private func takeOut(
        _ fields: some Collection<FieldName>, of mutation: WaitingMutation
    ) throws -> Bool {
        for name in fields {
            try execute(
                "DELETE FROM __sync_outbox_field WHERE seq_id = ? AND name = ?",
                [.integer(mutation.sequence), .text(name)])
        }
        guard fields.count == mutation.entries.count, mutation.operation == "UPDATE" else {
            return true
        }
        try execute("DELETE FROM __sync_outbox WHERE seq_id = ?", [.integer(mutation.sequence)])
        return false
    }

    /// In their order, behind what was decided.
    func putBehind(_ sequences: [Int64], newID: () -> String) throws {
        for sequence in sequences { try reissue(sequence, newID: newID()) }
    }
}
