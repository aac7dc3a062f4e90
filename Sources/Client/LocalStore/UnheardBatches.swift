internal import Replication
internal import SQLite

/// Batches that went out and were not answered, as far as this device has heard. The server may have taken
/// any of them, and tells a repetition from a copy of this device by what was in it: so the next batch
/// names the first mutation of each (`unheard`), also after the cycle and after the process, until an
/// answer brings a new baton.
extension Connection {
    /// Notes a batch that is about to go.
    /// - Returns: what it has to name beside its own mutations.
    func noteSent(_ batch: [MutationID]) throws -> [MutationID] {
        let earlier = try unheard()
        guard let first = batch.first, Set(earlier).isDisjoint(with: batch) else {
            return earlier.filter { !batch.contains($0) }
        }
        try keepUnheard(earlier + [first])
        return earlier
    }

    /// An answer has come: only what goes with its baton can be unheard from now on.
    func forgetUnheard(but next: MutationID? = nil) throws {
        guard try next != nil || metadataText("unheard") != nil else { return }
        try keepUnheard(next.map { [$0] } ?? [])
    }

    /// What an older state of this device may have sent, where the baton was taken from the journal: all
    /// that was ready to go and has no answer, the newest.
    func keepUnheardFromQueue() throws {
        let sent = try query(
            """
            SELECT mutation_id FROM __sync_outbox
            WHERE status IN ('PENDING', 'IN_FLIGHT') AND status <> 'ACKNOWLEDGED' AND sealed = 1
            ORDER BY seq_id DESC LIMIT \(PushRequest.mostMutations)
            """
        ) { MutationID(try $0.text(0)) }
        try keepUnheard(sent.reversed())
    }

    private func unheard() throws -> [MutationID] {
        try (metadataText("unheard") ?? "").split(separator: " ").map { MutationID(String($0)) }
    }

    private func keepUnheard(_ ids: [MutationID]) throws {
        let text = ids.suffix(PushRequest.mostMutations).map(\.rawValue).joined(separator: " ")
        try setMetadata("unheard", text.isEmpty ? .null : .text(text))
    }
}
