internal import Coding
internal import Replication
internal import SQLite

/// What is known of a change from before a restore that came back: as another device's copy, or
/// offered again by the one that entered it. Versions of one epoch tell which of two such changes had
/// taken the other's place, in whatever order they come back.
struct Returned: Equatable {
    /// That it had when it was lost; 0 where it never stood, or its device does not know.
    let version: Int64
    /// On which it was made; 0 where its version says it, or where nobody knows.
    let baseVersion: Int64
    /// Of the server, in which it had them; 0 where nobody knows.
    let epoch: Int64
    /// Whether it came from who entered it.
    let isOwn: Bool
}

extension Returned {
    /// Whether whoever made a change had seen this one, which stands. Where versions do not tell it, by
    /// the very value, and later: a value alone says little where there are few to choose from.
    func isSeen(
        by change: FieldChange, over register: FieldRegister, from sender: Sender
    ) -> Bool {
        let isComparable = epoch > 0 && epoch == sender.epochOfVersions
        if isComparable, version > 0, let seen = change.seen(sender.hasExactBases) {
            return version <= seen
        }
        guard !register.value.isNull, change.baseValue == register.value,
            change.lamport > register.stamp.lamport
        else { return false }
        guard isComparable else { return true }
        let base = change.seen(true) ?? 0
        return version > 0 ? version <= base : baseVersion < base
    }
}

extension FieldChange {
    /// Up to which version of its epoch whoever made it had seen the record, or what it replaced was
    /// settled; nil where that is not certain.
    fileprivate func seen(_ hasExactBase: Bool) -> Int64? {
        if formerVersion > 0 { return formerVersion - 1 }
        return hasExactBase || self.hasExactBase ? baseVersion : nil
    }

    /// Whether the base is of the epoch of the batch's cursor. What it says of a deletion counts also
    /// where that was in force before: a person may not have looked at it yet.
    fileprivate func tellsBase(_ hasExactBase: Bool) -> Bool {
        hasExactBase || self.hasExactBase || baseVersion < formerVersion
    }
}

extension Connection {
    /// - Returns: nil for a change that did not come back from before a restore.
    func returned(
        _ stamp: Stamp, _ field: FieldName, of record: RecordID
    ) throws -> Returned? {
        try first(
            """
            SELECT version, base_version, epoch, is_own FROM copied
            WHERE record_id = ? AND name = ? AND lamport = ? AND node = ?
            """,
            [
                .text(record.rawValue), .text(field), .integer(stamp.lamport),
                .text(stamp.node.rawValue),
            ]
        ) { row in
            Returned(
                version: try row.integer(0), baseVersion: try row.integer(1),
                epoch: try row.integer(2), isOwn: try row.flag(3))
        }
    }

    /// The stamps under which a change may be known here: the device that entered it may have taken
    /// another node since, under which it brings its own changes again. A version of an epoch names one
    /// change as well.
    func stamps(
        of change: WireRecord.Field, _ field: FieldName, _ record: RecordID, from sender: Sender
    ) throws -> [Stamp] {
        guard change.version > 0, sender.epochOfVersions > 0 else { return [change.stamp] }
        let others = try query(
            """
            SELECT lamport, node FROM copied
            WHERE record_id = ? AND name = ? AND epoch = ? AND version = ?
            """,
            [
                .text(record.rawValue), .text(field), .integer(sender.epochOfVersions),
                .integer(change.version),
            ]
        ) { Stamp(lamport: try $0.integer(0), node: NodeID(try $0.text(1))) }
        return [change.stamp] + others.filter { $0 != change.stamp }
    }

    /// Whether something came back that had taken the place of this change before the restore. That was
    /// settled then, whatever has become of the other one since.
    func hasSuccessor(
        of change: WireRecord.Field, _ field: FieldName, _ record: RecordID, from sender: Sender
    ) throws -> Bool {
        guard change.version > 0, sender.epochOfVersions > 0 else { return false }
        return try first(
            """
            SELECT 1 FROM copied
            WHERE record_id = ?1 AND name = ?2 AND epoch = ?3
                AND max(version, base_version + 1) > ?4 AND NOT (lamport = ?5 AND node = ?6)
            LIMIT 1
            """,
            [
                .text(record.rawValue), .text(field), .integer(sender.epochOfVersions),
                .integer(change.version), .integer(change.stamp.lamport),
                .text(change.stamp.node.rawValue),
            ]
        ) { _ in true } ?? false
    }
}

extension WriteSession {
    /// The mutation, `believed` as far as its versions can be, with the bases that show that its author
    /// had seen what came back.
    func knowing(
        _ mutation: Mutation, believed: Mutation, on record: StoredRecord, by author: Author
    ) throws -> Mutation {
        guard let sender = author.sender, sender.standpoint.epoch != .current else {
            return believed
        }
        var known = believed
        for (name, change) in mutation.changes {
            guard let register = record.fields[name],
                believed.changes[name]?.baseVersion ?? 0
                    < register.newestChange(notBy: author.node),
                let returned = try connection.returned(register.stamp, name, of: record.id),
                returned.isSeen(by: change, over: register, from: sender)
            else { continue }
            known.changes[name]?.baseVersion = register.version
        }
        return known
    }

    /// Fields of which whoever deletes had seen what stands: it came back from before the restore, and his
    /// deletion is from there too.
    func seen(
        byDeletion mutation: Mutation, on record: StoredRecord?, by author: Author
    ) throws -> Set<FieldName> {
        guard let record, let deletion = mutation.deletion, let sender = author.sender,
            sender.standpoint.epoch != .current, sender.epochOfVersions > 0,
            deletion.tellsBase(sender.hasExactBases)
        else { return [] }
        let seen = try record.fields.filter { name, register in
            let returned = try connection.returned(register.stamp, name, of: record.id)
            guard let returned, returned.epoch == sender.epochOfVersions else { return false }
            return 1...max(deletion.baseVersion, 1) ~= returned.version
        }
        return Set(seen.keys)
    }

    /// What a device brings again of its own, or for the first time, from before the restore.
    func noteReturned(_ mutation: Mutation, by author: Author) throws {
        for (name, change) in mutation.changes {
            try noteReturned(change, name, of: mutation.record, by: author)
        }
    }

    /// Who brought it first stays known. What was not known of it then may be known by the next.
    func noteReturned(
        _ change: FieldChange, _ name: FieldName, of record: RecordID, by author: Author
    ) throws {
        guard let sender = author.sender, sender.standpoint.epoch != .current else { return }
        // The version of a deletion does not say what it had seen.
        let isCertain =
            name == Mutation.deletedField
            ? change.tellsBase(sender.hasExactBases)
            : change.formerVersion == 0 && change.seen(sender.hasExactBases) != nil
        let key: [DatabaseValue] = [
            .text(record.rawValue), .text(name), .integer(change.lamport),
            .text(author.node.rawValue), .integer(change.formerVersion),
            .integer(sender.epochOfVersions),
        ]
        try connection.execute(
            """
            INSERT OR IGNORE INTO copied
                (record_id, name, lamport, node, version, epoch, base_version, is_own,
                    device_id, at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """,
            key + [
                .integer(isCertain ? change.baseVersion : 0), DatabaseValue(!author.isCopy),
                .text(sender.device.id), .integer(now),
            ])
        guard change.formerVersion > 0, connection.changes == 0 else { return }
        try connection.execute(
            """
            UPDATE copied SET version = ?5, epoch = ?6
            WHERE record_id = ?1 AND name = ?2 AND lamport = ?3 AND node = ?4 AND version = 0
            """, key)
    }

    /// A value that came back after what had taken its place.
    func keepReplaced(
        _ field: WireRecord.Field, _ name: FieldName, of record: RecordID,
        because mutation: MutationID
    ) throws {
        let entry = HistoryEntry(
            field: name, value: field.value, stamp: field.stamp, rule: .seen)
        try keep(entry, of: record, version: 0, because: mutation)
    }
}
