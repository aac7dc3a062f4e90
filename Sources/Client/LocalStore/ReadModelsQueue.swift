package import Coding
internal import Forms
package import Replication
internal import SQLite

extension DeviceStore {
    /// The queue in its order; acknowledged rows only where asked for, and never those that keep what
    /// was settled of a mutation before its rest.
    package func outbox(all: Bool = false) throws -> [OutboxRow] {
        try read { database in
            let columns = try database.outboxColumns(all: all)
            return try database.outboxRows(
                "WHERE \(all ? "seq_id > 0 OR" : "") status <> 'ACKNOWLEDGED'"
            ) { sequence in
                columns[sequence] ?? []
            }
        }
    }

    /// What waits of one record, in its order.
    package func outbox(of id: RecordID) throws -> [OutboxRow] {
        try read { database in
            try database.outboxRows(
                "WHERE record_id = ? AND status <> 'ACKNOWLEDGED'", [.text(id.rawValue)],
                columns: database.shownColumns(ofMutation:))
        }
    }

    /// At most so many rows of each status, what needs a person before what waits for the server: for a
    /// screen, where the queue is longer than anybody reads.
    package func outboxHeads(_ count: Int) throws -> [OutboxRow] {
        try read { database in
            // One status after the other, so that the index brings each in order and ends with its
            // last row.
            try ["FAILED", "CONFLICT", "IN_REVIEW", "IN_FLIGHT", "PENDING"].flatMap { status in
                try database.outboxRows(
                    "WHERE status = ? AND status <> 'ACKNOWLEDGED'", [.text(status)],
                    limit: count, columns: database.shownColumns(ofMutation:))
            }
        }
    }

    /// What was entered, as it goes to the server, for who copies the queue out. All of it at once, so
    /// nothing that the screen asks for.
    package func payloads(all: Bool = false) throws -> [MutationID: [FieldName: FieldValue]] {
        try read { database in
            var payloads: [MutationID: [FieldName: FieldValue]] = [:]
            try database.each(
                """
                SELECT mutation_id, name, value FROM __sync_outbox
                JOIN __sync_outbox_field USING (seq_id)
                WHERE name <> ? \(all ? "" : "AND status <> 'ACKNOWLEDGED'")
                """, [.text(Mutation.deletedField)]
            ) { row in
                payloads[MutationID(try row.text(0)), default: [:]][try row.text(1)] =
                    try row.fieldValue(2)
            }
            return payloads
        }
    }

    /// How many mutations wait, by their status: what each cycle asks of `status`.
    package func waitingCounts() throws -> [String: Int] {
        try read { database in
            let counts = try database.query(
                """
                SELECT status, count(*) FROM __sync_outbox
                WHERE status <> 'ACKNOWLEDGED' GROUP BY status
                """
            ) { (try $0.text(0), Int(try $0.integer(1))) }
            return Dictionary(uniqueKeysWithValues: counts)
        }
    }

    /// In a process that only reads, also of what stands in the journal alone.
    package func status() throws -> StatusSummary {
        let summary = try statusNow()
        // A process that writes may have been in the middle of a transaction.
        let isNew = !summary.newOffers.isEmpty || summary.missing > 0
        return isNew ? try statusNow() : summary
    }

    private func statusNow() throws -> StatusSummary {
        // Before the database: what was committed meanwhile is then in both.
        let journal: JournalReading?
        var isUnreadable = false
        do {
            journal = try readJournal()
        } catch {
            // 'doctor' says why.
            (journal, isUnreadable) = (nil, true)
        }
        return try read { database in
            var summary = StatusSummary()
            summary.isJournalUnreadable = isUnreadable || journal?.faults.isEmpty == false
            if let journal {
                let comparison = JournalComparison(journal)
                summary.isJournalGone = try comparison.isGone(beside: database)
                let backlog = try comparison.backlog(beside: database)
                summary.behindJournal = backlog.behind
                summary.newOffers = backlog.offers
                summary.missing = try comparison.missingChanges(beside: database)
            }
            summary.wasJournalGone = try database.wasJournalGone()
            summary.missing = max(summary.missing, try database.missingChanges())
            let counts = try database.query(
                """
                SELECT status, count(*), min(created_at_utc) FROM __sync_outbox
                WHERE status <> 'ACKNOWLEDGED' GROUP BY status
                """
            ) { (try $0.text(0), Int(try $0.integer(1)), try $0.text(2)) }
            for (status, count, oldest) in counts {
                summary.count(status, count)
                summary.oldestUnsyncedUtc = min(summary.oldestUnsyncedUtc ?? oldest, oldest)
            }
            summary.lastSyncUtc = try database.metadataText("last_sync_utc")
            summary.digest = DigestState(stored: try database.metadataInteger("proven"))
            summary.drafts =
                try database.first("SELECT count(*) FROM draft") {
                    Int(try $0.integer(0))
                } ?? 0
            summary.strandedDrafts =
                summary.drafts == 0 ? 0 : try strandedDrafts(database).count
            summary.keptFromBefore = try database.lostRecords()
            summary.keptOffered = try database.recordsOffered()
            summary.keptRefused = try database.recordsRefused()
            summary.copyRefusals = try database.copyRefusals()
            summary.keptInPart = try database.recordsKeptInPart()
            summary.syncsInBackground = try database.syncsInBackground()
            summary.offered = try database.offeredCount() + summary.newOffers.count
            summary.isOffline = try database.metadataInteger("reachable") == 0
            summary.deviceId = try database.metadataText("device_id")
            summary.isUpgradeNeeded = try database.metadataInteger("upgrade_needed") == 1
            summary.isRevoked = try database.metadataInteger("revoked") == 1
            summary.deferredMigrations = try migrations.deferred(in: database)
            summary.queueLimit = Int(try database.metadataInteger("queue_limit") ?? 0)
            return summary
        }
    }

    /// What the inspector has to decide about one record, or about all.
    package func conflicts(of id: RecordID? = nil) throws -> [ConflictView] {
        try read { try $0.conflicts(of: id) }
    }

    /// Assets of this device's scope, by tag.
    package func assets() throws -> [AssetSummary] {
        try read { database in
            try database.assets().sorted { ($0.tag ?? $0.name, $0.id) < ($1.tag ?? $1.name, $1.id) }
        }
    }

    /// The asset with this tag; nil where there is none or more than one.
    package func asset(tagged tag: String) throws -> AssetSummary? {
        try read { database in
            let ids = try database.query(
                """
                SELECT record.id FROM record
                JOIN field ON field.record_id = record.id AND field.name = '@tag'
                WHERE record.table_name = 'asset' AND record.is_deleted = 0 AND field.value = ?
                LIMIT 2
                """, [.text(tag)]
            ) { RecordID(try $0.text(0)) }
            guard ids.count == 1 else { return nil }
            return try database.assets(only: ids[0]).first
        }
    }

    /// Forms that this device has, the newest version of each first.
    package func forms() throws -> [FormSummary] {
        try read { database in
            try database.query(
                """
                SELECT id, version, title, state FROM form WHERE definition IS NOT NULL
                """
            ) { row in
                FormSummary(
                    id: try row.text(0), version: try row.text(1), title: try row.text(2),
                    state: try row.text(3))
            }
        }.sorted { left, right in
            left.id != right.id
                ? left.id < right.id : FormVersion.precedes(right.version, left.version)
        }
    }

    /// Values that lost, newest last.
    package func history(of id: RecordID) throws -> [HistoryEntry] {
        try read { database in
            try database.query(
                """
                SELECT name, value, lamport, node, rule FROM __sync_history
                WHERE record_id = ? ORDER BY id
                """, [.text(id.rawValue)]
            ) { row in
                HistoryEntry(
                    field: try row.text(0), value: try row.fieldValue(1),
                    stamp: Stamp(lamport: try row.integer(2), node: NodeID(try row.text(3))),
                    rule: MergeRule(rawValue: try row.text(4)) ?? .unknownRecord)
            }
        }
    }
}

extension Connection {
    fileprivate func outboxColumns(all: Bool) throws -> [Int64: [FieldName]] {
        var columns: [Int64: [FieldName]] = [:]
        try each(
            """
            SELECT seq_id, name FROM __sync_outbox JOIN __sync_outbox_field USING (seq_id)
            WHERE name <> ? \(all ? "" : "AND status <> 'ACKNOWLEDGED'")
            ORDER BY seq_id, name
            """, [.text(Mutation.deletedField)]
        ) { columns[try $0.integer(0), default: []].append(try $0.text(1)) }
        return columns
    }

    /// The answers that a mutation changes.
    fileprivate func shownColumns(ofMutation sequence: Int64) throws -> [FieldName] {
        try query(
            "SELECT name FROM __sync_outbox_field WHERE seq_id = ? AND name <> ? ORDER BY name",
            [.integer(sequence), .text(Mutation.deletedField)]
        ) { try $0.text(0) }
    }

    fileprivate func outboxRows(
        _ condition: String, _ values: [DatabaseValue] = [], limit: Int = -1,
        columns: (Int64) throws -> [FieldName]
    ) throws -> [OutboxRow] {
        let haveBundled = try haveBundled()
        return try query(
            """
            SELECT seq_id, mutation_id, record_id, table_name, operation, status, retry_count,
                last_error, next_attempt_at, created_at_utc, in_bundle IS NOT NULL
            FROM __sync_outbox \(condition) ORDER BY seq_id LIMIT \(limit)
            """, values
        ) { row in
            let (record, operation) = (RecordID(try row.text(2)), try row.text(4))
            let isInBundle =
                try row.flag(10)
                || haveBundled && isInBundle(whatGoesWith: operation, of: record)
            return OutboxRow(
                mutationId: MutationID(try row.text(1)), recordId: record,
                tableName: try row.text(3), operation: operation,
                status: try row.text(5), retryCount: try row.integer(6),
                lastError: try row.optionalText(7),
                nextAttemptUtc: try row.optionalInteger(8).map(SyncTimestamp.text),
                createdAtUtc: try row.text(9), columns: try columns(row.integer(0)),
                isInBundle: isInBundle)
        }
    }

    func refusedRows() throws -> [OutboxRow] {
        try outboxRows(
            "WHERE status = 'FAILED' AND status <> 'ACKNOWLEDGED'",
            columns: shownColumns(ofMutation:))
    }

    func conflicts(of id: RecordID?) throws -> [ConflictView] {
        let rows = try query(
            """
            SELECT seq_id, mutation_id, record_id, server_snapshot FROM __sync_outbox
            WHERE status = 'CONFLICT' AND status <> 'ACKNOWLEDGED'
                AND (?1 IS NULL OR record_id = ?1)
            ORDER BY seq_id
            """, [DatabaseValue(id?.rawValue)]
        ) { row in
            (
                sequence: try row.integer(0), mutation: MutationID(try row.text(1)),
                record: RecordID(try row.text(2)), snapshot: try row.optionalText(3)
            )
        }
        return try rows.flatMap { row -> [ConflictView] in
            guard let stored = row.snapshot else { return [] }
            let mine = try newestValues(ofFieldsIn: row.sequence)
            let snapshot = try ConflictSnapshot(stored: stored)
            return try snapshot.conflicts.compactMap { conflict -> ConflictView? in
                guard let value = mine[conflict.column] else { return nil }
                let other = try otherSide(of: conflict, in: snapshot, on: row.record)
                return ConflictView(
                    mutationId: row.mutation, recordId: row.record, column: conflict.column,
                    base: conflict.base,
                    mine: value, theirs: other.value, theirsNode: other.node, rule: conflict.rule)
            }
        }
    }

    /// What *mine* would send: a later edit of a field in conflict stands for the one before it.
    private func newestValues(ofFieldsIn sequence: Int64) throws -> [FieldName: FieldValue] {
        let rows = try query(
            """
            SELECT waiting.name, waiting.value
            FROM __sync_outbox AS conflict
            JOIN __sync_outbox_field AS entry ON entry.seq_id = conflict.seq_id
            JOIN __sync_waiting AS waiting ON waiting.record_id = conflict.record_id
                AND waiting.name = entry.name AND waiting.status IN ('CONFLICT', 'PENDING')
            WHERE conflict.seq_id = ?
            ORDER BY waiting.lamport, waiting.seq_id
            """, [.integer(sequence)]
        ) { (try $0.text(0), try $0.fieldValue(1)) }
        return Dictionary(rows) { $1 }
    }

    /// Assets with the names of their sites; all of them, or one.
    func assets(only id: RecordID? = nil) throws -> [AssetSummary] {
        try query(
            """
            SELECT asset.id, asset.parent_id, tag.value, title.value, model.value, serial.value,
                site.value
            FROM record AS asset
            LEFT JOIN field AS tag ON tag.record_id = asset.id AND tag.name = '@tag'
            LEFT JOIN field AS title ON title.record_id = asset.id AND title.name = '@title'
            LEFT JOIN field AS model ON model.record_id = asset.id AND model.name = '@model'
            LEFT JOIN field AS serial ON serial.record_id = asset.id AND serial.name = '@serial'
            LEFT JOIN field AS site ON site.record_id = asset.parent_id AND site.name = '@title'
            WHERE asset.table_name = 'asset' AND asset.is_deleted = 0
                \(id == nil ? "" : "AND asset.id = ?")
            """, id.map { [.text($0.rawValue)] } ?? [], AssetSummary.init(row:))
    }
}

extension AssetSummary {
    fileprivate init(row: Row) throws {
        let text = { (index: Int) throws -> String? in
            row.isNull(index) ? nil : try row.fieldValue(index).plainText
        }
        let id = try row.text(0)
        let parent = try row.optionalText(1)
        self.init(
            id: RecordID(id), tag: try text(2),
            name: AssetNaming.name(
                id: id, tag: try text(2), title: try text(3), serial: try text(5)),
            model: try text(4), serial: try text(5), siteID: parent.map { RecordID($0) },
            site: try text(6))
    }
}

extension Connection {
    /// What the server is told of the queue.
    func deviceReport() throws -> DeviceReport {
        var report = DeviceReport(pending: 0, failed: 0, conflict: 0, inReview: 0)
        try each(
            """
            SELECT status, count(*), min(created_at_utc) FROM __sync_outbox
            WHERE status <> 'ACKNOWLEDGED' GROUP BY status
            """
        ) { row in
            let count = try row.integer(1)
            let oldest = try row.text(2)
            report.pending = (report.pending ?? 0) + count
            report.oldestUnsyncedUtc = min(report.oldestUnsyncedUtc ?? oldest, oldest)
            switch try row.text(0) {
            case "FAILED": report.failed = count
            case "CONFLICT": report.conflict = count
            case "IN_REVIEW": report.inReview = count
            default: break
            }
        }
        return report
    }
}
