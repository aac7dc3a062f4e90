import Coding
import Inspections
import LocalStore
import Replication
import SQLite
import Sync

/// What a person does with a device, at random.
struct Inspector {
    let device: Handheld
    let store: DeviceStore
    let world: World

    private typealias Act = @Sendable (Inspector) throws -> String

    private static let acts: [(weight: Int, Act)] = [
        (34, { try $0.answer() }), (6, { try $0.clear() }), (5, { try $0.takeBack() }),
        (8, { try $0.begin() }), (4, { try $0.addFinding() }), (4, { try $0.complete() }),
        (3, { try $0.reopen() }), (6, { try $0.sql() }), (4, { try $0.hold() }),
        (6, { try $0.decide() }), (6, { $0.synchronise() }), (3, { try $0.delete() }),
    ]

    /// One thing.
    func act() throws { try perform(world.dice.pick(weighted: Self.acts)) }

    /// Enters what others enter at the same time, on the first inspection.
    func meet() throws {
        try perform { inspector in
            guard let id = try inspector.inspections().first else { return "meets nobody" }
            let value = FieldPool.value(
                for: "place", number: inspector.world.eventNumber, by: inspector.device.node,
                &inspector.world.dice)
            return try inspector.enter(["place": value], on: id)
        }
    }

    /// What the store refuses is refused; what it cannot do has to be a fault of the run.
    private func perform(_ act: Act) throws {
        let what: String
        do {
            what = try act(self)
            device.wake(.edited)
        } catch let error as StoreError {
            guard isExpected(error) else {
                throw Violation("the store failed", "\(device.node): \(error)")
            }
            what = "was refused: \(error)"
        }
        world.tell("\(device.node) \(what)")
    }

    private func isExpected(_ error: StoreError) -> Bool {
        switch error {
        case .refused, .unknownRecord, .unknownMutation, .wrongStatus, .unresolved,
            .notInConflict, .changedSinceShown, .changesRefused:
            true
        case .unknownForm: device.isMadeAnew
        case .storage(let fault) where device.isHeld && fault.isBusy: true
        case .storage, .secondCopy:
            device.disk.hasStopped
                || world.isFull(device) && (error.isDiskFull || error.isDiskFault)
        default: false
        }
    }

    // MARK: Edits

    private func inspections() throws -> [RecordID] {
        try store.read { database in
            try database.query(
                """
                SELECT id FROM record WHERE table_name = 'inspection' AND is_deleted = 0 ORDER BY id
                """
            ) { RecordID(try $0.text(0)) }
        }
    }

    /// One of a few, so that several people meet at the same ones.
    private func anInspection() throws -> RecordID {
        let all = try inspections()
        guard !all.isEmpty else { throw StoreError.unknownRecord("any") }
        return all[world.dice.below(min(all.count, world.crowd))]
    }

    private func begin() throws -> String {
        let asset = world.dice.oneIn(4) ? nil : try store.assets().first?.id
        let id = try store.createInspection(form: Ground.form, version: "1", asset: asset)
        return "begins \(id)"
    }

    private func answer() throws -> String {
        let id = try anInspection()
        var values: [FieldName: FieldValue] = [:]
        for _ in 0...world.dice.below(3) {
            let name = world.dice.pick(FieldPool.names)
            values[name] = FieldPool.value(
                for: name, number: world.eventNumber, by: device.node, &world.dice)
        }
        return try enter(values, on: id)
    }

    private func clear() throws -> String {
        try enter([world.dice.pick(FieldPool.names): .null], on: anInspection())
    }

    /// Back to what the server has confirmed.
    private func takeBack() throws -> String {
        let id = try anInspection()
        let confirmed = try store.read { database in
            try database.query(
                "SELECT name, value FROM __sync_shadow WHERE record_id = ? ORDER BY name",
                [.text(id.rawValue)]
            ) { (try $0.text(0), try $0.fieldValue(1)) }
        }
        guard let (name, value) = confirmed.first, FieldPool.names.contains(name) else {
            return "has nothing to take back"
        }
        return try doubting(id) { try enter([name: value], on: id) }
    }

    /// Something that gives edits up or takes them back; where the process ends in it, both is right.
    private func doubting<Result>(_ id: RecordID, _ act: () throws -> Result) throws -> Result {
        do {
            return try act()
        } catch {
            if device.disk.hasStopped { device.ledger.doubt(id) }
            throw error
        }
    }

    /// Edits that the ledger accounts for.
    private func enter(_ values: [FieldName: FieldValue], on id: RecordID) throws -> String {
        let names = values.keys.sorted()
        try track(values, on: id) {
            try store.set(names.map { ($0, values[$0] ?? .null) }, on: id)
        }
        return "enters \(names.map { "\($0)=\(values[$0]?.plainText ?? "")" }) on \(id)"
    }

    private func track(
        _ values: [FieldName: FieldValue], on id: RecordID, _ edit: () throws -> Void
    ) throws {
        let before = try store.values(of: id)
        let changed = values.filter { before[$0.key] ?? .null != $0.value }
        do {
            try edit()
        } catch {
            if device.disk.hasStopped {
                for (name, value) in changed {
                    device.ledger.enterUnclear(
                        FieldKey(record: id, name: name), value, number: world.eventNumber)
                    // It may be what was confirmed: then it takes an edit back.
                    if value.isNull || !FieldPool.isUnique(name) { device.ledger.doubt(id) }
                }
            } else if try store.values(of: id) != before {
                throw Violation("a failed edit is shown", "\(device.node) \(id): \(error)")
            }
            throw error
        }
        let waiting = try store.waitingValues()
        for (name, value) in changed {
            let key = FieldKey(record: id, name: name)
            if waiting[key] == value {
                device.ledger.enter(key, value, number: world.eventNumber)
            } else if try isConfirmed(key, value) {
                device.ledger.restart(id, waiting: waiting)
            } else {
                throw Violation(
                    "an edit was not captured", "\(device.node) entered \(name) of \(id)")
            }
        }
    }

    /// An edit back to what was confirmed leaves nothing to send.
    private func isConfirmed(_ key: FieldKey, _ value: FieldValue) throws -> Bool {
        let id = DatabaseValue.text(key.record.rawValue)
        return try store.read { database in
            let shadow = try database.first(
                "SELECT value FROM __sync_shadow WHERE record_id = ? AND name = ?",
                [id, .text(key.name)]
            ) { try $0.fieldValue(0) }
            if let shadow { return shadow == value }
            let version = try database.first(
                "SELECT version FROM field WHERE record_id = ? AND name = ?", [id, .text(key.name)]
            ) { try $0.integer(0) }
            return value.isNull || version ?? 0 > 0
        }
    }

    private func sql() throws -> String {
        let id = try anInspection()
        let name = world.dice.pick(["doors", "high", "low", "pressure"])
        let value = Int64(world.eventNumber)
        let known = try store.values(of: id)[name] != nil
        let statement =
            known
            ? "UPDATE field SET value = \(value) WHERE record_id = '\(id)' AND name = '\(name)'"
            : "INSERT INTO field (record_id, name, value) VALUES ('\(id)', '\(name)', \(value))"
        try track([name: .integer(value)], on: id) {
            _ = try store.sql(statement, write: true)
        }
        return "writes \(name) of \(id) by a statement"
    }

    /// A record below an inspection, as `sql --write` makes it.
    private func addFinding() throws -> String {
        let (parent, id) = (try anInspection(), UUIDText.version4(using: &world.dice))
        _ = try store.sql(
            """
            INSERT INTO record (id, table_name, parent_id)
            VALUES ('\(id)', 'finding', '\(parent)')
            """, write: true)
        _ = try store.sql(
            """
            INSERT INTO field (record_id, name, value)
            VALUES ('\(id)', '@title', 'finding \(world.eventNumber)')
            """, write: true)
        return "adds finding \(id) to \(parent)"
    }

    private func complete() throws -> String {
        let id = try anInspection()
        do {
            try store.complete(id)
        } catch is Completion.Refusal {
            return "may not complete \(id)"
        }
        device.ledger.takeLaterWord(FieldKey(record: id, name: BuiltInField.state))
        return "completes \(id)"
    }

    private func reopen() throws -> String {
        let id = try anInspection()
        try store.reopen(id)
        device.ledger.takeLaterWord(FieldKey(record: id, name: BuiltInField.state))
        return "reopens \(id)"
    }

    private func delete() throws -> String {
        guard world.strikes(.deletion) else { return "thinks of deleting" }
        let id = try anInspection()
        try doubting(id) { try store.delete(id) }
        try restartLedger(id)
        return "deletes \(id)"
    }

    private func hold() throws -> String {
        let id = try anInspection()
        let names = Array(FieldPool.names.prefix(3))
        if world.dice.oneIn(2) {
            try store.hold(names, of: id)
            return "looks at \(id)"
        }
        try store.release(names, of: id)
        return "leaves \(id)"
    }

    private func synchronise() -> String {
        device.wake(.demanded)
        return "asks to synchronise"
    }

    // MARK: Decisions

    private func decide() throws -> String {
        let rows = try store.outbox().filter { ["CONFLICT", "FAILED"].contains($0.status) }
        guard !rows.isEmpty else { return "has nothing to decide" }
        return try decide(world.dice.pick(rows), mayRetry: true)
    }

    /// Decides one row that needs a person.
    func decide(_ row: OutboxRow, mayRetry: Bool) throws -> String {
        let what = try doubting(row.recordId) { () throws -> String in
            if row.status == "CONFLICT" {
                try resolve(row.recordId)
                return "resolves \(row.recordId)"
            }
            if mayRetry, world.dice.oneIn(2) {
                try store.retry(row.mutationId)
                return "retries \(row.mutationId)"
            }
            try store.discard(row.mutationId)
            return "gives up \(row.mutationId)"
        }
        try restartLedger(row.recordId)
        device.wake(.edited)
        return what
    }

    private func resolve(_ id: RecordID) throws {
        var resolutions: [FieldName: Resolution] = [:]
        for conflict in try store.conflicts(of: id) {
            resolutions[conflict.column] = world.dice.pick([.mine, .theirs, .theirs])
        }
        let shown = try store.questions(of: id)
        try store.resolve(id, resolutions)
        device.questions.settle(shown)
        if world.mutant == .baseOfDecisionForgotten { try device.forgetShown(of: id) }
    }

    private func restartLedger(_ id: RecordID) throws {
        device.ledger.restart(
            id, waiting: try store.waitingValues())
    }
}
