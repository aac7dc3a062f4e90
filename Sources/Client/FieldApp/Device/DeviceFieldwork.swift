package import Coding
package import Crypto
package import Forms
package import Inspections
package import LocalStore
import Phrases
package import Replication
package import Sync
import Synchronization
package import TerminalKit
package import Vault

/// What the screen needs done, by the device's own vault, store and sync worker.
///
/// The home's lease is held as long as this value, also while the device is locked: another process
/// must not write what is still on the screen. Locked, there is neither key nor open store. Without the
/// lease, which another process has, everything can only be read, and nothing is synchronised.
package final class DeviceFieldwork: Fieldwork {
    private struct Opened: Sendable {
        let store: DeviceStore
        /// Nil where nothing can be written.
        let worker: SyncWorker?
        let network: NetworkObserver?
        let conditions: ConditionsObserver?
    }

    /// What outlives a lock.
    private struct Lasting: Sendable {
        /// What the last cycle proved.
        var digestsAgree: Bool?
        /// The network switch.
        var isOnline = true
        /// Nothing goes by itself just now.
        var isMetered = false
    }

    private let home: Home
    /// Nil to read only.
    private let lease: HomeLease?
    private let sources: StoreSources
    private let timing: Schedule.Timing
    private let bootNow: @Sendable () throws(VaultError) -> BootInstant
    private let post: @Sendable (AppMessage) -> Void
    private let keeper: (any SettingsKeeper)?
    private let version: String
    private let opened = Mutex<Opened?>(nil)
    private let lasting = Mutex(Lasting())

    /// - Parameters:
    ///   - timing: how soon a cycle follows what happens.
    ///   - keeper: of the settings of the screen; without one they hold until it goes.
    ///   - version: of the program.
    ///   - post: takes news of the worker, from any thread.
    package init(
        home: Home, lease: HomeLease?, sources: StoreSources,
        timing: Schedule.Timing = Schedule.Timing(),
        bootNow: @escaping @Sendable () throws(VaultError) -> BootInstant,
        keeper: (any SettingsKeeper)? = nil, version: String = "",
        post: @escaping @Sendable (AppMessage) -> Void
    ) {
        self.home = home
        self.lease = lease
        self.sources = sources
        self.timing = timing
        self.bootNow = bootNow
        self.post = post
        self.keeper = keeper
        self.version = version
    }

    // MARK: Lock

    package func unlock(_ pin: SecretBytes) throws(UnlockRefusal) {
        guard opened.withLock({ $0 == nil }) else { return }
        do {
            let vault = try SealedVault.load(home)
            let opening = try vault.open(pin, beside: KeyWitness(of: home), now: bootNow)
            let key = opening.key
            defer { key.erase() }
            // Where it cannot be, 'doctor' says so; the application has the key.
            if let lease { opening.keepTwice(lease: lease) }
            let store = try DeviceStore.open(
                home: home, key: key, access: lease.map { .writer($0) } ?? .reader,
                sources: sources)
            guard lease != nil else {
                let reading = Opened(store: store, worker: nil, network: nil, conditions: nil)
                return opened.withLock { $0 = reading }
            }
            let worker = try makeWorker(for: store)
            let network = NetworkObserver { event in
                if event == .appeared { worker.wake(.reconnected) }
            }
            let conditions = ConditionsObserver { [weak self] conditions in
                worker.note(conditions)
                self?.tell(conditions)
            }
            opened.withLock {
                $0 = Opened(
                    store: store, worker: worker, network: network, conditions: conditions)
            }
            if !lasting.withLock({ $0.isOnline }) { worker.setOnline(false) }
            worker.wake(.started)
        } catch {
            throw UnlockRefusal(error)
        }
    }

    private func makeWorker(for store: DeviceStore) throws -> SyncWorker {
        let worker = SyncWorker(
            replica: store, connect: { Wire.connect(store) }, timing: timing, now: sources.now,
            random: { bound in Int64.random(in: 0..<max(1, bound)) },
            report: { [weak self] in self?.tell($0) })
        do {
            worker.setBackground(on: try store.syncsInBackground())
        } catch {
            try store.close()
            throw error
        }
        return worker
    }

    package func lock() {
        let before = opened.withLock { opened in
            defer { opened = nil }
            return opened
        }
        guard let before else { return }
        before.network?.stop()
        lasting.withLock { $0.isMetered = false }
        before.worker?.stop()
        do {
            try before.store.close()
        } catch {
            // The key is erased with the store's last reference; here is only a file that stays open.
            post(.refused(.refresh, StoreRefusal(error)))
        }
        // Waits for a call on the bus that may be under way; the key is gone by then.
        before.conditions?.stop()
    }

    private var store: DeviceStore {
        get throws {
            guard let opened = opened.withLock({ $0 }) else { throw StoreError.closed }
            return opened.store
        }
    }

    /// Work on the store; its errors become what a person can be told.
    private func onStore<Result>(
        _ work: (DeviceStore) throws -> Result
    ) throws(StoreRefusal) -> Result {
        do {
            return try work(store)
        } catch {
            throw StoreRefusal(error)
        }
    }

    /// The same for an edit, which the worker then takes along.
    private func edit(_ work: (DeviceStore) throws -> Void) throws(StoreRefusal) {
        try onStore(work)
        opened.withLock { $0 }?.worker?.wake(.edited)
    }

    // MARK: Pictures

    package func worklist() throws(StoreRefusal) -> [WorklistRow] {
        try onStore { try $0.worklistRows() }
    }

    package func beginnings() throws(StoreRefusal) -> Beginnings {
        try onStore { try $0.beginnings() }
    }

    package func status() throws(StoreRefusal) -> StatusPicture {
        var picture = try onStore { try $0.statusPicture() }
        let lasting = lasting.withLock { $0 }
        picture.digestsAgree = lasting.digestsAgree
        picture.isMetered = lasting.isMetered
        return picture
    }

    package func inspection(_ id: RecordID) throws(StoreRefusal) -> InspectionPicture {
        var picture = try onStore { try $0.picture(of: id) }
        if lease == nil { picture.whyReadOnly = StoreError.readOnly.description }
        return picture
    }

    package func visits(before id: RecordID) throws(StoreRefusal) -> [Visit] {
        try onStore { try $0.visits(before: id, limit: Self.mostVisits) }
    }

    /// More than a chart has room for, and weekly visits of two years.
    private static let mostVisits = 100

    package func conflict(_ id: RecordID) throws(StoreRefusal) -> ConflictPicture? {
        try onStore { try $0.conflictPicture(of: id) }
    }

    // MARK: Edits

    package func answer(
        _ key: AnswerKey, _ value: FieldValue, on id: RecordID, agreed: Bool
    ) throws(StoreRefusal) -> InspectionPicture? {
        try edit { try $0.change(id, by: [.answer(key, value)], agreed: agreed) }
        // It is stored: that it cannot be read just now is told when the screen asks again.
        return try? inspection(id)
    }

    package func begin(
        form: String, version: String, equipment: RecordID?
    ) throws(StoreRefusal) -> RecordID {
        let id = try onStore {
            try $0.createInspection(form: form, version: version, asset: equipment)
        }
        opened.withLock { $0 }?.worker?.wake(.edited)
        return id
    }

    package func addRow(
        of path: String, in parent: String?, on id: RecordID
    ) throws(StoreRefusal) -> (row: String, picture: InspectionPicture?) {
        let row = try onStore { $0.newRowID() }
        try edit { try $0.change(id, by: [.add(row: row, path: path, parent: parent)]) }
        return (row, try? inspection(id))
    }

    package func deleteRow(
        _ row: String, on id: RecordID
    ) throws(StoreRefusal) -> InspectionPicture? {
        try edit { try $0.change(id, by: [.remove(row: row)], agreed: true) }
        return try? inspection(id)
    }

    package func raiseFinding(
        on key: AnswerKey, of id: RecordID
    ) throws(StoreRefusal) -> (finding: RecordID, picture: InspectionPicture?) {
        // The key may be pressed again before the picture shows what it has raised, or what the answer
        // before it has: it opens that.
        let finding = try onStore { store in
            try store.standingFinding(on: key, of: id) ?? store.raiseFinding(on: key, of: id)
        }
        opened.withLock { $0 }?.worker?.wake(.edited)
        return (finding, try? inspection(id))
    }

    package func changeFinding(
        _ finding: RecordID, by change: FindingChange, of id: RecordID
    ) throws(StoreRefusal) -> InspectionPicture? {
        try edit { try $0.changeFinding(finding, by: [change]) }
        return try? inspection(id)
    }

    package func removeFinding(
        _ finding: RecordID, of id: RecordID
    ) throws(StoreRefusal) -> InspectionPicture? {
        try edit { try $0.removeFinding(finding) }
        return try? inspection(id)
    }

    package func keepDraft(
        _ text: String?, of key: AnswerKey, on id: RecordID
    ) throws(StoreRefusal) {
        let record = key.record(in: id)
        try onStore { store in
            if let text {
                try store.saveDraft(text, of: key.path, in: record)
            } else {
                try store.discardDraft(of: key.path, in: record)
            }
        }
    }

    package func hold(_ paths: [String], of id: RecordID) throws(StoreRefusal) {
        try onStore { try $0.hold(paths, of: id) }
    }

    package func release(_ paths: [String], of id: RecordID) throws(StoreRefusal) {
        try onStore { try $0.release(paths, of: id) }
    }

    package func complete(_ id: RecordID) throws(StoreRefusal) {
        try edit { try $0.complete(id) }
    }

    package func reopen(_ id: RecordID) throws(StoreRefusal) {
        try edit { try $0.reopen(id) }
    }

    package func plannedMove(of id: RecordID) throws(StoreRefusal) -> MoveWords {
        MoveWords(try onStore { try $0.plannedMove(of: id) })
    }

    package func move(_ id: RecordID, to version: String) throws(StoreRefusal) {
        try edit { _ = try $0.move(id, to: version) }
    }

    package func resolve(
        _ id: RecordID, _ decisions: [String: Decision], shown: [String: FieldValue]
    ) throws(StoreRefusal) {
        try edit { try $0.resolve(id, decisions.mapValues(\.resolution), shown: shown) }
    }

    package func retry(_ id: MutationID) throws(StoreRefusal) {
        try edit { try $0.retry(id) }
    }

    package func discard(_ id: MutationID) throws(StoreRefusal) {
        try edit { try $0.discard(id) }
    }

    // MARK: Settings

    package func keep(_ setting: ScreenSetting, _ value: String?) throws(StoreRefusal) {
        try keeper?.keep(setting, value)
    }

    package func keep(_ key: KeyEvent, for command: Command) throws(StoreRefusal) {
        try keeper?.keep(key, for: command)
    }

    package func forgetKeys(of command: Command) throws(StoreRefusal) {
        try keeper?.forgetKeys(of: command)
    }

    package func setBackground(on isOn: Bool) throws(StoreRefusal) {
        try onStore { try $0.setBackgroundSync(on: isOn) }
        opened.withLock { $0 }?.worker?.setBackground(on: isOn)
    }

    package func examine() throws(StoreRefusal) -> [AboutLine] {
        try onStore { try DeviceAbout(of: $0, in: home, version: version).lines }
    }

    // MARK: Synchronisation

    package func syncNow() {
        guard lease != nil else {
            // What that one has stored meanwhile is shown, which is what was asked for.
            return post(.sync(.failed(say("the process that holds this home does that"))))
        }
        opened.withLock { $0 }?.worker?.wake(.demanded)
    }

    package func setNetwork(on: Bool) {
        lasting.withLock { $0.isOnline = on }
        opened.withLock { $0 }?.worker?.setOnline(on)
    }

    private func tell(_ conditions: DeviceConditions) {
        let hasChanged = lasting.withLock { lasting in
            defer { lasting.isMetered = conditions.isMetered }
            return lasting.isMetered != conditions.isMetered
        }
        if hasChanged { post(.sync(.changed)) }
    }

    private func tell(_ state: SyncState) {
        if case .resting(let report?) = state {
            lasting.withLock { $0.digestsAgree = report.outcome.digestsAgree ?? $0.digestsAgree }
        }
        if let news = SyncNews(state) { post(.sync(news)) }
    }
}

extension Decision {
    fileprivate var resolution: Resolution {
        switch self {
        case .mine: .mine
        case .theirs: .theirs
        case .edited(let value): .value(value)
        }
    }
}
