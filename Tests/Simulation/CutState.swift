import Coding
import Crypto
import LocalStore
import Replication
import SQLite
import Vault

/// A home after the power came back, held against what was told before it went.
struct CutState {
    let home: Home
    let key: SecretBytes
    let told: Told

    /// - Returns: whether the database had to be made anew.
    /// - Throws: `Violation`, or what keeps the store from opening.
    func run() throws -> Bool {
        let lease = try HomeLease.acquire(home)
        let ids = DiceBox(seed: 97)
        let sources = StoreSources(
            now: { Ground.morning }, newID: { UUIDText.version4(random: ids.bytes(16)) },
            pauses: Pauses(uptime: { .zero }, after: { _, _ in }))
        let isDamaged = try DeviceStore.damage(home: home, key: key) != nil
        if isDamaged {
            _ = try DeviceStore.rebuild(home: home, key: key, lease: lease, sources: sources)
        }
        let store = try DeviceStore.open(
            home: home, key: key, access: .writer(lease), sources: sources)
        do {
            try check(store, isWhole: !isDamaged)
            try store.close()
        } catch {
            // The check's error is the one to tell.
            try? store.close()
            throw error
        }
        return isDamaged
    }

    private func check(_ store: DeviceStore, isWhole: Bool) throws {
        let broken = try store.audit()
        guard broken.isEmpty else { throw Violation("the audit found something", "\(broken)") }
        let waiting = try store.waitingValues()
        try checkNothingLost(waiting)
        for (key, value) in waiting where !key.name.hasPrefix("@") {
            guard told.saved[key] == value || told.unclear[key] == value else {
                throw Violation("a change that is no longer one", "\(key.name) of \(key.record)")
            }
        }
        if isWhole { try checkShown(store) }
        try checkSending(store)
        let copy = try DeviceStore.secondCopy(home: home, key: key)
        guard copy.lost == 0 else { throw Violation("the journal has holes", "\(copy.lost)") }
    }

    private func checkNothingLost(_ waiting: [FieldKey: FieldValue]) throws {
        for (key, value) in told.saved where told.taken[key]?.value != value {
            guard let found = waiting[key], found == value || found == told.unclear[key] else {
                throw Violation("an edit is lost", "\(key.name) of \(key.record)")
            }
        }
    }

    private func checkShown(_ store: DeviceStore) throws {
        let shown = try store.read { database in
            try database.query("SELECT record_id, name, value FROM field") { row in
                (
                    FieldKey(record: RecordID(try row.text(0)), name: try row.text(1)),
                    try row.fieldValue(2)
                )
            }
        }
        let values = Dictionary(shown) { first, _ in first }
        for (key, value) in told.saved {
            guard let found = values[key], found == value || found == told.unclear[key] else {
                throw Violation("a saved answer is not shown", "\(key.name) of \(key.record)")
            }
        }
    }

    /// What goes out now: a mutation that was sent is the same one, and no answer goes a second time
    /// under another id.
    private func checkSending(_ store: DeviceStore) throws {
        _ = try store.recoverInFlight()
        while let batch = try store.sealBatch() {
            for mutation in batch.mutations { try check(mutation) }
        }
    }

    private func check(_ mutation: Mutation) throws {
        if let sent = told.sent[mutation.id], sent != mutation.contentHash {
            throw Violation("a sent mutation has changed", "\(mutation.id)")
        }
        for (name, change) in mutation.changes where !name.hasPrefix("@") {
            let taken = told.taken[FieldKey(record: mutation.record, name: name)]
            guard let taken, taken.value == change.value, taken.mutation != mutation.id else {
                continue
            }
            throw Violation("an answer goes twice", "\(name) of \(mutation.record)")
        }
    }
}
