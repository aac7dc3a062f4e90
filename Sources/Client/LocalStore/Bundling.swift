package import Replication
internal import SQLite

/// What goes into a bundle: sealed, in the batches in which it would go over the network.
package struct BundlePlan: Sendable {
    /// Places of its mutations in the queue, and when their bases were learnt, under which cursor.
    package struct Batch: Sendable {
        let sequences: [Int64]
        let time: BatchTime
        let pullPosition: String?
    }

    package private(set) var batches: [Batch] = []
    package fileprivate(set) var mutationCount = 0
    /// Waiting mutations that are not in it: the failed and those in conflict or in review, on
    /// which a person decides, and what stands behind them.
    package fileprivate(set) var leftCount = 0

    fileprivate mutating func add(_ batch: Batch) {
        batches.append(batch)
        mutationCount += batch.sequences.count
    }
}

/// The way of mutations to the server by cable. They are sealed before the first byte of the bundle is
/// written, as before a push, because what has left the device never changes; but they stay PENDING,
/// since only an answer of the server tells that they arrived.
extension DeviceStore {
    /// Seals everything that the next cycles would send if the server took all of it, whatever was
    /// sent already and has had no answer. One durable transaction.
    package func sealForBundle() throws -> BundlePlan {
        try edit { database in
            try database.execute(
                """
                UPDATE __sync_outbox SET status = 'PENDING', next_attempt_at = NULL
                WHERE status = 'IN_FLIGHT' AND status <> 'ACKNOWLEDGED'
                """)
            let obstacles = try BatchObstacles(database)
            try database.separateFieldsInReview(obstacles, newID: sources.newID)
            var selection = BundleSelection(
                BatchSelection(
                    obstacles: obstacles, limit: PushRequest.mostMutations, skipping: [],
                    partedAt: try database.partedAt()))
            try database.select(into: &selection)
            for sequence in selection.taken {
                try database.execute(
                    """
                    UPDATE __sync_outbox SET sealed = 1, in_bundle = 1
                    WHERE seq_id = ? AND in_bundle IS NULL
                    """, [.integer(sequence)])
            }
            var plan = selection.plan
            let waiting = try database.first(
                "SELECT count(*) FROM __sync_outbox WHERE status <> 'ACKNOWLEDGED'"
            ) { Int(try $0.integer(0)) }
            plan.leftCount = (waiting ?? 0) - plan.mutationCount
            return plan
        }
    }

    /// Whether something that discarding this mutation gives up may stand in a bundle. Whoever imports
    /// that one later brings it back: nothing can be called back from a file that has left the device.
    package func isInBundle(whatDiscards id: MutationID) throws -> Bool {
        try read { database in
            let mutation = try database.waitingMutation(id)
            return try mutation.isInBundle
                || database.isInBundle(
                    whatGoesWith: mutation.operation, of: mutation.record)
        }
    }

    /// Whether what this device entered, and gives up with its decision on a conflict, may stand in a
    /// bundle.
    package func isInBundle(whatResolves id: RecordID) throws -> Bool {
        try read { database in
            let waiting = try database.waitingMutations(of: id)
            let conflicts = waiting.filter { $0.status == "CONFLICT" }
            if conflicts.contains(where: \.isInBundle) { return true }
            // What waits below it goes with a deleted record.
            guard try conflicts.contains(where: { try $0.meetsTombstone() }) else { return false }
            return try database.family(of: id).contains { member in
                try database.waitingMutations(of: member).contains(where: \.isInBundle)
            }
        }
    }

    /// A batch of the plan as a push. Only under the home's lease, so that nobody has settled
    /// anything of it meanwhile.
    package func request(of batch: BundlePlan.Batch) throws -> PushRequest {
        try read { database in
            let position = try database.position()
            let mutations = try batch.sequences.map { sequence in
                let row = try database.pendingRows(after: sequence - 1, count: 1).first
                guard let row, row.sequence == sequence, row.isSealed else {
                    throw StoreError.damaged("a change that was sealed for a bundle is gone")
                }
                return try database.mutation(of: row, at: batch.time)
            }
            var request = PushRequest(
                clientNodeId: position.node, clientEpoch: position.clientEpoch, baton: nil,
                schemaVersion: Schema.version, pullPosition: batch.pullPosition,
                mutations: mutations)
            request.hasExactBases = batch.time.hasExactBases
            return request
        }
    }
}

extension Connection {
    /// Whether something that would go with the record that a mutation makes may stand in a bundle.
    func isInBundle(whatGoesWith operation: String, of id: RecordID) throws -> Bool {
        try recordsRemoved(byDiscarding: operation, of: id).contains { removed in
            try first(
                """
                SELECT 1 FROM __sync_outbox WHERE record_id = ?
                    AND in_bundle IS NOT NULL AND status <> 'ACKNOWLEDGED' LIMIT 1
                """, [.text(removed.rawValue)]
            ) { _ in true } ?? false
        }
    }

    /// Whether anything that waits may stand in one. The index has nothing else.
    func haveBundled() throws -> Bool {
        try first(
            """
            SELECT 1 FROM __sync_outbox
            WHERE in_bundle IS NOT NULL AND status <> 'ACKNOWLEDGED' LIMIT 1
            """
        ) { _ in true } ?? false
    }
}

/// Batches one after the other, until nothing is left that could go.
private struct BundleSelection {
    private(set) var plan = BundlePlan()
    private(set) var taken: Set<Int64> = []
    private var selection: BatchSelection

    init(_ selection: BatchSelection) {
        self.selection = selection
    }

    /// What waits on a mutation that stands behind it in the queue is admitted the next time round.
    mutating func admits(_ row: QueuedRow) -> Bool {
        !taken.contains(row.sequence) && selection.admits(row)
    }

    mutating func add(
        _ mutation: Mutation, of time: BatchTime, pullPosition: (BatchTime) throws -> String?
    ) throws {
        let count = selection.mutations.count
        selection.add(mutation, of: time)
        if selection.isFull, selection.mutations.count == count {
            try closeBatch(pullPosition)
            selection.add(mutation, of: time)
        }
        if selection.mutations.last?.sequence == mutation.sequence {
            taken.insert(mutation.sequence)
        }
        if selection.isFull { try closeBatch(pullPosition) }
    }

    mutating func closeBatch(_ pullPosition: (BatchTime) throws -> String?) throws {
        let time = selection.time
        let position = try pullPosition(time)
        let batch = selection.takeBatch()
        guard !batch.isEmpty else { return }
        plan.add(
            BundlePlan.Batch(
                sequences: batch.map(\.sequence), time: time, pullPosition: position))
    }
}

extension Connection {
    fileprivate func select(into selection: inout BundleSelection) throws {
        let haveOldBases = try neededOldCursor() != nil
        var count: Int
        repeat {
            count = selection.taken.count
            var after: Int64 = 0
            while true {
                let rows = try pendingRows(after: after, count: 200)
                guard let last = rows.last else { break }
                after = last.sequence
                for row in rows where selection.admits(row) {
                    let time = try time(of: row, haveOldBases)
                    try selection.add(
                        try mutation(of: row, at: time), of: time, pullPosition: pullPosition)
                }
            }
            try selection.closeBatch(pullPosition)
        } while selection.taken.count > count
    }
}
