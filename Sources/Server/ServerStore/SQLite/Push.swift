internal import Coding
package import Replication
internal import SQLite

extension SQLiteStore {
    package func push(
        _ request: PushRequest, from device: Device, idempotencyKey: String?,
        completion: @escaping @Sendable (Result<PushResponse, any Error>) -> Void
    ) {
        do {
            try queue.submit(
                { [seal] session in
                    try session.beginEpoch(ifAhead: request.pullPosition, seal)
                    return try BatchMerge.run(
                        request, of: device, key: idempotencyKey, in: session, seal)
                }, completion)
        } catch {
            completion(.failure(error))
        }
    }

    package func take(
        bundled request: PushRequest, ofDevice id: String, _ holds: inout BatchHolds
    ) throws -> [Verdict] {
        let earlier = holds
        let (verdicts, later) = try write { session in
            try session.beginEpoch(ifAhead: request.pullPosition, seal)
            return try BatchMerge.run(bundled: request, ofDevice: id, earlier, in: session)
        }
        holds = later
        return verdicts
    }
}

/// One batch of a device inside the writer's transaction.
struct BatchMerge {
    private let session: WriteSession
    private let device: Device
    private let request: PushRequest
    private let standpoint: Standpoint
    /// What the batch says, in ids and contents; two batches with the same hash are one.
    private let contentHash: [UInt8]
    private var holds = BatchHolds()
    /// Mutations of this batch that were not known before.
    private var taken = 0
    /// Of each record that the batch deletes, what its device cannot have known below it.
    private var changedBelow: [RecordID: [RecordState]] = [:]
    /// Records that the batch makes.
    private let made: Set<RecordID>

    static func run(
        _ request: PushRequest, of device: Device, key: String?, in session: WriteSession,
        _ seal: CursorSeal
    ) throws -> PushResponse {
        // Read again inside the transaction: the device may have been moved or revoked meanwhile.
        let device = try session.connection.requireDevice(
            id: device.id, as: request.clientNodeId)
        try session.beginEpoch(ifAhead: request.baton, of: device.node, seal)
        var batch = BatchMerge(
            session: session, device: device, request: request,
            standpoint: try session.connection.standpoint(
                of: request.pullPosition, in: session.epoch))
        try batch.refuseWrongBatch(key: key)
        try batch.refuseFork()
        try session.register(
            device.node, of: device.id, position: batch.standpoint.position)
        try batch.lookBelow()
        let results = try batch.verdicts()
        let baton = try batch.passBaton(seal)
        try batch.remember(key: key)
        return PushResponse(results: results, baton: baton, server: session.state)
    }

    /// A batch that came by cable: when it was made is not known, and another may have come over the
    /// network since, so that batons say nothing of it. Ids and places in the sequence still tell
    /// what was known before, and what comes from a copy.
    static func run(
        bundled request: PushRequest, ofDevice id: String, _ holds: BatchHolds,
        in session: WriteSession
    ) throws -> ([Verdict], BatchHolds) {
        var batch = BatchMerge(
            session: session,
            device: try session.connection.requireDevice(id: id, as: request.clientNodeId),
            request: request,
            standpoint: try session.connection.standpoint(
                of: request.pullPosition, in: session.epoch))
        batch.holds = holds
        try batch.refuseWrongBatch(key: nil)
        guard try !request.mutations.contains(where: batch.holdsTakenPlace) else {
            throw ServerStoreError(
                .forked,
                "another handheld lives on from this one's past; synchronise it over the network")
        }
        try session.register(
            batch.device.node, of: id, position: batch.standpoint.position)
        try batch.lookBelow()
        // Nobody has to read the records in one answer.
        let verdicts = try request.mutations.map { try batch.bundledVerdict(on: $0) }
        try batch.countOfferedAgain()
        return (verdicts, batch.holds)
    }

    private init(
        session: WriteSession, device: Device, request: PushRequest, standpoint: Standpoint
    ) {
        self.standpoint = standpoint
        self.session = session
        self.device = device
        self.request = request
        made = Set(request.mutations.filter { $0.operation == .insert }.map(\.record))
        contentHash = Array(request.idempotencyKey.utf8)
    }

    // MARK: The batch as a whole

    /// What makes the whole batch wrong, before anything of it is written.
    private func refuseWrongBatch(key: String?) throws {
        guard device.state == .active else {
            throw ServerStoreError(.unknownDevice, "this device was revoked")
        }
        try session.model.refuseTooNew(
            request.mutations.reduce(request.schemaVersion) { max($0, $1.schemaVersion) })
        guard request.mutations.count <= PushRequest.mostMutations else {
            throw ServerStoreError(
                .tooManyMutations, "a batch has at most \(PushRequest.mostMutations) mutations")
        }
        guard let key else { return }
        let known = try session.connection.first(
            "SELECT content_hash FROM batch WHERE node = ? AND key = ?",
            [.text(device.node.rawValue), .text(key)]
        ) { try $0.blob(0) }
        guard known == nil || known == contentHash else {
            throw ServerStoreError(
                .keyReused, "this idempotency key was used for a batch with other content")
        }
    }

    /// A device that lives on from a past which another one has lived on from already would use ids
    /// and counters of that one for other readings.
    private func refuseFork() throws {
        guard let trail = try session.connection.batonTrail(of: device.node) else { return }
        switch trail.meeting(request.baton, request.mutations.map(\.id) + request.unheard) {
        case .next:
            // What came by cable moves no baton: only the places tell that another has gone on.
            guard try request.mutations.contains(where: holdsTakenPlace) else { return }
        case .repetition:
            // Two copies may both repeat the batch that they share. What the first has sent with it
            // bears ids, or has places in the sequence, that the second gave to something else.
            guard try request.mutations.contains(where: contradicts) else { return }
        case .fork: break
        }
        throw ServerStoreError(
            .forked, "another handheld lives on from this one's past; take a new node id")
    }

    /// Whether a mutation cannot come from the device that sent what is here already: what was sent
    /// never changes.
    private func contradicts(_ mutation: Mutation) throws -> Bool {
        if let known = try session.connection.verdict(on: mutation.id) {
            return known.contentHash != mutation.contentHash
        }
        return try holdsTakenPlace(mutation)
    }

    private func holdsTakenPlace(_ mutation: Mutation) throws -> Bool {
        let holder = try session.connection.mutation(
            of: device.node, epoch: request.clientEpoch, sequence: mutation.sequence)
        return holder != nil && holder != mutation.id
    }

    /// - Returns: the baton of the answer.
    private func passBaton(_ seal: CursorSeal) throws -> String {
        let before = try session.connection.batonTrail(of: device.node)
        let next = Baton(epoch: session.epoch, number: (before?.number ?? 0) + 1)
        let trail = BatonTrail.after(
            before, request.baton, request.mutations.map(\.id),
            next: seal.text(of: next, for: device.node, salt: session.newSalt()))
        try session.save(trail, of: device.node)
        return trail.current
    }

    private func remember(key: String?) throws {
        try session.connection.execute(
            "UPDATE device SET last_push_at = ?, epoch = ? WHERE id = ?",
            [.integer(session.now), .integer(request.clientEpoch), .text(device.id)])
        try countOfferedAgain()
        guard let key else { return }
        try session.connection.execute(
            "INSERT OR IGNORE INTO batch (node, key, content_hash, at) VALUES (?, ?, ?, ?)",
            [
                .text(device.node.rawValue), .text(key), .blob(contentHash),
                .integer(session.now),
            ])
    }

    private func countOfferedAgain() throws {
        guard standpoint.epoch != .current else { return }
        try session.countOfferedAgain(taken, by: device.id)
    }

    /// Bytes of JSON that the verdicts of one answer may have, estimated from above; the first may
    /// have more. A device reads at most 8 MiB, and would refuse a larger answer for ever.
    private static let largestAnswer = 4 << 20

    /// In the order of the batch. Where the next has no room in the answer it is not judged, nor
    /// what follows: what an answer does not name stays in the device's outbox and comes again.
    private mutating func verdicts() throws -> [Verdict] {
        var verdicts: [Verdict] = []
        var bytes = 0
        for mutation in request.mutations {
            let room = verdicts.isEmpty ? Int.max : BatchMerge.largestAnswer - bytes
            do {
                let verdict = try verdict(on: mutation, room: room)
                bytes += verdict.estimatedBytes
                verdicts.append(verdict)
            } catch is AnswerIsFull {
                break
            }
        }
        return verdicts
    }

    /// Before the batch's own changes move anything. What it deletes itself is judged by itself.
    private mutating func lookBelow() throws {
        let deleted = Set(request.mutations.filter { $0.deletion != nil }.map(\.record))
        for id in deleted {
            changedBelow[id] = try session.connection.living(
                below: id, notHeardOfAt: standpoint
            ).filter { !deleted.contains($0.id) }
        }
    }

    // MARK: One mutation

    /// The answer has no room for the verdict: its mutation is taken back.
    private struct AnswerIsFull: Error {}

    /// - Throws: `AnswerIsFull` where the verdict is larger than the room that is left.
    private mutating func verdict(on mutation: Mutation, room: Int = .max) throws -> Verdict {
        let known = try session.connection.verdict(on: mutation.id)
        let verdict =
            try known.map { try repeated(mutation, $0) } ?? judge(mutation, room: room)
        guard verdict.estimatedBytes <= room else { throw AnswerIsFull() }
        holds.note(mutation, verdict.status, conflicts: verdict.conflicts)
        return verdict
    }

    /// Whoever imports a bundle hears which of its changes were here already.
    private mutating func bundledVerdict(on mutation: Mutation) throws -> Verdict {
        let takenBefore = taken
        var verdict = try verdict(on: mutation)
        let isSettled = verdict.status == .applied || verdict.status == .merged
        if taken == takenBefore, isSettled { verdict.status = .duplicate }
        return verdict
    }

    /// The same mutation again: the verdict that stands. Other content under its id, or another
    /// device's, is refused without a word about what stands there.
    private func repeated(_ mutation: Mutation, _ known: StoredVerdict) throws -> Verdict {
        guard known.contentHash == mutation.contentHash,
            try session.connection.owner(of: known.node) == device.id
        else { return rejection(of: mutation, .contentMismatch) }
        return try session.connection.current(known, on: mutation.id, for: device)
    }

    /// Judges one mutation as a unit: what fails in it is taken back and spoils nothing else.
    private mutating func judge(_ mutation: Mutation, room: Int) throws -> Verdict {
        if let holder = holds.holder(of: mutation) {
            return Verdict(mutationId: mutation.id, status: .held, heldBy: holder)
        }
        guard LamportClock.isBelievable(mutation.highestLamport, after: session.lamport) else {
            return rejection(of: mutation, .lamportJump)
        }
        guard try !holdsTakenPlace(mutation) else {
            return rejection(of: mutation, .contentMismatch)
        }
        let sender = Sender(
            device: device, standpoint: standpoint,
            epochOfVersions: standpoint.cursor?.epoch ?? 0,
            hasExactBases: request.hasExactBases, makes: made, changedBelow: changedBelow)
        do {
            let verdict = try session.unit {
                let verdict = try session.merge(mutation, by: .device(sender)).readable
                guard verdict.estimatedBytes <= Verdict.mostBytes else {
                    throw Admission.Refusal.rejected(.tooMuchInConflict)
                }
                guard verdict.estimatedBytes <= room else { throw AnswerIsFull() }
                try session.store(
                    verdict, on: mutation, by: device.node, epoch: request.clientEpoch)
                return verdict
            }
            taken += 1
            return verdict
        } catch Admission.Refusal.rejected(let error) {
            return rejection(of: mutation, error)
        } catch let error as SQLiteError where error.isConstraint {
            // Rows of this one mutation contradict what is stored: a fault of ours, which must not
            // keep the rest of the device's work back. A full disk or a read error is another
            // thing: that fails the transaction.
            return rejection(of: mutation, .serverFault)
        } catch Admission.Refusal.waiting {
            return Verdict(mutationId: mutation.id, status: .held)
        }
    }

    private func rejection(of mutation: Mutation, _ error: WireError) -> Verdict {
        Verdict(mutationId: mutation.id, status: .rejected, error: error)
    }
}

extension WireError {
    static let serverFault = WireError(
        code: "server_fault", message: "The server could not store this change.")
    fileprivate static let tooMuchInConflict = WireError(
        code: RejectionCode.recordFull.rawValue,
        message:
            "What stands against this change is more than a device can read; send fewer fields."
    )
}
