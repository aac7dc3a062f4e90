internal import Coding
internal import Replication
internal import SQLite

/// What stands in the way of waiting mutations.
struct BatchObstacles {
    /// Records in conflict: nothing of them goes on.
    private(set) var inConflict: Set<RecordID> = []
    /// Records with a failed mutation, and the first of them: what came before it goes on.
    private(set) var failedSince: [RecordID: Int64] = [:]
    /// Fields that a supervisor has to decide.
    private(set) var inReview: [RecordID: Set<FieldName>] = [:]

    init(_ database: Connection) throws {
        let rows = try database.query(Self.rows) { row in
            (RecordID(try row.text(0)), try row.text(1), try row.integer(2))
        }
        for (record, status, sequence) in rows {
            switch status {
            case "CONFLICT": inConflict.insert(record)
            case "FAILED": failedSince[record] = min(failedSince[record] ?? sequence, sequence)
            default:
                let fields = try database.fieldNames(ofMutation: sequence)
                inReview[record, default: []].formUnion(fields)
            }
        }
    }

    /// The index of what waits is used only where its own condition is repeated.
    static let rows = """
        SELECT record_id, status, seq_id FROM __sync_outbox
        WHERE status IN ('CONFLICT', 'FAILED', 'IN_REVIEW') AND status <> 'ACKNOWLEDGED'
        ORDER BY seq_id
        """

    func block(_ record: RecordID, _ sequence: Int64) -> Bool {
        inConflict.contains(record) || failedSince[record].map { $0 < sequence } ?? false
    }
}

/// When the bases of a batch were learnt, and what its device had heard then. A batch tells it by one
/// `pullPosition`, so that mutations of different times travel apart.
enum BatchTime: Equatable {
    case present
    /// Under an older epoch of the server.
    case oldEpoch
    /// Under this cursor, before a loss of scope was heard of.
    case beforeLoss(String)

    /// Whether all bases are of the epoch of the cursor. Beside an old one, something newer may stand in
    /// the same mutation.
    var hasExactBases: Bool { self != .oldEpoch }
}

/// A batch while it is put together, in the order of the queue.
struct BatchSelection {
    let obstacles: BatchObstacles
    let limit: Int
    let skipping: Set<MutationID>
    private(set) var mutations: [Mutation] = []
    /// The JSON of each: written to be measured, and sent as it is.
    private(set) var written: [[UInt8]] = []
    private(set) var isFull = false
    private var bytes = 0
    private var inserted: Set<RecordID> = []
    /// Records of which an earlier mutation stays behind: the order of a record is kept.
    private var passedOver: Set<RecordID> = []
    /// Fields of mutations that wait whole for a review: later changes of them wait behind.
    private var waitingFields: [RecordID: Set<FieldName>] = [:]
    /// Mutations up to here were made by this device as another node.
    private let partedAt: Int64
    private var goingFields: [RecordID: Set<FieldName>] = [:]
    /// Records of a batch whose answer is awaited.
    private let underWay: Set<RecordID>
    /// What waits for that answer would have had room in this batch.
    var leavesRoom: Bool { waitsForAnswer && !isFull }
    private var waitsForAnswer = false
    /// Of the mutations in it; those of another time wait for the next batch.
    private(set) var time = BatchTime.present

    init(
        obstacles: BatchObstacles, limit: Int, skipping: Set<MutationID>, partedAt: Int64,
        underWay: Set<RecordID> = []
    ) {
        self.obstacles = obstacles
        self.limit = limit
        self.skipping = skipping
        self.partedAt = partedAt
        self.underWay = underWay
    }

    /// Whether the row can go now; `add` is to follow.
    mutating func admits(_ row: QueuedRow) -> Bool {
        if underWay.contains(row.record) || row.parent.map(underWay.contains) ?? false {
            waitsForAnswer = true
            return false
        }
        let isBlocked =
            passedOver.contains(row.record) || obstacles.block(row.record, row.sequence)
        let waits = isBlocked && !row.wasInReview || skipping.contains(row.id)
        if waits { passedOver.insert(row.record) }
        // What makes the record may come later in the queue, where it is offered again.
        return !waits && !lacksServerRecord(row)
    }

    /// Later changes of the record wait as well.
    mutating func passOver(_ record: RecordID) { passedOver.insert(record) }

    /// The server refuses an update or a child of a record that it does not have; one whose INSERT
    /// goes in the same batch before it is fine.
    private func lacksServerRecord(_ row: QueuedRow) -> Bool {
        if row.operation != .insert, !row.isMade, !inserted.contains(row.record) { return true }
        guard let parent = row.parent else { return false }
        return !row.isParentMade && !inserted.contains(parent)
    }

    /// Takes the mutation, unless fields of it are in review (only a sealed one still names such:
    /// it waits whole), a change before it of the same fields waits so, or it does not fit any more.
    mutating func add(_ mutation: Mutation, of time: BatchTime) {
        guard !waitsForAnother(mutation) else {
            return waitingFields[mutation.record, default: []].formUnion(mutation.changes.keys)
        }
        let document = mutation.json.serialized()
        let fits = bytes + document.count <= DeviceStore.largestBatch && time == self.time
        guard mutations.isEmpty || fits else {
            isFull = true
            return
        }
        mutations.append(mutation)
        written.append(document)
        bytes += document.count
        self.time = time
        goingFields[mutation.record, default: []].formUnion(mutation.changes.keys)
        if mutation.operation == .insert { inserted.insert(mutation.record) }
        isFull = mutations.count >= limit
    }

    /// Gives the batch out and begins the next one behind it, as if it had been accepted: of what
    /// stays behind everything is remembered.
    mutating func takeBatch() -> [Mutation] {
        defer {
            mutations = []
            written = []
            bytes = 0
            isFull = false
        }
        return mutations
    }

    private func waitsForAnother(_ mutation: Mutation) -> Bool {
        let behind = waitingFields[mutation.record] ?? []
        var blocked = behind.union(obstacles.inReview[mutation.record] ?? [])
        // What the server knows of it from the former node has to be heard first: see `raiseBases`.
        if mutation.sequence <= partedAt {
            blocked.formUnion(goingFields[mutation.record] ?? [])
        }
        return !blocked.isDisjoint(with: mutation.changes.keys)
            || mutation.operation == .delete && !behind.isEmpty
    }
}

/// A PENDING row, with what decides whether it can go.
struct QueuedRow {
    var sequence: Int64
    var id: MutationID
    var table: String
    var record: RecordID
    var operation: Mutation.Operation
    var isSealed: Bool
    var lamport: Int64
    var schemaVersion: Int64
    var createdAtUtc: String
    /// Whether the server has judged what makes the record.
    var isMade: Bool
    var parent: RecordID?
    /// Also where the parent is not on this device.
    var isParentMade: Bool
    /// The cursor under which it goes, where it was entered before a loss of scope was heard of.
    var pullPosition: String?
    /// Before the server was restored.
    var wasInReview: Bool

    /// Whether it is of what stands below an inspection, and goes where that goes.
    var isPart: Bool {
        ![RecordTable.site, RecordTable.asset, RecordTable.inspection, RecordTable.assignment]
            .contains(table)
    }

    /// The server has a version of it, or a supervisor has let its INSERT go: then what is left of it
    /// is for a supervisor too.
    private static func isMade(_ table: String) -> String {
        """
        (\(table).version > 0 OR (
            EXISTS (SELECT 1 FROM __sync_left WHERE record_id = \(table).id)
            AND NOT EXISTS (
                SELECT 1 FROM __sync_outbox AS making
                WHERE making.record_id = \(table).id AND making.operation = 'INSERT'
                    AND making.status <> 'ACKNOWLEDGED')))
        """
    }

    /// The next waiting rows behind a place in the queue.
    static let following = """
        SELECT outbox.seq_id, outbox.mutation_id, outbox.table_name, outbox.record_id,
            outbox.operation, outbox.sealed, outbox.lamport, outbox.schema_version,
            outbox.created_at_utc, \(isMade("record")), record.parent_id,
            parent.id IS NULL OR \(isMade("parent")), outbox.pull_position,
            EXISTS (SELECT 1 FROM __sync_asked_again AS asked WHERE asked.seq_id = outbox.seq_id)
        FROM __sync_outbox AS outbox
        CROSS JOIN record ON record.id = outbox.record_id
        LEFT JOIN record AS parent ON parent.id = record.parent_id
        WHERE outbox.status = 'PENDING' AND outbox.status <> 'ACKNOWLEDGED' AND outbox.seq_id > ?
        ORDER BY outbox.seq_id LIMIT ?
        """

    init(_ row: Row) throws {
        sequence = try row.integer(0)
        id = MutationID(try row.text(1))
        table = try row.text(2)
        record = RecordID(try row.text(3))
        guard let operation = Mutation.Operation(rawValue: try row.text(4)) else {
            throw StoreError.damaged("an operation that does not exist")
        }
        self.operation = operation
        isSealed = try row.flag(5)
        lamport = try row.integer(6)
        schemaVersion = try row.integer(7)
        createdAtUtc = try row.text(8)
        isMade = try row.flag(9)
        parent = try row.optionalText(10).map { RecordID($0) }
        isParentMade = try row.flag(11)
        pullPosition = try row.optionalText(12)
        wasInReview = try row.flag(13)
    }
}

extension Connection {
    /// Walks the waiting rows in the order of the queue until the batch is full.
    func select(into selection: inout BatchSelection) throws {
        let haveOldBases = try neededOldCursor() != nil
        let first = try metadataInteger("goes_first") ?? 0
        if first > 0, let row = try pendingRows(after: first - 1, count: 1).first,
            row.sequence == first
        {
            // Nothing of its record waited before it when it was sealed.
            try offer(row, to: &selection, haveOldBases)
        }
        // Where it cannot go, it is offered once more in its place.
        let taken = selection.mutations.isEmpty ? nil : first
        var after: Int64 = 0
        // As many as fit; more at a time where many of them have to stay.
        var count = Int64(selection.limit)
        while !selection.isFull {
            let rows = try pendingRows(after: after, count: count)
            guard let last = rows.last else { return }
            after = last.sequence
            count = 200
            for row in rows where !selection.isFull && row.sequence != taken {
                try offer(row, to: &selection, haveOldBases)
            }
        }
    }

    private func offer(
        _ row: QueuedRow, to selection: inout BatchSelection, _ haveOldBases: Bool
    ) throws {
        guard selection.admits(row) else { return }
        if let parent = row.parent, row.isPart, try isBelowQuestion(parent) {
            return selection.passOver(row.record)
        }
        let time = try time(of: row, haveOldBases)
        selection.add(try mutation(of: row, at: time), of: time)
    }

    func time(of row: QueuedRow, _ haveOldBases: Bool) throws -> BatchTime {
        if try haveOldBases && hasOldBase(row.sequence, of: row.record) { return .oldEpoch }
        return row.pullPosition.map { .beforeLoss($0) } ?? .present
    }

    /// The cursor that a batch of this time brings.
    func pullPosition(of time: BatchTime) throws -> String? {
        switch time {
        case .present: try metadataText("cursor") ?? metadataText("pull_position")
        case .oldEpoch: try neededOldCursor()
        case .beforeLoss(let cursor): cursor
        }
    }

    func pendingRows(after sequence: Int64, count: Int64) throws -> [QueuedRow] {
        try query(
            QueuedRow.following, [.integer(sequence), .integer(count)], QueuedRow.init)
    }

    func mutation(of row: QueuedRow, at time: BatchTime) throws -> Mutation {
        var changes = try query(
            """
            SELECT name, value, base_value, base_version, lamport
            FROM __sync_outbox_field WHERE seq_id = ?
            """, [.integer(row.sequence)]
        ) { field in
            (
                try field.text(0),
                FieldChange(
                    value: try field.fieldValue(1), baseValue: try field.fieldValue(2),
                    baseVersion: try field.integer(3), lamport: try field.integer(4))
            )
        }
        if time == .oldEpoch { try tellPast(of: &changes, on: row.record) }
        return Mutation(
            id: row.id, sequence: row.sequence, table: row.table, record: row.record,
            parent: row.parent, operation: row.operation, lamport: row.lamport,
            changes: Dictionary(uniqueKeysWithValues: changes), createdAtUtc: row.createdAtUtc,
            schemaVersion: row.schemaVersion)
    }

    func fieldNames(ofMutation sequence: Int64) throws -> [FieldName] {
        try query(
            "SELECT name FROM __sync_outbox_field WHERE seq_id = ?", [.integer(sequence)]
        ) { try $0.text(0) }
    }

    /// Unsealed mutations that name a field in review beside others are divided: the field waits,
    /// everything else goes on.
    func separateFieldsInReview(_ obstacles: BatchObstacles, newID: () -> String) throws {
        for (record, reviewed) in obstacles.inReview {
            let sequences = try query(
                """
                SELECT seq_id FROM __sync_outbox
                WHERE record_id = ? AND status = 'PENDING' AND sealed = 0 ORDER BY seq_id
                """, [.text(record.rawValue)]
            ) { try $0.integer(0) }
            for sequence in sequences {
                let names = try Set(fieldNames(ofMutation: sequence))
                let waiting = names.intersection(reviewed)
                guard !waiting.isEmpty, waiting != names else { continue }
                try move(waiting, of: sequence, newID: newID())
            }
        }
    }
}
