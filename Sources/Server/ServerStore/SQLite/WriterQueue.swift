internal import Dispatch
internal import Replication
internal import Synchronization

/// Commits the batches that wait together: one transaction and one fsync for all of them.
///
/// A caller is never blocked: it hands in a batch and is called back after the commit. The queue is
/// bounded, so that a storm of devices is told to come back before memory grows.
final class WriterQueue: Sendable {
    typealias Work = @Sendable (WriteSession) throws -> PushResponse
    typealias Completion = @Sendable (Result<PushResponse, any Error>) -> Void
    typealias Note = @Sendable (WriteSession) throws -> Void

    private struct Batch: Sendable {
        let work: Work
        let completion: Completion
    }

    private struct Group {
        var batches: [Batch]
        var notes: [Note]

        var isEmpty: Bool { batches.isEmpty && notes.isEmpty }
    }

    private struct State {
        var waiting: [Batch] = []
        /// Small things to remember with the next transaction, which nobody waits for.
        var notes: [Note] = []
        var isDraining = false
        var sinceCheckpoint = 0
    }

    let writer: StoreWriter
    private let limit: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "walkdown.store.push")

    /// Batches in one transaction. More would make the first of them wait longer than an fsync
    /// takes, for little gain.
    private static let largestGroup = 64
    /// Batches after which the log is moved into the file: it stays at some tens of megabytes, and
    /// the two fsyncs are shared by many commits.
    private static let checkpointInterval = 64

    init(limit: Int, writer: StoreWriter) {
        self.limit = limit
        self.writer = writer
    }

    /// - Throws: `overloaded` where the queue is full; nothing was taken then.
    func submit(_ work: @escaping Work, _ completion: @escaping Completion) throws {
        let starts = try state.withLock { state in
            guard state.waiting.count < limit else {
                throw ServerStoreError(.overloaded, "too many batches are waiting")
            }
            state.waiting.append(Batch(work: work, completion: completion))
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if starts { queue.async { self.drain() } }
    }

    /// Takes something that is written with the next group. Dropped when too many wait: notes tell
    /// people how devices fare, and a device says the same with its next pull.
    func note(_ note: @escaping Note) {
        let starts = state.withLock { state in
            guard state.notes.count < limit else { return false }
            state.notes.append(note)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if starts { queue.async { self.drain() } }
    }

    /// Returns when every batch that was handed in before has been answered.
    func waitUntilIdle() {
        queue.sync {}
    }

    private func drain() {
        while let group = nextGroup() {
            commit(group)
            checkpoint(after: group.batches.count)
        }
    }

    private func nextGroup() -> Group? {
        state.withLock { state in
            let batches = Array(state.waiting.prefix(WriterQueue.largestGroup))
            let group = Group(batches: batches, notes: state.notes)
            guard !group.isEmpty else {
                state.isDraining = false
                return nil
            }
            state.waiting.removeFirst(batches.count)
            state.notes = []
            return group
        }
    }

    /// What one batch asks for wrongly is its own answer; what the database refuses fails the
    /// transaction, and then each batch gets a second chance alone, so that one cannot spoil the
    /// others.
    private func commit(_ group: Group) {
        do {
            let results = try writer.transaction { session in
                for note in group.notes { try note(session) }
                return try group.batches.map { try result(of: $0, in: session) }
            }
            for (batch, result) in zip(group.batches, results) { batch.completion(result) }
        } catch  where group.batches.count > 1 || !group.notes.isEmpty {
            for batch in group.batches { commit(Group(batches: [batch], notes: [])) }
        } catch {
            for batch in group.batches { batch.completion(.failure(error)) }
        }
    }

    private func result(
        of batch: Batch, in session: WriteSession
    ) throws -> Result<PushResponse, any Error> {
        do {
            return .success(try batch.work(session))
        } catch let refusal as ServerStoreError {
            return .failure(refusal)
        }
    }

    private func checkpoint(after batches: Int) {
        let isDue = state.withLock { state in
            state.sinceCheckpoint += batches
            guard state.sinceCheckpoint >= WriterQueue.checkpointInterval else { return false }
            state.sinceCheckpoint = 0
            return true
        }
        guard isDue else { return }
        // A checkpoint that fails loses nothing: the log holds everything until a later one moves
        // it, and a disk that really fails makes the next commit fail, which is told.
        try? writer.checkpoint()
    }
}
