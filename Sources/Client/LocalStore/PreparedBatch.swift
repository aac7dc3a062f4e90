package import Replication
internal import SQLite

/// A batch that is put together while another one is under way, and that goes as soon as that one is
/// answered: what the answer says is written into the tables while the server is at work again.
///
/// Should the process end in between, an answered batch is not settled and goes out once more, under
/// the baton of its own answer, while the server may have handed on the next one. It takes that for a
/// repetition, and not for a copy of this device, where something of the newest batch comes along. So
/// the first mutation of the newest batch is noted together with the baton, and goes first from then on
/// (`select`).
extension DeviceStore {
    /// Seals the batch behind one that is under way.
    ///
    /// No record of that one has a part in it, nor a child of such a record: what its verdicts hold
    /// back, divide or put in review then cannot be in here.
    ///
    /// - Returns: nil where nothing can be sent, or where the batch would leave room for what has to
    ///   wait for the answer.
    package func prepareBatch(
        behind request: PushRequest, limit: Int, skipping: Set<MutationID>
    ) throws -> PushRequest? {
        try edit { database in
            // Bases of two epochs travel apart: one thing after the other then.
            guard try database.neededOldCursor() == nil else { return nil }
            let selection = BatchSelection(
                obstacles: try BatchObstacles(database), limit: limit, skipping: skipping,
                partedAt: try database.partedAt(), underWay: Set(request.mutations.map(\.record)))
            return try database.seal(selection, newID: sources.newID)
        }
    }

    /// Takes the baton of an answer that is settled later, on the disk when this returns: whatever is
    /// sent again after a crash carries it.
    ///
    /// - Returns: the next batch with this baton; nil where the answer has to be settled first, because
    ///   it is of another epoch of the server or has no baton, or the batch was taken back.
    package func adopt(
        _ response: PushResponse, before next: PushRequest
    ) throws -> PushRequest? {
        guard let baton = response.baton, let first = next.mutations.first else { return nil }
        return try edit { database in
            guard try database.position().serverEpoch == response.server.epoch else { return nil }
            guard try database.status(of: first.id) == "IN_FLIGHT" else { return nil }
            // The queue is as it was, so this takes one wait for the disk and not two: the journal has
            // the baton with its next entry, which is that of the batch after this one.
            try database.setMetadata("baton", .text(baton))
            try database.setMetadata("goes_first", .integer(first.sequence))
            try database.forgetUnheard(but: first.id)
            var request = next
            request.baton = baton
            request.unheard = []
            return request
        }
    }
}

extension Connection {
    /// With the baton of the newest answer, whatever comes next is no repetition: nothing has to go
    /// first any more. Where the answer's baton was taken when the next batch went, nothing is new.
    func takeBaton(of response: PushResponse) throws {
        guard let baton = response.baton, try metadataText("baton") != baton else { return }
        try setMetadata("baton", .text(baton))
        try setMetadata("goes_first", .null)
        try forgetUnheard()
    }
}
