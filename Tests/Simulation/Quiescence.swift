import LocalStore
import Replication
import SQLite
import ServerStore
import Sync

/// The end of a run: nothing goes wrong any more, so everything comes to rest, first by itself and
/// then with people who decide what waits for them.
struct Quiescence {
    private let world: World

    init(_ world: World) { self.world = world }

    func reach() throws {
        try world.makePeace()
        try waitForCycles()
        try synchroniseAll()
        let checks = FinalChecks(world)
        try checks.run(isDecided: false)
        try decideEverything()
        try checks.run(isDecided: true)
    }

    /// No trigger from outside: the schedules alone have to bring every device to *synced*.
    private func waitForCycles() throws {
        let peace = world.timeline.now
        for _ in 0..<240 {
            try world.advance(30_000)
            let waiting = world.devices.filter { !isSynced($0, since: peace) }
            if waiting.isEmpty { return }
        }
        for device in world.devices where !isSynced(device, since: peace) {
            throw Violation(
                "a device does not come to rest",
                "\(device.node): \(device.lastReport?.outcome.label ?? "no cycle"),"
                    + " \(device.cycles) cycles, up: \(device.isUp), in a cycle: \(device.isSyncing)"
            )
        }
    }

    private func isSynced(_ device: Handheld, since instant: Int64) -> Bool {
        device.isUp && !device.isSyncing && device.lastBegan >= instant
            && device.lastReport?.outcome == .synced
    }

    /// Rounds of cycles until a whole one changes nothing.
    private func synchroniseAll() throws {
        for _ in 0..<8 {
            let before = try state()
            for device in world.devices { try synchronise(device) }
            if try state() == before { return }
        }
        throw Violation("synchronising does not end", "eight rounds changed something each")
    }

    private func synchronise(_ device: Handheld) throws {
        let cycles = device.cycles
        device.wake(.demanded)
        for _ in 0..<200 {
            if device.cycles > cycles, !device.isSyncing { break }
            try world.advance(500)
        }
        guard device.lastReport?.outcome == .synced else {
            throw Violation(
                "a device is not synchronised",
                "\(device.node): \(device.lastReport?.outcome.label ?? "no cycle")")
        }
    }

    private func state() throws -> [String] {
        let position =
            try world.server.reader?.first("SELECT value FROM counter WHERE name = 'position'") {
                try $0.integer(0)
            }
        return try ["\(position ?? 0)"]
            + world.devices.flatMap { device in
                try device.store?.outbox().map { "\($0.mutationId) \($0.status)" } ?? []
            }
    }

    /// All that is left is for records that are not here, or behind such a change, perhaps without having
    /// been sent. Whoever made the record could bring it back for so long; then a person decides.
    private func isAwaited(_ rest: [OutboxRow]) -> Bool {
        let awaiting = Set(
            rest.filter { $0.lastError == "waits for its record" }.map(\.recordId))
        return !awaiting.isEmpty
            && rest.allSatisfy {
                $0.status == "PENDING"
                    && ($0.lastError?.hasPrefix("waits for ") == true
                        || awaiting.contains($0.recordId))
            }
    }

    /// People empty their queues. Giving one thing up may bring the next to light.
    private func decideEverything() throws {
        for round in 0..<12 {
            for device in world.devices {
                guard let store = device.store else { continue }
                if try !store.offeredChanges().isEmpty { try store.leaveOffered() }
                let inspector = Inspector(device: device, store: store, world: world)
                // Deciding one row may take others along.
                while let row = try store.outbox().first(where: {
                    ["CONFLICT", "FAILED"].contains($0.status)
                }) {
                    let what = try inspector.decide(row, mayRetry: false)
                    world.tell("\(device.node) \(what)")
                }
            }
            if let store = world.server.store {
                try Office(world.server, store, world: world).decideAll()
                store.waitUntilIdle()
            }
            try synchroniseAll()
            let rest = try world.devices.flatMap { try $0.store?.outbox() ?? [] }
            if rest.isEmpty { return }
            if round > 2, isAwaited(rest) { world.letAMonthPass() }
        }
        for device in world.devices {
            guard let row = try device.store?.outbox().first else { continue }
            throw Violation(
                "something waits for ever",
                "\(device.node): \(row.operation) of \(row.recordId) \(row.status)"
                    + " \(row.lastError ?? "")")
        }
    }
}
