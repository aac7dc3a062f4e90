internal import Replication

/// What the journal's entries come to, one after the other. Pure.
///
/// An entry is written before its transaction commits, so the last one is *undecided*: only a later
/// number, or a mark, says that it was committed. A number that comes again says that the one before
/// was rolled back.
struct JournalReplay: Equatable {
    /// Packed, because tens of thousands may wait, and of nearly all nothing is asked but whether the
    /// queue says the same.
    struct Kept: Equatable {
        /// nil where it was settled.
        let packed: [UInt8]?
        /// About what it takes in a segment.
        let byteCount: Int64
        /// The transaction that left it so.
        var number: Int64
        /// The oldest segment that it takes to know it.
        var since: Int
        /// How often entries were found missing before.
        fileprivate var losses: Int

        init(mutation: JournalledMutation?, number: Int64, since: Int, losses: Int) {
            packed = mutation?.packed
            byteCount = mutation?.byteCount ?? 0
            self.number = number
            self.since = since
            self.losses = losses
        }

        var stands: Bool { packed != nil }

        var mutation: JournalledMutation? {
            guard let packed else { return nil }
            // What was packed here is read as it was.
            return try? JournalledMutation(packed: packed)
        }
    }

    private(set) var kept: [String: Kept] = [:]
    private(set) var origin: JournalOrigin?
    private(set) var position = JournalPosition(lamport: 0, sequence: 0, serverEpoch: 0)
    /// Of the last transaction that counts, and of the last durable one.
    private(set) var number: Int64 = 0
    private(set) var durableNumber: Int64 = 0
    private(set) var undecided: JournalTransaction?
    private var undecidedSegment = 0
    private var undecidedLosses = 0
    private(set) var offered: [JournalledOffer] = []
    /// Where the snapshot stands that holds them.
    private(set) var offeredSince: Int?
    /// Mutations of which a change may be missing: an entry before a later change of them is lost.
    private(set) var incomplete: Set<String> = []
    private var losses = 0
    /// Over all that was ever read, also what was rolled back.
    private(set) var highestLamport: Int64 = 0
    private(set) var highestSequence: Int64 = 0
    private(set) var isEmpty = true
    private(set) var numbers = JournalNumbers()

    /// - Parameter segment: where the entry stands.
    mutating func take(_ entry: JournalEntry, in segment: Int) {
        isEmpty = false
        numbers.take(entry)
        switch entry {
        case .beginning(let origin, _): self.origin = self.origin ?? origin
        case .snapshot(let snapshot): begin(from: snapshot, in: segment)
        case .transaction(let transaction):
            if let last = undecided, last.number < transaction.number { decide(committed: true) }
            undecided = transaction
            undecidedSegment = segment
            undecidedLosses = losses
            raise(transaction.position)
        case .confirmed(let number):
            decide(committed: undecided.map { $0.number <= number } ?? false)
        case .letGo: break
        }
    }

    /// The ids of what waits.
    var standingIDs: Set<String> { Set(kept.lazy.filter { $0.value.stands }.map(\.key)) }

    /// What waits, in the order of the queue.
    var standing: [JournalledMutation] {
        kept.values.compactMap(\.mutation).sorted { $0.sequence < $1.sequence }
    }

    /// Says of the undecided transaction what the database knows.
    mutating func decide(committed: Bool) {
        defer { undecided = nil }
        guard committed, let transaction = undecided else { return }
        number = transaction.number
        if transaction.isDurable { durableNumber = transaction.number }
        position = transaction.position
        origin = transaction.origin ?? origin
        for change in transaction.changes { keep(change, of: transaction.number) }
    }

    private mutating func keep(_ change: JournalChange, of number: Int64) {
        let (id, after) = result(of: change)
        var since = undecidedSegment
        if case .amended = change {
            let before = kept[id]
            let isWhole = before?.stands == true && before?.losses == undecidedLosses
            if !isWhole { incomplete.insert(id) }
            since = before?.since ?? since
        } else {
            incomplete.remove(id)
        }
        kept[id] = Kept(mutation: after, number: number, since: since, losses: undecidedLosses)
    }

    /// Entries are missing between what was taken and what comes.
    mutating func noteLoss() { losses += 1 }

    /// The mutation that a change leaves; nil where it settles it.
    func result(of change: JournalChange) -> (id: String, after: JournalledMutation?) {
        switch change {
        case .settled(let id): return (id, nil)
        case .standing(let mutation): return (mutation.id, mutation)
        case .amended(let part, let removed):
            var mutation = part
            var fields = kept[part.id]?.mutation?.fields ?? [:]
            for name in removed { fields[name] = nil }
            mutation.fields = fields.merging(part.fields) { $1 }
            return (part.id, mutation)
        }
    }

    private mutating func begin(from snapshot: JournalSnapshot, in segment: Int) {
        kept = [:]
        for mutation in snapshot.mutations {
            kept[mutation.id] = Kept(
                mutation: mutation, number: snapshot.number, since: segment, losses: losses)
        }
        undecided = nil
        incomplete = []
        origin = snapshot.origin
        position = snapshot.position
        number = snapshot.number
        durableNumber = snapshot.number
        offered = snapshot.offered
        offeredSince = offered.isEmpty ? nil : segment
        raise(snapshot.position)
    }

    private mutating func raise(_ position: JournalPosition) {
        highestLamport = max(highestLamport, position.lamport)
        highestSequence = max(highestSequence, position.sequence)
    }
}
