import Foundation
import LocalStore
import Replication
import Vault

/// Damage of a device's files while its program is down, and the way back that `walkdown doctor
/// --repair` takes.
///
/// What has to hold: with one of the two damaged, the database or the journal, nothing that waited is
/// lost. With both damaged, what only the damaged part of the journal said may be lost, and nothing
/// else is allowed: the device goes on, and all of it comes to rest.
final class HomeDamage {
    private unowned let world: World
    private var damaged: [Int: Extent] = [:]
    /// Journals as they were once, for the mutant.
    private var oldJournals: [Int: String] = [:]

    enum Extent {
        case journal, database, both
    }

    init(_ world: World) { self.world = world }

    // MARK: The damage

    func happen(_ fault: Fault) throws {
        let running = world.devices.filter { $0.isUp && !$0.disk.hasStopped }
        guard !running.isEmpty else { return }
        let device = world.incidentDice.pick(running)
        let isBoth =
            fault == .databaseDamage && world.faults.isPlanned(.journalDamage)
            && world.incidentDice.oneIn(2)
        stop(device)
        let files = HomeFiles(device.home, spare: world.spareFile)
        if world.mutant == .staleJournal, try !putBackJournal(of: device) { return }
        if fault == .journalDamage || isBoth { try files.damageJournal(&world.incidentDice) }
        var extent = Extent.journal
        // Without a journal that says whose it is nothing can be made anew, and nothing is touched.
        if fault == .databaseDamage, try device.secondCopy().knowsDevice {
            try files.damageDatabase(&world.incidentDice)
            extent = isBoth ? .both : .database
            // What it may not know any more it may make twice.
            if isBoth { device.noteCopy() }
            world.forgetCursor(of: device)
        }
        damaged[device.index] = extent
        world.tell("of the home of \(device.node) is damaged: \(extent)")
        world.startLater(device)
    }

    /// The program is closed, or it is killed and leaves everything as it stands.
    private func stop(_ device: Handheld) {
        if world.incidentDice.oneIn(2) {
            device.nextEnd = .crash
            device.disk.stop(after: 0)
        }
        device.end()
        device.disk.start()
        device.disk.settle()
    }

    /// The mutant's journal: not what was written last, but what was there when a device was hit first.
    /// - Returns: whether there is such a one.
    private func putBackJournal(of device: Handheld) throws -> Bool {
        let files = HomeFiles(device.home, spare: world.spareFile)
        if let old = oldJournals[device.index] {
            try files.replaceJournal(by: old)
            return true
        }
        let folder = world.spareFile + "-journal-\(device.index)"
        try files.copyJournal(to: folder)
        oldJournals[device.index] = folder
        world.startLater(device)
        return false
    }

    // MARK: The way back

    /// Before the program starts. May be interrupted like everything else.
    func repair(_ device: Handheld) throws {
        guard damaged[device.index] != nil else { return }
        if world.faults.isPlanned(.crash), !world.faults.isOver, world.incidentDice.oneIn(3) {
            device.nextEnd = .crash
            device.disk.stop(after: world.incidentDice.below(300))
        }
        guard let made = try device.repair() else { return }
        world.tell(
            "the database of \(device.node) is made anew: \(made.restored) changes, \(made.lost)"
                + " entries lost")
    }

    /// After the start: a person decides what is offered.
    func settle(_ device: Handheld) throws {
        guard let extent = damaged[device.index], let store = device.store else { return }
        let offered = try store.offeredChanges()
        if offered.isEmpty {
            try checkJournal(device, store)
        } else {
            guard try decide(offered, device, store) else { return }
            if isTaken { try noteTaken(offered, device, store) }
        }
        damaged[device.index] = nil
        // A database that has lost its log is an older one: until the next pull it shows what was
        // confirmed then. What waits stands in the journal, and is shown.
        if extent != .journal {
            device.ledger.forgetShown(exceptOf: try store.waitingValues())
            device.questions.forget()
        }
        if extent != .database || !isTaken {
            for record in offered.map(\.record) { try restart(record, device, store) }
        }
        if extent == .both {
            for record in device.ledger.records { try restart(record, device, store) }
        }
    }

    private var isTaken = false

    /// - Returns: false where the device stopped in the middle of it.
    private func decide(
        _ offered: [OfferedChange], _ device: Handheld, _ store: DeviceStore
    ) throws -> Bool {
        isTaken = !world.incidentDice.oneIn(3)
        do {
            if isTaken { try store.takeOffered() } else { try store.leaveOffered() }
        } catch {
            guard device.disk.hasStopped || world.isFull(device) else { throw error }
            for record in offered.map(\.record) { device.ledger.doubt(record) }
            return false
        }
        world.tell(
            "\(device.node) \(isTaken ? "takes" : "leaves") \(offered.count) offered changes: "
                + offered.map { "\($0)" }.joined(separator: "; "))
        return true
    }

    /// Who takes what was entered once may take it over something later.
    private func noteTaken(
        _ offered: [OfferedChange], _ device: Handheld, _ store: DeviceStore
    ) throws {
        let waiting = try store.waitingValues()
        for change in offered {
            device.questions.forget(change.record)
            for name in change.fields {
                let key = FieldKey(record: change.record, name: name)
                device.ledger.replace(key, by: waiting[key])
            }
        }
    }

    private func restart(_ record: RecordID, _ device: Handheld, _ store: DeviceStore) throws {
        device.ledger.restart(
            record, waiting: try store.waitingValues())
    }

    /// After each opening the journal says again what waits.
    private func checkJournal(_ device: Handheld, _ store: DeviceStore) throws {
        // Where there is no room it is written anew later.
        guard !device.disk.hasStopped, !world.isFull(device) else { return }
        let copy = try device.secondCopy()
        let waiting = try store.outbox().count
        guard copy.lost == 0, copy.isUndecided || copy.waiting == waiting else {
            throw Violation(
                "the journal is not what waits",
                "\(device.node): \(copy.waiting) of \(waiting), \(copy.lost) lost")
        }
    }
}

/// The files of a home that nobody has opened.
struct HomeFiles {
    private let home: Home
    private let spare: String

    init(_ home: Home, spare: String) {
        self.home = home
        self.spare = spare
    }

    // MARK: Damage

    func damageJournal(_ dice: inout Dice) throws {
        let segments = try names(in: home.journal).filter { $0.hasSuffix(".journal") }
        guard let newest = segments.last else { return }
        switch dice.below(4) {
        case 0:
            try change(home.journal + "/" + dice.pick(segments)) { bytes in
                flip(&bytes, below: Self.used(bytes), &dice)
            }
        case 1:
            // What was written last never reached the disk.
            try change(home.journal + "/" + newest) { bytes in
                let end = Self.used(bytes)
                let start = max(0, end - 1 - dice.below(3_000))
                for place in start..<end { bytes[place] = 0 }
            }
        case 2:
            try change(home.journal + "/" + newest) { bytes in
                bytes.removeLast(bytes.count - dice.below(max(1, Self.used(bytes))))
            }
        default: try remove(home.journal + "/" + dice.pick(segments))
        }
    }

    func damageDatabase(_ dice: inout Dice) throws {
        let log = home.database + "-wal"
        if FileManager.default.fileExists(atPath: log), dice.oneIn(2) {
            // Whoever loses the log has the database of the last checkpoint.
            if dice.oneIn(2) { return try remove(log) }
            return try change(log) { $0.removeLast(dice.below($0.count + 1)) }
        }
        switch dice.below(6) {
        case 0: try change(home.database) { flip(&$0, below: $0.count, &dice) }
        case 1, 2:
            let isFlipped = dice.oneIn(2)
            try change(home.database) { bytes in
                let page = dice.below(max(1, bytes.count / 4096)) * 4096
                for place in page..<min(bytes.count, page + 4096) {
                    bytes[place] = isFlipped ? bytes[place] ^ 0x5A : 0
                }
            }
        case 3: try change(home.database) { $0.removeLast(1 + dice.below($0.count)) }
        case 4: try change(home.database) { $0 = [] }
        default: try remove(home.database)
        }
    }

    private func flip(_ bytes: inout [UInt8], below end: Int, _ dice: inout Dice) {
        guard end > 0 else { return }
        for _ in 0...dice.below(3) { bytes[dice.below(end)] ^= UInt8(1 + dice.below(255)) }
    }

    /// A segment is made full of zeros.
    private static func used(_ bytes: [UInt8]) -> Int { (bytes.lastIndex { $0 != 0 } ?? -1) + 1 }

    // MARK: Files

    func copyJournal(to folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for name in try names(in: home.journal) {
            try Disk.copy(home.journal + "/" + name, to: folder + "/" + name)
        }
    }

    func replaceJournal(by folder: String) throws {
        for name in try names(in: home.journal) { try remove(home.journal + "/" + name) }
        for name in try names(in: folder) {
            try Disk.copy(folder + "/" + name, to: home.journal + "/" + name)
        }
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Past the disk that the run watches: nobody wrote this.
    private func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
        guard let content = FileManager.default.contents(atPath: path) else { return }
        var bytes = [UInt8](content)
        body(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: spare))
        try Disk.copy(spare, to: path)
    }
}
