internal import Coding
internal import Forms
internal import Inspections
internal import Replication
internal import SQLite

/// What fails in an inspection at one moment, to be held against what fails after a change that did not go
/// through its form.
struct FailingAnswers {
    let filling: FormFilling
    let stored: FormAnswers
    let keys: Set<AnswerKey>
    /// How many rows the form asked for.
    let wantedRows: [RepeatPlace: Int]
    /// Of the answers that are looked at: the Lamport counters at which they were said.
    private let counts: [AnswerKey: Int64]

    /// - Parameter decided: answers that a person decides about.
    init(
        _ filling: FormFilling, _ stored: FormAnswers, decided: Set<AnswerKey>, on id: RecordID,
        _ database: Connection
    ) throws {
        self.filling = filling
        self.stored = stored
        keys = filling.findingKeys(by: stored)
        wantedRows = filling.wantedRows
        var counts: [AnswerKey: Int64] = [:]
        for key in decided { counts[key] = try database.counter(of: key, on: id) }
        self.counts = counts
    }

    /// What has come of it.
    /// - Parameters:
    ///   - before: nil where the inspection was not there.
    ///   - decided: answers that a person has decided about, changed by it or not.
    ///   - isSaid: whether the change of an answer is a person's word, not the return of an earlier one.
    func change(
        since before: FailingAnswers?, decided: Set<AnswerKey>,
        isSaid: (AnswerKey) throws -> Bool
    ) rethrows -> FailureChange {
        try FailureChange(
            since: before?.keys ?? [], now: keys, in: filling, by: stored, decided: decided
        ) { try before?.stored[$0] != stored[$0] && isSaid($0) }
    }

    /// Rows that went.
    func rowsGone(since before: FailingAnswers?) -> Set<String> {
        Set(before?.stored.rows.map(\.id) ?? []).subtracting(stored.rows.map(\.id))
    }

    /// When the answer was said that fails now. One that a person has kept was said when it was given.
    func answeredAt(
        _ key: AnswerKey, since before: FailingAnswers?, on id: RecordID, _ database: Connection
    ) throws -> Int64 {
        if let before, before.stored[key] == stored[key], let count = before.counts[key] {
            return count
        }
        return try database.counter(of: key, on: id)
    }
}

/// Findings and the rows of counts follow where answers change otherwise than through `change`.
extension DeviceStore {
    /// What fails now; nil where nothing is followed: in what is deleted, closed, or by a form that is not
    /// here.
    /// - Parameter asItStood: whether the state does not matter. What failed in a complete or deleted
    ///   inspection had failed before it was taken up again, and is not found anew.
    func failing(
        in id: RecordID, decided: Set<AnswerKey> = [], asItStood: Bool = false,
        _ database: Connection
    ) throws -> FailingAnswers? {
        let table = RecordTable.inspection
        guard
            try asItStood
                ? database.isHere(id, table: table) : database.isLive(id, table: table)
        else { return nil }
        do {
            let (stored, filling) = try stored(id, database)
            guard asItStood || !stored.isClosed else { return nil }
            return try FailingAnswers(
                filling, stored.answers, decided: decided, on: id, database)
        } catch StoreError.unknownForm {
            return nil
        } catch is FormError {
            return nil
        } catch is CodingError {
            return nil
        }
    }

    /// Settles what a person decides about changes of a record that wait, and raises and withdraws what
    /// that asks for. A full queue is no reason to leave a failure unfound: this is how it gets empty.
    /// - Parameter names: of the fields that are decided.
    func settle<Result>(
        deciding names: (Connection) throws -> (record: RecordID, fields: [FieldName]),
        _ body: (Connection) throws -> Result
    ) throws -> Result {
        let now = SyncTimestamp.text(sources.now())
        return try edit { database in
            let (record, fields) = try names(database)
            let inspection = try database.inspection(around: record)
            let keys = Set(
                fields.map { AnswerKey(row: record == inspection ? nil : record.rawValue, $0) })
            let before = try inspection.flatMap {
                try failing(in: $0, decided: keys, database)
            }
            let count = try database.metadataInteger("lamport") ?? 0
            let result = try database.whileApplying {
                let result = try body(database)
                try database.removeLeft(nowUtc: now)
                return result
            }
            if let inspection, let before {
                try database.withoutQueueLimit {
                    try follow(since: before, decided: keys, on: inspection, database) {
                        try database.counter(of: $0, on: inspection) > count
                    }
                }
            }
            return result
        }
    }

    /// An edit that may change answers of any inspection.
    func editFollowing<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try edit { database in
            let waiting = try database.waitingMarks()
            let result = try body(database)
            var touched: Set<RecordID> = []
            let now = try database.waitingMarks()
            for id in Set(now.keys).union(waiting.keys) where now[id] != waiting[id] {
                if let inspection = try database.inspection(around: id) {
                    touched.insert(inspection)
                }
            }
            for id in touched.sorted() {
                // The other connection still has what stood before.
                let before = try read { try failing(in: id, asItStood: true, $0) }
                try follow(since: before, decided: [], on: id, database) { _ in true }
            }
            return result
        }
    }

    private func follow(
        since before: FailingAnswers?, decided: Set<AnswerKey>, on id: RecordID,
        _ database: Connection, isSaid: (AnswerKey) throws -> Bool
    ) throws {
        guard let now = try failing(in: id, decided: decided, database) else { return }
        let change = try now.change(since: before, decided: decided, isSaid: isSaid)
        try follow(
            change, gone: now.rowsGone(since: before), in: now.filling, on: id, database
        ) { try now.answeredAt($0, since: before, on: id, database) }
        try makeMissingRows(since: before?.wantedRows ?? [:], in: id, now.filling, database)
    }

    /// The rows of a count that was decided or written by a statement.
    private func makeMissingRows(
        since before: [RepeatPlace: Int], in id: RecordID, _ filling: FormFilling,
        _ database: Connection
    ) throws {
        guard filling.wantedRows != before else { return }
        let (unchanged, filling) = try stored(id, database)
        var work = Answering(
            filling, over: unchanged.answers,
            rowIDs: try database.formRowIDs(in: id, filling.form))
        try work.makeMissingRows(since: before)
        guard work.filling.answers.rows.count > unchanged.answers.rows.count else { return }
        var stored = unchanged
        try write(work, over: &stored, on: id, database)
    }
}

extension Connection {
    /// When an answer was said; 0 where there is none.
    func counter(of key: AnswerKey, on inspection: RecordID) throws -> Int64 {
        try first(
            "SELECT lamport FROM field WHERE record_id = ? AND name = ?",
            [.text(key.row ?? inspection.rawValue), .text(key.path)]
        ) { try $0.integer(0) } ?? 0
    }

    /// Deleted or not.
    fileprivate func isHere(_ id: RecordID, table: String) throws -> Bool {
        try first(
            "SELECT 1 FROM record WHERE id = ? AND table_name = ?",
            [.text(id.rawValue), .text(table)]
        ) { _ in true } ?? false
    }

    func isLive(_ id: RecordID, table: String) throws -> Bool {
        try first(
            "SELECT 1 FROM record WHERE id = ? AND table_name = ? AND is_deleted = 0",
            [.text(id.rawValue), .text(table)]
        ) { _ in true } ?? false
    }

    /// The inspection that a record is, or whose row it is; nil for anything else.
    fileprivate func inspection(around id: RecordID) throws -> RecordID? {
        var id = id
        for _ in 0..<Self.deepestFamily {
            let found = try first(
                "SELECT table_name, parent_id FROM record WHERE id = ?", [.text(id.rawValue)]
            ) { (table: try $0.text(0), parent: try $0.optionalText(1)) }
            switch (found?.table, found?.parent) {
            case (RecordTable.inspection, _): return id
            case (RecordTable.repetition, let parent?): id = RecordID(parent)
            default: return nil
            }
        }
        return nil
    }

    /// What tells whether anything of a record was changed here between two moments: each change is a
    /// new entry of the queue or a higher count in one, and taking one back removes it.
    fileprivate func waitingMarks() throws -> [RecordID: [Int64]] {
        let marks = try query(
            "SELECT record_id, count(*), max(lamport) FROM __sync_waiting GROUP BY record_id"
        ) { (RecordID(try $0.text(0)), [try $0.integer(1), try $0.integer(2)]) }
        return Dictionary(uniqueKeysWithValues: marks)
    }

    /// Inside the transaction of the caller.
    func withoutQueueLimit(_ body: () throws -> Void) throws {
        guard let limit = try metadataInteger("queue_limit") else { return try body() }
        try setMetadata("queue_limit", .integer(.max))
        try body()
        try setMetadata("queue_limit", .integer(limit))
    }
}
