internal import Replication
internal import SQLite

/// The second copy of what waits to be sent (M08): each transaction that changes the queue writes one
/// entry, on the disk before the transaction commits. From it a damaged database is made again.
///
/// The journal never keeps a device from being opened. Where it cannot be written, changes of the
/// queue are refused with the reason, and each tries again.
///
/// Sendable because it is used on the writer's queue only, which the connection checks with each
/// statement.
final class Journal: @unchecked Sendable {
    /// A waiting mutation in the journal.
    private struct Live {
        /// The oldest segment that it takes to know it.
        var since: Int
        /// About what it takes.
        var byteCount: Int64
    }

    /// An entry of the transaction that is under way.
    private struct Written {
        var number: Int64
        /// nil for mutations that it settles.
        var live: [String: Live?]
        var beganSegment: Bool
    }

    /// Bytes up to which a mutation is written whole with each change: an entry that is lost then
    /// takes nothing along. Of a larger one what changed is written.
    private static let wholeUpTo: Int64 = 8 << 10
    /// Bytes of segments beyond which they are replaced by a snapshot, when most of it is settled.
    private static let fewBytes = 4 << 20

    private let segments: JournalSegments
    private let rows: JournalledRows
    private var live: [String: Live] = [:]
    private var written: Written?
    /// The last entry's transaction, until the journal itself says that it was committed.
    private var unconfirmed: Int64?
    private(set) var offered: [JournalledOffer] = []
    private var offeredSince: Int?
    /// Whether everything has to be written anew before the next entry.
    private var isDue: Bool
    /// Why that did not succeed.
    private(set) var trouble: (any Error)?
    /// Why a file that nothing waits for is still there.
    private var leftover: (any Error)?
    private var isLeftoverLogged = false
    private var isClosed = false
    /// What is there could not be read, so nothing may take its place.
    private let isUnreadable: Bool

    /// - Parameter replay: what stands in the segments, equal to the queue; nil where everything is to
    ///   be written anew.
    init(
        _ segments: JournalSegments, on database: Connection, continuing replay: JournalReplay?,
        offering offered: [JournalledOffer]
    ) throws {
        self.segments = segments
        rows = try JournalledRows(database)
        self.offered = offered
        offeredSince = replay?.offeredSince
        isDue = replay == nil
        isUnreadable = false
        for (id, kept) in replay?.kept ?? [:] where kept.stands {
            live[id] = Live(since: kept.since, byteCount: kept.byteCount)
        }
        try JournalMarks.install(on: database)
        renewIfDue(database)
        try database.noteOffers(offered.count)
    }

    /// One whose folder cannot be read. Nothing is written beside what is there; the queue does not
    /// change until it can be.
    init(unreadable error: any Error, _ parts: JournalParts, on database: Connection) throws {
        segments = JournalSegments(parts.folder, parts.cipher, after: nil)
        rows = try JournalledRows(database)
        isDue = false
        isUnreadable = true
        trouble = error
        try JournalMarks.install(on: database)
    }

    /// Runs the closure in a transaction. What it does to the queue is in the journal before it is
    /// committed; where it cannot be, nothing of it is kept.
    ///
    /// - Parameter isDurable: whether the connection commits with `synchronous = FULL`.
    func writing<Result>(
        on database: Connection, isDurable: Bool, _ body: () throws -> Result
    ) throws -> Result {
        guard !isClosed else { throw StoreError.closed }
        renewIfDue(database)
        do {
            let result = try database.transaction {
                let result = try body()
                written = try append(from: database, isDurable: isDurable)
                return result
            }
            noteCommitted()
            return result
        } catch {
            noteRolledBack(database)
            throw error
        }
    }

    // MARK: One transaction

    private func append(from database: Connection, isDurable: Bool) throws -> Written? {
        let marks = try database.journalMarks()
        let changes = try changes(by: marks)
        guard !changes.list.isEmpty || marks[""] != nil else { return nil }
        try requireWritable()
        let number = try database.transactionNumber() + 1
        try database.setMetadata("transaction_number", .integer(number))
        let transaction = JournalTransaction(
            number: number, isDurable: isDurable, position: try database.journalPosition(),
            origin: marks[""] == nil ? nil : try database.journalOrigin(), changes: changes.list)
        let segment = segments.current
        do {
            try segments.append(.transaction(transaction), isDurable: isDurable) {
                .beginning(try database.journalOrigin(), since: segments.firstEntry)
            }
        } catch {
            throw translated(error)
        }
        var live = changes.live
        for (id, entry) in live where entry?.since == 0 { live[id]??.since = segments.current }
        return Written(
            number: number, live: live, beganSegment: segment != segments.current)
    }

    /// What the transaction did, and what of it waits afterwards; 0 stands for the segment that the
    /// entry will be in.
    private func changes(
        by marks: [String: [FieldName]]
    ) throws -> (list: [JournalChange], live: [String: Live?]) {
        var list: [JournalChange] = []
        var live: [String: Live?] = [:]
        for (id, names) in marks.sorted(by: { $0.key < $1.key }) where !id.isEmpty {
            guard let row = try rows.row(id) else {
                guard self.live[id] != nil else { continue }
                list.append(.settled(id))
                live.updateValue(nil, forKey: id)
                continue
            }
            let change = try change(of: row, names)
            list.append(change)
            let since = if case .amended = change { self.live[id]?.since ?? 0 } else { 0 }
            live[id] = Live(since: since, byteCount: row.byteCount)
        }
        return (list, live)
    }

    private func change(
        of row: JournalledMutation, _ names: [FieldName]
    ) throws -> JournalChange {
        var row = row
        let isKnown = live[row.id] != nil
        guard isKnown, row.bytes > Self.wholeUpTo else {
            row.fields = try rows.fields(of: row.sequence)
            return .standing(row)
        }
        var removed: [FieldName] = []
        for name in names {
            row.fields[name] = try rows.field(name, of: row.sequence)
            if row.fields[name] == nil { removed.append(name) }
        }
        return .amended(row, removed: removed.sorted())
    }

    private func noteCommitted() {
        guard let written else { return }
        for (id, entry) in written.live { live[id] = entry }
        unconfirmed = written.number
        self.written = nil
    }

    /// The entry stands in the journal and its transaction does not in the database: the mark after it
    /// says so. Without the mark the next entry does, which has the same number.
    private func noteRolledBack(_ database: Connection) {
        isDue = isDue || segments.isBroken || written?.beganSegment ?? false
        guard let written else { return }
        self.written = nil
        unconfirmed = written.number
        confirm(written.number - 1, isDurable: false)
    }

    private func confirm(_ number: Int64, isDurable: Bool) {
        guard unconfirmed != nil, note(.confirmed(number), isDurable: isDurable) else { return }
        unconfirmed = nil
    }

    /// Writes a mark. One that needs a new segment is not worth it.
    private func note(_ mark: JournalEntry, isDurable: Bool) -> Bool {
        guard !isDue else { return false }
        do {
            try segments.append(mark, isDurable: isDurable) { throw JournalFault.malformed }
            return true
        } catch {
            isDue = isDue || segments.isBroken
            return false
        }
    }

    // MARK: Between transactions

    private func renewIfDue(_ database: Connection) {
        guard isDue, !isUnreadable else { return }
        do {
            // What a failed transaction has left is nothing that waits.
            try database.endFailedTransaction()
            try renew(database)
            trouble = nil
        } catch {
            trouble = error
        }
    }

    /// Writes everything that waits into a new segment; the older ones go.
    private func renew(_ database: Connection) throws {
        let mutations = try rows.waiting()
        let snapshot = JournalSnapshot(
            number: try database.transactionNumber(), position: try database.journalPosition(),
            origin: try database.journalOrigin(), mutations: mutations, offered: offered)
        try segments.begin(from: .snapshot(snapshot))
        isDue = false
        unconfirmed = nil
        live = [:]
        for mutation in mutations {
            live[mutation.id] = Live(since: segments.current, byteCount: mutation.byteCount)
        }
        offeredSince = offered.isEmpty ? nil : segments.current
        // The snapshot says that nothing before it counts.
        leftover = segments.drop(olderThan: segments.current)
    }

    /// At a quiet moment: says that the last entry counts, and lets go what nothing waits for.
    func tidy(_ database: Connection) {
        guard !isClosed else { return }
        renewIfDue(database)
        if let unconfirmed { confirm(unconfirmed, isDurable: true) }
        dropSettled()
        logLeftover(on: database)
        let needed = live.values.reduce(0) { $0 + Int(clamping: $1.byteCount) }
        // A snapshot can be larger than what was counted. Another one would be as large.
        let least = max(needed, segments.snapshotByteCount)
        guard segments.byteCount > Self.fewBytes + 4 * least else { return }
        isDue = true
        renewIfDue(database)
    }

    private func dropSettled() {
        let oldest = live.values.map(\.since).min() ?? segments.current
        let number = min(oldest, offeredSince ?? oldest)
        if let first = segments.firstEntry(leftBy: number) {
            guard note(.letGo(before: first), isDurable: true) else { return }
        }
        // A file that cannot be removed now is read again, says nothing new, and is tried again.
        leftover = segments.drop(olderThan: number)
    }

    /// For support, once: nothing is lost by it, but the folder may grow.
    private func logLeftover(on database: Connection) {
        guard let leftover, !isLeftoverLogged else { return }
        do {
            try database.execute(
                "INSERT INTO __sync_log (at_utc, event, detail) VALUES (walkdown_now(), ?, ?)",
                [.text("journal"), .text("a file stays: \(leftover)")])
            isLeftoverLogged = true
        } catch {
            // The next quiet moment tells it.
        }
    }

    /// Before the database is closed.
    func close() {
        guard !isClosed else { return }
        if let unconfirmed { confirm(unconfirmed, isDurable: true) }
        segments.close()
        isClosed = true
    }

    /// A person has decided about what was offered.
    func settleOffer(_ database: Connection) throws {
        guard !isClosed else { throw StoreError.closed }
        offered = []
        isDue = true
        renewIfDue(database)
        try requireWritable()
        try database.noteOffers(0)
    }

    /// - Throws: why changes of the queue are refused.
    func requireWritable() throws {
        if let trouble { throw translated(trouble) }
    }

    private func translated(_ error: any Error) -> any Error {
        switch error {
        case let fault as JournalFault: StoreError.secondCopy(fault)
        case is SQLiteError, is StoreError: error
        default: StoreError.secondCopy(.cipher)
        }
    }
}

extension JournalledMutation {
    /// About what it takes in a segment.
    var byteCount: Int64 { bytes + 256 + Int64(snapshot?.utf8.count ?? 0) }
}

extension Connection {
    /// How many changes are offered, for who asks without the journal.
    fileprivate func noteOffers(_ count: Int) throws {
        guard try offeredCount() != count else { return }
        try setMetadata("offered", .integer(Int64(count)))
    }

    func offeredCount() throws -> Int { Int(clamping: try metadataInteger("offered") ?? 0) }
}
