internal import Coding
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
    ///
    /// - Returns: whether the answer told of a new epoch. Then nothing of it is noted, because what was
    ///   offered was lost by another epoch: a pull from the beginning says what this one lacks.
    @discardableResult
    package func settle(_ request: CopyRequest, by response: CopyResponse) throws -> Bool {
        guard try !meetEpoch(of: response.server) else { return true }
        let newID = sources.newID
        let now = SyncTimestamp.text(sources.now())
        return try edit { database in
            try RemoteApplication(database: database, nowUtc: now, newID: newID)
                .note(response.server)
            for verdict in response.results {
                let offered = request.records.first { $0.id == verdict.recordId }
                guard let offered else { continue }
                try database.settle(verdict, of: offered)
            }
            return false
        }
    }
}

/// A record of which something is to be offered.
private struct OfferedCopy {
    var id: RecordID
    var parent: RecordID?
    /// How often it was refused alone.
    var refusals: Int64

    /// Those that were refused least come first, whatever is refused again and again; a record goes
    /// behind what it stands under.
    static func ordered(_ copies: [OfferedCopy]) -> [OfferedCopy] {
        let known = Dictionary(copies.map { ($0.id, $0) }) { first, _ in first }
        func place(of copy: OfferedCopy) -> (refusals: Int64, depth: Int) {
            var place = (refusals: copy.refusals, depth: 0)
            var next = copy.parent
            // No family is as deep as it is large, whatever a server may have sent.
            while let parent = next.flatMap({ known[$0] }), place.depth < copies.count {
                place.depth += 1
                place.refusals = max(place.refusals, parent.refusals)
                next = parent.parent
            }
            return place
        }
        return copies.map { (place(of: $0), $0) }.sorted {
            ($0.0.refusals, $0.0.depth, $0.1.id) < ($1.0.refusals, $1.0.depth, $1.1.id)
        }.map(\.1)
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
    private static let isOffered = """
        is_partial = 0 AND EXISTS (
            SELECT 1 FROM __sync_lost_field AS kept
            WHERE kept.record_id = lost.record_id AND kept.refusal IS NULL AND kept.node <> '')
        """

    /// Of how many records something goes to the server still.
    func recordsOffered() throws -> Int {
        try first("SELECT count(*) FROM __sync_lost AS lost WHERE \(Self.isOffered)") {
            Int(try $0.integer(0))
        } ?? 0
    }

    /// What was refused alone before goes alone, so that no other request is refused because of it.
    fileprivate func copies(limit: Int, skipping: Set<RecordID>) throws -> [WireRecord] {
        let waiting = try query(
            """
            SELECT record_id, parent_id, refusals FROM __sync_lost AS lost
            WHERE \(Self.isOffered) ORDER BY record_id
            """
        ) { row in
            OfferedCopy(
                id: RecordID(try row.text(0)),
                parent: try row.optionalText(1).map { RecordID($0) },
                refusals: try row.integer(2))
        }
        var records: [WireRecord] = []
        var room = CopyRoom()
        for offered in OfferedCopy.ordered(waiting)
        where !skipping.contains(offered.id) && records.count < limit {
            guard offered.refusals == 0 || records.isEmpty else { break }
            guard let record = try copy(of: offered.id) else { continue }
            let part = room.part(of: record)
            guard part.fields.count == record.fields.count || records.isEmpty else { break }
            records.append(part)
            if part.fields.count < record.fields.count || offered.refusals > 0 { break }
        }
        return records
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

    /// Of how many records this device keeps only what retention had left.
    func recordsKeptInPart() throws -> Int {
        try first("SELECT count(*) FROM __sync_lost WHERE is_partial = 1") {
            Int(try $0.integer(0))
        } ?? 0
    }
}
