internal import Coding
internal import Forms
internal import Inspections
package import Replication
internal import SQLite

/// What is kept because a restored server does not show it goes to that server as a copy, in the
/// name of whoever entered it. Their own device may never come again.
extension DeviceStore {
    /// The next copies, records before what stands under them, at most 50 with 4096 fields and 1 MiB. Of
    /// one that is larger by itself a part, what makes the record first.
    ///
    /// - Parameters:
    ///   - limit: records at most.
    ///   - skipping: offered in this cycle already, and not taken.
    /// - Returns: nil where nothing is to be offered.
    package func copiesToOffer(
        limit: Int = CopyRequest.mostRecords, skipping: Set<RecordID> = []
    ) throws -> CopyRequest? {
        guard try read({ try $0.lostRecords() }) > 0 else { return nil }
        return try edit { database in
            let records = try database.copies(limit: limit, skipping: skipping)
            guard !records.isEmpty else { return nil }
            return CopyRequest(
                clientNodeId: try database.position().node,
                schemaVersion: RecordTable.schemaVersion,
                pullPosition: try database.neededOldCursor() ?? Connection.unknownCursor,
                isOfOneEpoch: try database.metadataInteger("old_epochs") == 1,
                records: records)
        }
    }

    /// Remembers what the server has taken, and what it refused.
    package func settle(_ request: CopyRequest, by response: CopyResponse) throws {
        guard try !meetEpoch(of: response.server) else { return }
        let newID = sources.newID
        let now = SyncTimestamp.text(sources.now())
        try edit { database in
            try RemoteApplication(database: database, nowUtc: now, newID: newID)
                .note(response.server)
            for verdict in response.results {
                let offered = request.records.first { $0.id == verdict.recordId }
                guard let offered else { continue }
                try database.settle(verdict, of: offered)
            }
        }
    }

    /// The server refused each of these alone, whatever else it took: they stay, with the reason, and
    /// are offered again when the server shows the record changed or begins another epoch.
    ///
    /// - Parameter refused: with the fields that were offered.
    package func setAside(_ refused: [CopyVerdict]) throws {
        try edit { database in
            for verdict in refused {
                for name in verdict.columns {
                    try database.refuse(name, of: verdict.recordId, because: verdict.reason)
                }
            }
        }
    }
}

extension CopyVerdict {
    fileprivate var reason: String {
        error.map { $0.message.isEmpty ? $0.code : $0.message } ?? "refused by the server"
    }
}

/// What a request has room for still.
private struct CopyRoom {
    private var fields = CopyRequest.mostFields
    private var bytes = DeviceStore.largestBatch

    /// As much of the record as fits, one field at least. Without its form an inspection is nothing: what
    /// records have of themselves goes first.
    mutating func part(of record: WireRecord) -> WireRecord {
        var part = record
        part.fields = [:]
        let frame = part.json.serialized().count
        bytes -= frame
        let names = record.fields.keys.sorted {
            (BuiltInField.isBuiltIn($0) ? 0 : 1, $0) < (BuiltInField.isBuiltIn($1) ? 0 : 1, $1)
        }
        for name in names {
            var alone = part
            alone.fields = [name: record.fields[name]].compactMapValues { $0 }
            bytes -= alone.json.serialized().count - frame + 1
            fields -= 1
            guard bytes >= 0 && fields >= 0 || part.fields.isEmpty else { break }
            part.fields[name] = record.fields[name]
        }
        return part
    }
}

extension Connection {
    /// Not of what this device holds in part: it would pass for the whole record.
    fileprivate func copies(limit: Int, skipping: Set<RecordID>) throws -> [WireRecord] {
        let waiting = try query(
            """
            SELECT record_id, parent_id FROM __sync_lost AS lost
            WHERE is_partial = 0 AND EXISTS (
                SELECT 1 FROM __sync_lost_field AS kept
                WHERE kept.record_id = lost.record_id AND kept.refusal IS NULL
                    AND kept.node <> '')
            ORDER BY record_id
            """
        ) { (id: RecordID(try $0.text(0)), parent: try $0.optionalText(1).map { RecordID($0) }) }
        var records: [WireRecord] = []
        var room = CopyRoom()
        for id in Self.parentsFirst(waiting)
        where !skipping.contains(id) && records.count < limit {
            guard let record = try copy(of: id) else { continue }
            let part = room.part(of: record)
            guard part.fields.count == record.fields.count || records.isEmpty else { break }
            records.append(part)
            if part.fields.count < record.fields.count { break }
        }
        return records
    }

    private static func parentsFirst(_ rows: [(id: RecordID, parent: RecordID?)]) -> [RecordID] {
        let parents = Dictionary(rows.map { ($0.id, $0.parent) }) { first, _ in first }
        func depth(_ id: RecordID) -> Int {
            var depth = 0
            var next = parents[id] ?? nil
            // No family is as deep as it is large, whatever a server may have sent.
            while let parent = next, parents[parent] != nil, depth < rows.count {
                depth += 1
                next = parents[parent] ?? nil
            }
            return depth
        }
        return rows.map { ($0.id, depth($0.id)) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// What makes the record first. Of a record that is larger than a request may be, as much as goes
    /// into one: the rest follows when that is taken.
    private func copy(of id: RecordID) throws -> WireRecord? {
        var fields: [FieldName: WireRecord.Field] = [:]
        var bytes = 0
        try each(
            """
            SELECT name, value, lamport, node, version FROM __sync_lost_field
            WHERE record_id = ? AND refusal IS NULL AND node <> ''
            ORDER BY name NOT LIKE '@%', name
            """, [.text(id.rawValue)]
        ) { row in
            guard bytes < DeviceStore.largestBatch, fields.count < Mutation.mostChanges else {
                return
            }
            let (name, field) = (try row.text(0), try WireRecord.Field(row: row))
            bytes += name.utf8.count + field.json.serialized().count
            fields[name] = field
        }
        return try first(
            """
            SELECT table_name, parent_id, version, server_updated_at
            FROM __sync_lost WHERE record_id = ?
            """, [.text(id.rawValue)]
        ) { row in
            WireRecord(
                table: try row.text(0), id: id,
                parent: try row.optionalText(1).map { RecordID($0) },
                version: try row.integer(2), fields: fields,
                updatedAtUtc: try row.optionalText(3) ?? "")
        }
    }

    fileprivate func settle(_ verdict: CopyVerdict, of offered: WireRecord) throws {
        let refused: Set<FieldName>
        switch verdict.status {
        case .held: return
        case .taken: refused = []
        case .refused:
            refused = Set(
                verdict.columns.isEmpty ? Array(offered.fields.keys) : verdict.columns)
        }
        for name in offered.fields.keys {
            guard refused.contains(name) else {
                try noteTaken(name, of: offered.id)
                continue
            }
            try refuse(name, of: offered.id, because: verdict.reason)
        }
        try letGoEmpty(offered.id)
    }

    /// What the server says reaches screens: bounded, and without what would steer a terminal.
    fileprivate func refuse(
        _ name: FieldName, of id: RecordID, because reason: String
    ) throws {
        try execute(
            "UPDATE __sync_lost_field SET refusal = ? WHERE record_id = ? AND name = ?",
            [
                .text(String(ShownText.clean(reason).prefix(300))), .text(id.rawValue),
                .text(name),
            ])
    }

    /// Why the server does not take what is kept, the most frequent reason first, and of how many
    /// records.
    func copyRefusals() throws -> [CopyRefusal] {
        try query(
            """
            SELECT refusal, count(DISTINCT record_id) AS records FROM __sync_lost_field
            WHERE refusal <> '' GROUP BY refusal ORDER BY records DESC, refusal
            """
        ) { CopyRefusal(reason: try $0.text(0), records: Int(try $0.integer(1))) }
    }

    /// Of how many records this device keeps only what retention had left.
    func recordsKeptInPart() throws -> Int {
        try first("SELECT count(*) FROM __sync_lost WHERE is_partial = 1") {
            Int(try $0.integer(0))
        } ?? 0
    }
}
