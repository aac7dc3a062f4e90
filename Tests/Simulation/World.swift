import Coding
import LocalStore
import Replication
import SQLite
import ServerStore
import Sync

/// One run: a server, some devices, the people, and everything between them, by one seed.
final class World {
    let timeline = Timeline()
    let story: Story
    let mutant: Mutant?
    let oracle: Oracle
    let server: SimServer
    private(set) var devices: [Handheld] = []
    private(set) lazy var network = Network(self, seed: networkSeed)
    private let networkSeed: UInt64
    var dice: Dice
    var faults: FaultPlan
    /// Counts what people do, so that edits can be told apart and put in order.
    private(set) var eventNumber = 0
    /// Inspections that people pick from.
    let crowd: Int
    private let operations: Int
    private let isCareful: Bool
    private let serverClock: SimClock
    private let ground: Ground
    private let fibers: [Fiber]
    /// Of what came to the simulation later: the runs of before stay what they were.
    var incidentDice: Dice
    private lazy var incidents = Incidents(self)
    /// What the office has imported, which it keeps elsewhere as well.
    var assignments: [AssignmentRow] = []
    private(set) var isServerFull = false
    private var full: Set<Int> = []
    var cursors: [Int: CursorWatch] = [:]

    init(
        seed: UInt64, ground: Ground, fibers: [Fiber], _ options: Options, keepsStory: Bool
    ) throws {
        isCareful = options.isCareful
        self.ground = ground
        self.fibers = fibers
        var dice = Dice(seed: seed)
        incidentDice = Dice(seed: ~seed)
        mutant = options.mutant
        story = Story(isKept: keepsStory, in: ground.folder)
        faults = FaultPlan(
            dice: &dice,
            incidents: options.hasIncidents || !options.faults.isEmpty ? incidentDice.split() : nil,
            only: options.faults)
        let count = dice.pick([2, 2, 3, 3, 3, 4, 5, 6, 8, 10])
        operations = dice.within(200...500)
        crowd = dice.pick([1, 2, 3, 6, 12])
        try ground.prepare(devices: 0..<count)
        oracle = Oracle(mutant: options.mutant, seed: dice.next())
        serverClock = SimClock(timeline)
        server = SimServer(ground: ground, clock: serverClock, seed: dice.next())
        networkSeed = dice.next()
        self.dice = dice.split()
        for index in 0..<count {
            devices.append(
                try Handheld(
                    index, of: index, ground: ground, fiber: fibers[index], world: self,
                    seed: dice.next()))
        }
        if keepsStory { oracle.tell = { [unowned self] in tell($0) } }
        tell("seed \(seed): \(count) devices, \(operations) operations; " + faultWords)
    }

    private var faultWords: String { faults.names.joined(separator: " ") }

    func tell(_ line: @autoclosure () -> String) { story.tell(timeline.now, line()) }

    func strikes(_ fault: Fault) -> Bool { faults.strikes(fault, &dice) }

    func isFull(_ device: Handheld) -> Bool { full.contains(device.index) }

    // MARK: The run

    /// - Throws: `Violation` where a check does not hold.
    func run() throws {
        defer { endAll() }
        try server.start()
        if let reader = server.reader { try oracle.begin(reader) }
        for device in devices { try device.start() }
        try live()
        tell("from here on nothing goes wrong any more")
        try Quiescence(self).reach()
    }

    private func endAll() {
        for device in devices { device.end() }
        server.end()
    }

    private func live() throws {
        for _ in 0..<operations {
            try advance(pause())
            beginEvent()
            try incidents.happen()
            switch dice.below(60) {
            case 0...4: try actInOffice()
            case 5: try meet()
            default: try actOnDevice()
            }
            try collectTheDead()
            if isCareful { try checkAll() }
        }
    }

    /// What comes from now on is newer than what came.
    func beginEvent() {
        eventNumber += 1
        oracle.eventNumber = eventNumber
    }

    /// People work in bursts.
    private func pause() -> Int64 {
        switch dice.below(20) {
        case 0: Int64(dice.within(20_000...240_000))
        case 1...3: Int64(dice.within(1_000...8_000))
        default: Int64(dice.within(10...400))
        }
    }

    /// Lets virtual time pass.
    func advance(_ span: Int64) throws {
        let end = timeline.now + span
        while try timeline.step(until: end) {
            try collectTheDead()
            if isCareful { try checkAll() }
        }
    }

    private func checkAll() throws {
        for device in devices where !device.disk.hasStopped { try check(device) }
    }

    private func actOnDevice() throws {
        let device = dice.pick(devices)
        guard let store = device.store else { return }
        try trouble(device)
        try Inspector(device: device, store: store, world: self).act()
        if dice.oneIn(16), !device.disk.hasStopped { try check(device) }
    }

    /// Everybody enters the same field of the same inspection.
    private func meet() throws {
        for device in devices where dice.oneIn(2) {
            guard let store = device.store else { continue }
            try Inspector(device: device, store: store, world: self).meet()
        }
    }

    func actInOffice() throws {
        guard let store = server.store else { return }
        try Office(server, store, world: self).act()
        store.waitUntilIdle()
    }

    /// The supervisor's word is the last about an edit, also where the server ended behind it.
    func noteDecisions() throws {
        guard let reader = server.reader else { return }
        for key in try oracle.newDecisions(reader) {
            for index in devices.indices { devices[index].ledger.forgetShown(key) }
        }
    }

    // MARK: Troubles of a device

    private func trouble(_ device: Handheld) throws {
        if strikes(.crash) { stopSoon(device, .crash) }
        if strikes(.powerCut) { stopSoon(device, .powerCut) }
        if strikes(.busy), !device.disk.hasStopped {
            try device.hold()
            timeline.after(Int64(dice.within(10...4_000))) { device.release() }
        }
        if strikes(.diskFull), full.insert(device.index).inserted {
            tell("the disk of \(device.node) is full")
            device.disk.fill(true)
            timeline.after(Int64(dice.within(500...60_000))) { [self] in makeRoom(device) }
        }
        if strikes(.clockStep) {
            device.clock.skew = dice.pick(SimClock.steps)
            tell("the clock of \(device.node) is set by \(device.clock.skew / 1000) s")
        }
        if strikes(.closedApplication) { close(device) }
    }

    /// What a crash left may still be only in the memory of the machine when its power goes.
    private func endsAgain(_ fault: Fault) -> Bool {
        faults.isPlanned(fault) && !faults.isOver && dice.oneIn(4)
    }

    private func makeRoom(_ device: Handheld) {
        full.remove(device.index)
        device.disk.fill(false)
    }

    private func stopSoon(_ device: Handheld, _ end: Handheld.End) {
        device.nextEnd = end
        device.disk.stop(after: dice.oneIn(3) ? 0 : dice.below(120))
    }

    /// After this the device's store is closed; the caller's operation does not happen.
    private func close(_ device: Handheld) {
        guard device.isUp, !device.disk.hasStopped else { return }
        timeline.after(0) { [self] in
            guard device.isUp, !device.disk.hasStopped else { return }
            tell("\(device.node) is closed")
            device.end()
            startLater(device)
        }
    }

    func startLater(_ device: Handheld) {
        timeline.after(Int64(dice.within(500...60_000))) { [self] in try start(device) }
    }

    func start(_ device: Handheld) throws {
        guard !device.isUp else { return }
        // Closing can be what a machine stops in.
        if device.disk.hasStopped { reviveDisk(device) }
        do {
            try incidents.repair(device)
            try device.start()
        } catch {
            guard device.disk.hasStopped || isFull(device) else { throw error }
            tell("\(device.node) cannot start: \(error)")
            device.end()
            return startLater(device)
        }
        guard let store = device.store else { return }
        tell("\(device.node) starts")
        try incidents.settle(device)
        device.ledger.settleUnclear(waiting: try store.waitingValues())
        try check(device)
        if endsAgain(.powerCut) {
            device.nextEnd = .powerCut
            device.disk.stop(after: dice.below(4))
        }
    }

    // MARK: Incidents

    /// A path that is on no machine's disk.
    var spareFile: String { ground.folder + "/run/spare" }

    /// The device's copy of the server's records begins anew, or is an older one.
    func forgetCursor(of device: Handheld) { cursors[device.index] = nil }

    var hasRoomForCopy: Bool {
        let copies = devices.filter { $0.index != $0.account }.count
        return copies < Ground.mostCopies && devices.count < fibers.count
    }

    /// Another machine with a copy of a device's home.
    func addCopy(of original: Handheld) throws -> Handheld {
        try ground.copyHome(of: original.index, to: devices.count)
        let copy = try Handheld(
            devices.count, of: original.account, ground: ground, fiber: fibers[devices.count],
            world: self, seed: incidentDice.next())
        devices.append(copy)
        return copy
    }

    // MARK: Ends

    func collectTheDead() throws {
        for device in devices where device.isUp && device.disk.hasStopped { bury(device) }
        if server.isUp, server.disk.hasStopped { buryServer() }
    }

    private func bury(_ device: Handheld) {
        device.end()
        reviveDisk(device)
        startLater(device)
    }

    /// What a stopped machine finds on its disk when it comes back.
    private func reviveDisk(_ device: Handheld) {
        tell("\(device.node) is gone: \(device.nextEnd)")
        if device.nextEnd == .powerCut {
            device.disk.cutPower(seed: dice.next())
            cursors[device.index] = nil
        }
        device.disk.start()
    }

    private func buryServer() {
        server.end()
        if isServerPowerCut { server.disk.cutPower(seed: dice.next()) }
        tell("the server is gone: \(isServerPowerCut ? "power" : "crash")")
        server.disk.start()
        timeline.after(Int64(dice.within(500...30_000))) { [self] in try startServer() }
    }

    private var isServerPowerCut = false

    private func startServer() throws {
        guard !server.isUp else { return }
        do {
            try server.start()
        } catch is SQLiteError where isServerFull {
            server.end()
            timeline.after(5_000) { [self] in try startServer() }
            return tell("the server cannot start on a full disk")
        }
        tell("the server starts")
        if let reader = server.reader { try oracle.checkCommitted(reader) }
        try noteDecisions()
        if endsAgain(.serverPowerCut) {
            isServerPowerCut = true
            server.disk.stop(after: dice.below(4))
        }
    }

    /// A request at the server's door.
    func reachServer(_ call: WireCall, by index: Int) throws -> WireAnswer? {
        guard server.isUp else { return nil }
        // The copies of others would hide that a device has forgotten its own.
        if mutant == .acknowledgedForgotten, call.path.hasSuffix("/copies") {
            return .failure(404, "not_found")
        }
        if strikes(.serverCrash) { stopServerSoon(power: false) }
        if strikes(.serverPowerCut) { stopServerSoon(power: true) }
        if strikes(.serverDiskFull), !isServerFull {
            isServerFull = true
            server.disk.fill(true)
            timeline.after(Int64(dice.within(500...20_000))) { [self] in makeRoomOnServer() }
        }
        if strikes(.clockStep) { setServerClock() }
        let answer = try server.answer(call, from: devices[index], oracle)
        tell(
            "node-\(index) \(call.path.split(separator: "?")[0].split(separator: "/").last ?? ""):"
                + " \(answer.map { "\($0.status)" } ?? "nothing")")
        return server.disk.hasStopped ? nil : answer
    }

    /// What was settled 30 days ago by its clock can be offered no more.
    private func setServerClock() {
        let step = dice.pick(SimClock.steps)
        let isLong = abs(step) > 7 * 86_400_000
        serverClock.skew = isLong && faults.isPlanned(.serverRestore) ? 0 : step
    }

    /// On the server, where it is looked at how long something may be on its way back.
    func letAMonthPass() {
        tell("a month passes")
        serverClock.skew += 31 * 86_400_000
    }

    private func makeRoomOnServer() {
        isServerFull = false
        server.disk.fill(false)
    }

    private func stopServerSoon(power: Bool) {
        isServerPowerCut = power
        server.disk.stop(after: dice.below(40))
    }

    // MARK: Peace

    /// Nothing goes wrong any more, and what went wrong is mended.
    func makePeace() throws {
        faults.end()
        if server.isUp { server.disk.stop(after: nil) }
        makeRoomOnServer()
        serverClock.skew = 0
        if !server.isUp { try startServer() }
        try incidents.makePeace()
        for device in devices {
            device.disk.stop(after: nil)
            makeRoom(device)
            device.release()
            device.conditions.heal()
            if device.isUp { device.wake(.reconnected) } else { try start(device) }
        }
    }
}
