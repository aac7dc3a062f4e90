internal import Replication
internal import SQLite

/// Under which of the server's epochs a device learnt the versions that it names: a batch brings the
/// cursor of that time as its `pullPosition`.
struct Standpoint {
    enum Epoch: Equatable {
        case current
        /// An earlier one of this server; `next` is the epoch that followed it.
        case earlier(next: Int64)
        /// One that this server has no memory of: what was learnt in it tells nothing.
        case unknown
    }

    let epoch: Epoch
    /// nil where the device has not pulled yet, or names no cursor that can be read.
    let cursor: Cursor?

    /// Where the device stands in the feed; 0 where that is not known.
    var position: Int64 { epoch == .current ? cursor?.position ?? 0 : 0 }
}

extension Connection {
    func standpoint(of pullPosition: String?, in epoch: Int64) throws -> Standpoint {
        guard let pullPosition else { return Standpoint(epoch: .current, cursor: nil) }
        // What cannot be read is refused by the pull that brings it; a push is not to fail of it.
        guard let cursor = try? Cursor(pullPosition) else {
            return Standpoint(epoch: .unknown, cursor: nil)
        }
        if cursor.epoch == epoch { return Standpoint(epoch: .current, cursor: cursor) }
        let known = try first(
            """
            SELECT (SELECT min(epoch) FROM server_epoch WHERE epoch > ?1)
            FROM server_epoch WHERE epoch = ?1
            """, [.integer(cursor.epoch)]
        ) { try $0.optionalInteger(0) }
        guard let next = known ?? nil else { return Standpoint(epoch: .unknown, cursor: cursor) }
        return Standpoint(epoch: .earlier(next: next), cursor: cursor)
    }

    /// - Returns: 0 where the record was not there yet.
    fileprivate func version(of record: RecordID, whenBegan epoch: Int64) throws -> Int64 {
        try first(
            "SELECT version FROM record_epoch WHERE record_id = ? AND epoch = ?",
            [.text(record.rawValue), .integer(epoch)]
        ) { try $0.integer(0) } ?? 0
    }

    /// What below a record is later than the cursor of whoever deletes it. Under a cursor from before a
    /// restore that is also what changed since: places in the feed are given once more then.
    func living(below id: RecordID, notHeardOfAt standpoint: Standpoint) throws -> [RecordState] {
        // While a site is delivered that joined the scope, the cursor passes what is still to come.
        guard let cursor = standpoint.cursor, cursor.expansion == nil else {
            return try living(below: id, changedAfter: 0)
        }
        switch standpoint.epoch {
        case .unknown: return try living(below: id, changedAfter: 0)
        case .current: return try living(below: id, changedAfter: cursor.position)
        case .earlier(let next):
            let later = Set(try living(below: id, changedAfter: cursor.position).map(\.id))
            return try living(below: id, changedAfter: 0).filter { record in
                try later.contains(record.id)
                    || record.version > version(of: record.id, whenBegan: next)
            }
        }
    }

    /// Whether a node has asked for a page in this epoch.
    fileprivate func hasPulled(_ node: NodeID) throws -> Bool {
        try first(
            "SELECT pull_position <> ? FROM device_node WHERE node = ?",
            [.integer(WriteSession.notPulledYet), .text(node.rawValue)]
        ) { try $0.flag(0) } ?? false
    }

    var wasRestored: Bool {
        get throws {
            try first("SELECT count(*) > 1 FROM server_epoch") { try $0.flag(0) } ?? false
        }
    }

    /// Milliseconds since 1970, UTC.
    func beginning(of epoch: Int64) throws -> Int64 {
        try first("SELECT began_at FROM server_epoch WHERE epoch = ?", [.integer(epoch)]) {
            try $0.integer(0)
        } ?? 0
    }
}

extension WriteSession {
    /// Begins an epoch: keeps what versions the records have now, and forgets how far devices have
    /// come. Each pulls from the beginning and offers again what is not here.
    ///
    /// - Parameter least: epochs below it have been given already.
    func beginEpoch(notBelow least: Int64 = 0) throws {
        // An instant where the clock is right, so that two restores of one backup differ.
        let next = max(epoch + 1, least, now)
        try connection.execute(
            "INSERT INTO server_epoch (epoch, began_at) VALUES (?, ?)",
            [.integer(next), .integer(try beginning)])
        try connection.execute(
            "UPDATE identity SET value = ? WHERE name = 'epoch'", [.integer(next)])
        try connection.execute(
            """
            INSERT INTO record_epoch (record_id, epoch, version)
            SELECT id, ?, version FROM record
            """, [.integer(next)])
        try connection.execute("DELETE FROM baton")
        // What each had passed, and when it was here last, may be among what was lost: as far as the
        // server knows it came a moment ago, and has heard of no tombstone yet.
        try connection.execute(
            "UPDATE device_node SET pull_position = ?, last_pull_at = ?",
            [.integer(WriteSession.notPulledYet), .integer(try beginning)])
        epoch = next
    }

    /// When an epoch begins, or a device is heard of, that has time from then on. A machine that was just
    /// set up anew may live in the past: not before what the server has seen already.
    var beginning: Int64 {
        get throws {
            let seen = try connection.first(
                "SELECT value FROM identity WHERE name = 'pruned_at'"
            ) { try $0.integer(0) }
            return max(now, seen ?? now)
        }
    }

    /// The position of a node that has not pulled in this epoch, and may hold records from before.
    /// 0 is that of one that begins anew, and needs no tombstone.
    static let notPulledYet: Int64 = -1

    /// A cursor that this server has given out, ahead of everything that it holds, shows that the
    /// database was set back behind its back.
    func beginEpoch(ifAhead text: String?, _ seal: CursorSeal) throws {
        guard let cursor = text.flatMap(seal.genuine), cursor.isAhead(of: epoch, position)
        else { return }
        try beginEpoch(notBelow: cursor.epoch + 1)
    }

    /// The mutation with each base cut to what the device can have seen of the record as it stands.
    ///
    /// A version that the record has not reached cannot have been seen at all: it counts as unknown,
    /// so that no device writes over what others entered by naming one of the future.
    func believable(
        _ mutation: Mutation, on record: StoredRecord, from standpoint: Standpoint
    ) throws -> Mutation {
        let believe: (Int64) -> Int64
        switch standpoint.epoch {
        case .current: believe = { $0 > record.version ? 0 : $0 }
        case .unknown: believe = { _ in 0 }
        case .earlier(let next):
            let ceiling = try connection.version(of: record.id, whenBegan: next)
            believe = { min($0, ceiling) }
        }
        var copy = mutation
        copy.changes = mutation.changes.mapValues { change in
            var change = change
            change.baseVersion = believe(change.baseVersion)
            return change
        }
        return copy
    }

    /// How long a device keeps what was acknowledged to offer it again: as long may a record that it
    /// made be on the way back, in milliseconds.
    private static let offeringTime: Int64 = 30 * 86_400_000

    /// Whether something that is not here may come back yet: a record, offered by the device that
    /// made it, or a form that the office publishes again.
    func mayComeBack(from standpoint: Standpoint) throws -> Bool {
        guard standpoint.epoch != .current else { return false }
        return now < (try connection.beginning(of: epoch)) + WriteSession.offeringTime
    }

    /// Whether a record that is not here may come yet. Whoever was away all that time may have it himself: he
    /// offers what he has after his first pull. And while somebody has to decide whether it comes to be, it
    /// is not late.
    func mayCome(_ record: RecordID, for sender: Sender) throws -> Bool {
        guard sender.standpoint.epoch != .current else { return false }
        return try mayComeBack(from: sender.standpoint)
            || !connection.hasPulled(sender.device.node)
            || connection.isMakingAsked(of: record)
    }

    /// Whether it could have come back after a restore, and has not in all that time. Also whoever has heard of
    /// the restore, and has pulled since, may still show it and build on it. What the same batch makes is
    /// only refused, and can be sent again.
    func isOverdue(_ record: RecordID, for sender: Sender) throws -> Bool {
        guard try connection.wasRestored, !sender.makes.contains(record),
            now >= (try connection.beginning(of: epoch)) + WriteSession.offeringTime
        else { return false }
        return try connection.hasPulled(sender.device.node)
            && !connection.isMakingAsked(of: record)
    }

    /// Counts for the administrator what came with a standpoint from before the epoch.
    func countOfferedAgain(_ mutations: Int, by device: String) throws {
        guard mutations > 0 else { return }
        try connection.execute(
            """
            INSERT OR REPLACE INTO offered_again (epoch, device_id, mutations, last_at)
            SELECT ?1, ?2, ?3 + ifnull((
                SELECT mutations FROM offered_again WHERE epoch = ?1 AND device_id = ?2), 0), ?4
            """,
            [.integer(epoch), .text(device), .integer(Int64(mutations)), .integer(now)])
    }
}
