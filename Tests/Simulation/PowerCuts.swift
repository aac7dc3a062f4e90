import Foundation
import LocalStore
import Replication
import SQLite
import ServerStore
import Vault

/// One day of a device in which the power may go before each of its writes: what was called saved is
/// there afterwards, nothing is there twice, and the store opens or is made anew from its journal.
///
/// The day happens twice, once to count its writes. The second time, before each write, some copies of
/// the home become what the disk could hold then, and each of them is opened.
final class PowerCuts {
    private let ground: Ground
    private let mutant: Mutant?
    private let states: Int
    private var dice: Dice
    private var writes = 0
    private var expected = 0
    private(set) var tried = 0
    /// Of these so many had to be made anew.
    private(set) var rebuilt = 0
    private(set) var failures: [String] = []
    private var day: CutDay?
    private var disk: Disk?

    private static let device = 0
    private static let mostFailures = 20

    init(_ options: Options, states: Int) throws {
        mutant = options.mutant
        self.states = states
        dice = Dice(seed: options.start)
        ground = try Ground(mutant: options.mutant)
    }

    func run() throws {
        defer { ground.remove() }
        try live { $0.countWrite() }
        expected = writes
        writes = 0
        try live { $0.tryStates() }
    }

    var writesOfADay: Int { expected }

    /// - Parameter beforeWrite: on the thread that writes.
    private func live(_ beforeWrite: @escaping (PowerCuts) -> Void) throws {
        try ground.prepare(devices: Self.device..<Self.device + 1)
        defer { Disk.forgetAll() }
        let disk = Disk(folder: ground.home(Self.device).directory)
        if mutant == .normalSynchronous { disk.skipLogs() }
        let watcher = DiskWatcher { [unowned self] in beforeWrite(self) }
        disk.watch(watcher)
        self.disk = disk
        let day = try CutDay(ground, device: Self.device)
        self.day = day
        defer { self.day = nil }
        try day.live()
        disk.watch(nil)
        withExtendedLifetime(watcher) {}
    }

    private func countWrite() { writes += 1 }

    /// As many at each write that all of them together are as many as wanted.
    private func tryStates() {
        let (before, after) = (share(writes), share(writes + 1))
        writes += 1
        for _ in before..<max(before, after) where failures.count < Self.mostFailures {
            tryState(seed: dice.next())
        }
    }

    private func share(_ number: Int) -> Int {
        min(states, number * states / max(1, expected))
    }

    private func tryState(seed: UInt64) {
        // Before the day begins only the opening of the store has written.
        guard let disk else { return }
        tried += 1
        do {
            let home = try copy()
            disk.lose(in: home.directory, seed: seed)
            let check = CutState(home: home, key: ground.key, told: day?.told ?? Told())
            if try check.run() { rebuilt += 1 }
        } catch {
            failures.append("before write \(writes) of the day, seed \(seed): \(error)")
        }
    }

    /// The files as they are, without the index of the log, which is memory.
    private func copy() throws -> Home {
        let (home, target) = (ground.home(Self.device), Home(ground.folder + "/cut"))
        let files = FileManager.default
        // Nothing is there the first time.
        try? files.removeItem(atPath: target.directory)
        try target.prepare()
        try files.createDirectory(atPath: target.journal, withIntermediateDirectories: true)
        for suffix in ["", "-wal"] where files.fileExists(atPath: home.database + suffix) {
            try Disk.copy(home.database + suffix, to: target.database + suffix)
        }
        for name in try files.contentsOfDirectory(atPath: home.journal) {
            try Disk.copy(home.journal + "/" + name, to: target.journal + "/" + name)
        }
        return target
    }
}
