import Coding
import LocalStore
import Replication
import SQLite
import ServerStore
import Vault

/// What an inspector was told, and what the server has, at a moment of the day.
struct Told {
    /// The newest answers that were called saved.
    var saved: [FieldKey: FieldValue] = [:]
    /// Those of the edit that is under way: they may be there or not.
    var unclear: [FieldKey: FieldValue] = [:]
    /// What the server has taken, and from which mutation.
    var taken: [FieldKey: Taken] = [:]
    /// Mutations that were sent, by what was in them.
    var sent: [MutationID: [UInt8]] = [:]

    struct Taken {
        var value: FieldValue
        var mutation: MutationID
    }
}

/// The day: edits, an exchange with the server, an edit that meets one, a pull, answers enough for
/// another segment of the journal, quiet moments in which the log is moved, the end.
final class CutDay {
    private(set) var told = Told()
    private let store: DeviceStore
    private let server: SQLiteStore
    private let device: ServerStore.Device
    private let pauses = PausesAtWill()

    init(_ ground: Ground, device index: Int) throws {
        let (ids, source) = (DiceBox(seed: 99), DiceBox(seed: 98))
        server = try SQLiteStore.open(
            at: ground.serverPath,
            SQLiteStore.Environment(
                now: { Ground.morning }, random: { source.bytes($0) }, readers: 1))
        guard
            let device = try server.device(
                tokenHash: Ground.tokenHash(index), node: Ground.node(index))
        else { throw GroundFailure("the server does not know the device") }
        self.device = device
        let home = ground.home(index)
        store = try DeviceStore.open(
            home: home, key: ground.key, access: .writer(HomeLease.acquire(home)),
            sources: StoreSources(
                now: { Ground.morning }, newID: { UUIDText.version4(random: ids.bytes(16)) },
                pauses: pauses.pauses))
    }

    func live() throws {
        let assigned = try store.inspectionIDs()[0]
        for number in 1...6 {
            try edit(assigned, ["doors": .integer(Int64(number)), "notes": .string("\(number)")])
        }
        let made = try begin()
        try edit(made, ["place": .string("pier"), "pressure": .integer(40)])
        try exchange()
        try edit(assigned, ["notes": .string("after the answer")])
        try exchange { try self.edit(assigned, ["notes": .string("meets its answer")]) }
        pauses.pass()
        try pull()
        for number in 1...24 {
            let long = String(repeating: "x", count: 50_000) + "\(number)"
            try edit(number.isMultiple(of: 2) ? assigned : made, ["notes": .string(long)])
        }
        pauses.pass()
        while try exchange() {}
        try pull()
        pauses.pass()
        for number in 7...9 { try edit(made, ["doors": .integer(Int64(number))]) }
        try store.close()
        try server.close()
    }

    // MARK: What happens

    private func edit(_ id: RecordID, _ answers: [FieldName: FieldValue]) throws {
        for (name, value) in answers {
            told.unclear[FieldKey(record: id, name: name)] = value
        }
        try store.set(answers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, on: id)
        told.saved.merge(told.unclear) { $1 }
        told.unclear = [:]
    }

    private func begin() throws -> RecordID {
        try store.createInspection(form: Ground.form, version: "1", asset: nil)
    }

    /// Sends one batch; false where nothing waits.
    @discardableResult
    private func exchange(meanwhile: () throws -> Void = {}) throws -> Bool {
        guard let batch = try store.sealBatch() else { return false }
        for mutation in batch.mutations { told.sent[mutation.id] = mutation.contentHash }
        try meanwhile()
        let answer = try server.push(batch, from: device)
        for mutation in batch.mutations {
            for (name, change) in mutation.changes {
                told.taken[FieldKey(record: mutation.record, name: name)] =
                    Told.Taken(value: change.value, mutation: mutation.id)
            }
        }
        for verdict in answer.results where verdict.status != .applied {
            throw Violation("the server took no part of it", "\(verdict.status)")
        }
        _ = try store.apply(answer, to: batch)
        return true
    }

    private func pull() throws {
        _ = try server.importAssignments([
            AssignmentRow(asset: "A2", form: Ground.form, due: "2026-04-30")
        ])
        while true {
            let page = try server.pull(store.pullRequest(), by: device)
            _ = try store.apply(page: page)
            if !page.hasMore { return }
        }
    }
}

/// Quiet moments come when the day says so.
///
/// Sendable because in a run one thread at a time is awake.
private final class PausesAtWill: @unchecked Sendable {
    private var now = Duration.zero
    private var waiting: [@Sendable () -> Void] = []

    var pauses: Pauses {
        Pauses(uptime: { [self] in now }, after: { [self] _, work in waiting.append(work) })
    }

    func pass() {
        now += .seconds(1)
        let due = waiting
        waiting = []
        for work in due { work() }
    }
}

extension DeviceStore {
    func inspectionIDs() throws -> [RecordID] {
        try read { database in
            try database.query(
                """
                SELECT id FROM record WHERE table_name = 'inspection' AND is_deleted = 0 ORDER BY id
                """
            ) { RecordID(try $0.text(0)) }
        }
    }
}
