import Coding
import Crypto
import LocalStore
import Replication
import SQLite
import Sync
import Vault

/// A device: its store on a disk that fails, its clock, the schedule of its cycles, and the thread
/// in which a cycle runs.
final class Handheld {
    enum End {
        /// The process is gone; what it wrote is there.
        case crash
        /// What it had not synchronised may be gone too.
        case powerCut
    }

    let index: Int
    /// Whose token it has: another one's, where its home is a copy of that one's.
    let account: Int
    /// Under which the run speaks of it; also its first node, where it is no copy.
    let node: NodeID
    let disk: Disk
    let clock: SimClock
    let home: Home
    private let key: SecretBytes
    private let lease: HomeLease
    private let sources: StoreSources
    private let fiber: Fiber
    private unowned let world: World
    private(set) var store: DeviceStore?
    private(set) var schedule = Schedule()
    private var armed = 0
    /// The cycle is to end: the application is being closed, or the machine has stopped.
    private(set) var isEnding = false
    var nextEnd = End.crash
    private var ended: Cycle.Result?
    private(set) var lastReport: CycleReport?
    /// Of the last cycle that ended: when it began.
    private(set) var lastBegan: Int64 = -1
    private var began: Int64 = 0
    private(set) var cycles = 0
    /// Mutations of a batch: with few of them a short queue is several batches.
    private let batchSize: Int
    /// How long it lets a network that is back settle, beside what all devices wait.
    private var jitter: Dice
    /// The server took it for a copy of itself, of which there is none here.
    private(set) var wasTakenForCopy = false
    /// A push of its came once more or late, which may look like a copy.
    private(set) var mayLookCopied = false
    private(set) var hasTwin = false
    /// What goes again to a restored server goes in an order of its own: until it is *synced* with that
    /// one, a repetition of its may look like a copy.
    var meetsRestoredServer = false
    /// The call under way, counted, and its outcome.
    private(set) var call = 0
    private var outcome: TransportOutcome?
    /// Another process's connection; it stays until the device ends.
    private var holder: Connection?
    private(set) var isHeld = false
    /// The wait that the store keeps for a restart.
    private var keptFloor: Int64?
    var ledger = Ledger()
    var questions = Questions()
    /// Its database was made from the journal: until it has pulled there are no forms.
    private(set) var isMadeAnew = false
    /// The version that it runs.
    var program = Program.current
    var conditions = Conditions()

    init(
        _ index: Int, of account: Int, ground: Ground, fiber: Fiber, world: World, seed: UInt64
    ) throws {
        self.index = index
        self.account = account
        self.fiber = fiber
        self.world = world
        node = Ground.node(index)
        speaksAs = Ground.node(account)
        key = ground.key
        home = ground.home(index)
        disk = Disk(folder: home.directory)
        if world.mutant == .normalSynchronous { disk.skipLogs() }
        lease = try HomeLease.acquire(home)
        var dice = Dice(seed: seed &+ 1)
        batchSize = dice.pick([2, 3, 5, 10, PushRequest.mostMutations])
        jitter = Dice(seed: seed &+ 2)
        let (clock, ids) = (SimClock(world.timeline), DiceBox(seed: seed))
        self.clock = clock
        sources = StoreSources(
            now: { clock.now }, newID: { UUIDText.version4(random: ids.bytes(16)) },
            pauses: Pauses(
                uptime: { .milliseconds(clock.uptime) },
                after: { pause, work in clock.after(pause, work) }))
    }

    var isUp: Bool { store != nil }

    /// The node under which it goes on, where it had to part from a copy.
    private(set) var speaksAs: NodeID
    var isSyncing: Bool { fiber.isActive }

    // MARK: Life

    func start() throws {
        store = try DeviceStore.open(
            home: home, key: key, access: .writer(lease), sources: sources,
            migrations: program.migrations(world.mutant))
        var timing = Schedule.Timing()
        timing.interval = 300_000
        keptFloor = try store?.retryFloor()
        schedule = Schedule(timing: timing, floor: keptFloor)
        isEnding = false
        noteNode()
        wake(.started)
    }

    /// A new node may have been taken by a cycle that then failed. What cannot be read now is noted with
    /// the next one.
    private func noteNode() {
        guard let node = try? store?.position().node else { return }
        speaksAs = node
    }

    /// Ends a running cycle and the program.
    func end() {
        isEnding = true
        while fiber.isActive { answer(call, .fault(.cancelled)) }
        ended = nil
        release()
        // The last connection tidies up when it is closed, and that is the store's.
        try? holder?.close()
        holder = nil
        // On a stopped disk closing fails, as nothing of it would happen in a crash.
        try? store?.close()
        store = nil
        armed += 1
    }

    /// Another process takes the lock of the database for a moment.
    func hold() throws {
        guard !isHeld, isUp else { return }
        let other = try holder ?? openHolder()
        do {
            try other.execute("BEGIN IMMEDIATE")
            isHeld = true
        } catch {
            guard disk.hasStopped else { throw error }
        }
    }

    private func openHolder() throws -> Connection {
        let other = try key.withBytes { key in
            try Connection.open(home.database, mode: .readWrite, key: key)
        }
        holder = other
        return other
    }

    func release() {
        guard isHeld else { return }
        isHeld = false
        // A stopped disk refuses this too; the lock goes with the connection.
        try? holder?.execute("ROLLBACK")
    }

    /// As `walkdown doctor --repair` does it, while the program is down.
    /// - Returns: nil where the database is whole.
    func repair() throws -> Rebuilding? {
        guard try isDamaged else { return nil }
        isMadeAnew = true
        return try DeviceStore.rebuild(home: home, key: key, lease: lease, sources: sources)
    }

    /// Whole pages are not enough: what stands in them must also fit together.
    private var isDamaged: Bool {
        get throws {
            guard try DeviceStore.damage(home: home, key: key) == nil else { return true }
            do {
                let store = try DeviceStore.open(
                    home: home, key: key, access: .writer(lease), sources: sources,
                    migrations: program.migrations(world.mutant))
                let faults = Result { try store.audit() }
                try store.close()
                return try !faults.get().isEmpty
            } catch StoreError.damaged {
                return true
            }
        }
    }

    func secondCopy() throws -> SecondCopy { try DeviceStore.secondCopy(home: home, key: key) }

    /// As the version before this one would have left the home, while the program is down.
    func takeToPreviousSchema() throws -> Bool {
        let connection = try key.withBytes { key in
            try Connection.open(home.database, mode: .readWrite, key: key)
        }
        let isDone = Result { try connection.takeBackNewestMigrations() }
        try connection.close()
        return try isDone.get()
    }

    /// What the mutants do that keep nothing of what was acknowledged, or of deletions.
    func forgetAcknowledged(only operation: String = "%") throws {
        try tamper(
            """
            DELETE FROM __sync_outbox
            WHERE status = 'ACKNOWLEDGED' AND operation LIKE '\(operation)'
            """)
    }

    /// What the mutant does whose decisions know nothing of what was shown.
    func forgetShown(of record: RecordID) throws {
        try tamper(
            """
            UPDATE __sync_outbox_field SET base_version = 0
            WHERE name <> '@deleted' AND seq_id IN (
                SELECT seq_id FROM __sync_outbox
                WHERE record_id = '\(record)' AND status = 'PENDING' AND sealed = 0)
            """)
    }

    private func tamper(_ sql: String) throws {
        let other = try key.withBytes { key in
            try Connection.open(home.database, mode: .readWrite, key: key)
        }
        try other.execute(sql)
        try other.close()
    }

    // MARK: Cycles

    func wake(_ reason: Schedule.Wake) {
        schedule.wake(reason, now: clock.now) { [self] in Int64(jitter.below(Int($0))) }
        arm()
    }

    /// Sets the one timer to when the schedule wants it. A clock that was set counts from the next
    /// look on, as in the real worker.
    private func arm() {
        armed += 1
        let number = armed
        guard isUp, !isSyncing, let delay = schedule.delay(now: clock.now) else { return }
        world.timeline.after(delay) { [self] in
            if number == armed { runCycle() }
        }
    }

    private func runCycle() {
        guard let store, !fiber.isActive else { return }
        schedule.begin()
        began = world.timeline.now
        cycles += 1
        world.tell("\(node) begins to synchronise")
        noteNode()
        let replica: any Replica =
            world.mutant == .acknowledgeByRow ? AcknowledgingByRow(store) : store
        let cycle = Cycle(
            replica: replica, transport: Line(self), batchesOf: batchSize,
            shouldStop: { [unowned self] in isEnding })
        fiber.start { [self] in ended = cycle.run() }
        settleCycle()
    }

    /// What the worker does when a cycle is over.
    private func settleCycle() {
        guard !fiber.isActive, let result = ended, let store, !isEnding else { return }
        ended = nil
        lastReport = result.report
        wasTakenForCopy = wasTakenForCopy || result.report.hasNewNode && !meetsRestoredServer
        if result.report.outcome == .synced { meetsRestoredServer = false }
        lastBegan = began
        world.tell("\(node) is done: \(result.report.outcome.label)")
        schedule.ended(
            result.report.outcome, madeProgress: result.madeProgress, now: clock.now,
            random: { [world] in Int64(world.dice.below(Int($0))) })
        // Notes for people: a cycle is over also where they cannot be written.
        try? store.note(result.report, at: clock.now)
        if schedule.backoff.floor != keptFloor {
            keptFloor = schedule.backoff.floor
            try? store.keepRetryFloor(keptFloor)
        }
        arm()
    }

    // MARK: The line

    func noteDoubt(_ call: WireCall) {
        if call.path.hasSuffix("/push") { mayLookCopied = true }
    }

    /// From here on there is another one of the same past, whose changes look like one's own.
    func noteCopy() {
        mayLookCopied = true
        hasTwin = true
        questions.forget()
    }

    /// Its home is a copy of that one's.
    func live(on original: Handheld) {
        original.noteCopy()
        noteCopy()
        program = original.program
        isMadeAnew = original.isMadeAnew
        ledger = original.ledger
        ledger.copyUnclear()
    }

    /// Called by the cycle, in its own thread. Whatever it does meanwhile, it does while the call is
    /// under way: the server may have committed before, and the process may end in the middle.
    fileprivate func send(_ wire: WireCall, meanwhile work: () -> Void = {}) -> TransportOutcome {
        guard !isEnding, !disk.hasStopped else { return .fault(.cancelled) }
        call += 1
        outcome = nil
        if let node = wire.node { speaksAs = node }
        world.network.carry(program.speaking(wire), from: self, number: call)
        work()
        fiber.suspend()
        return outcome ?? .fault(.cancelled)
    }

    /// The outcome of a call, unless it has had one.
    func answer(_ number: Int, _ result: TransportOutcome) {
        guard number == call, fiber.isActive, outcome == nil else { return }
        outcome = result
        fiber.resume()
        settleCycle()
    }
}

/// What holds for a device's line for a while, in virtual time.
struct Conditions {
    var silentUntil: Int64 = -1
    var deafUntil: Int64 = -1
    var strangerUntil: Int64 = -1

    mutating func heal() { self = Conditions() }
}

/// A device's way to its server.
///
/// Sendable because in a run one thread at a time is awake: fibers and the store's queues hand over.
private final class Line: Transport, @unchecked Sendable {
    private unowned let device: Handheld

    init(_ device: Handheld) { self.device = device }

    func send(_ call: WireCall) -> TransportOutcome { device.send(call) }
    func send(_ call: WireCall, meanwhile work: () -> Void) -> TransportOutcome {
        device.send(call, meanwhile: work)
    }
    func disconnect() {}
    func cancel() {}
}
