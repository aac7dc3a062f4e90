internal import Arguments
internal import Coding
internal import Glibc
internal import LocalStore
internal import Replication
internal import Sync
internal import Synchronization
internal import Vault

/// The second half: what goes wrong, and that nothing comes of it.
extension Tour {
    func lostAnswer() throws {
        let id = try inspection(4)
        let before = try exported(id)?.version ?? 0
        try set([("notes", .string("door ajar, closed it"))], id, on: world.device)
        let report = try sync(world.device) { AnswerLoser($0) }
        try check(!report.isComplete, "a cycle without an answer called itself complete")
        try equal(report.waiting, OutboxCounts(pending: 1), "the queue after the lost answer")
        try equal(
            try exported(id)?.answers["notes"], .string("door ajar, closed it"),
            "notes on the server, which has committed")
        try tell("the server has it, the device does not know, and keeps it waiting")
        let again = try sync(world.device)
        try equal(again.pushed, 1, "mutations pushed the second time")
        try equal(try exported(id)?.version, before + 1, "version: applied once")
        try syncAll()
        try nothingPending(world.device)
        try tell("sent again, recognised: one effect, version \(before + 1), queue empty")
    }

    func killed() throws {
        let ids = try (5...8).map { try inspection($0) }
        let versions = try ids.map { try exported($0)?.version ?? 0 }
        let text = FieldValue.string("frost behind the panel")
        for id in ids { try set([("notes", text)], id, on: world.device) }
        try world.device.lock()
        world.relay.keepAnswers(true)
        let child = try ChildProcess(
            ProgramFolder.path + "/walkdown",
            [
                "sync", "--home", world.device.home.directory, "--pin-file",
                world.device.pinFile,
            ])
        let isCommitted = try waitUntil { try exported(ids[0])?.answers["notes"] == text }
        child.send(SIGKILL)
        let status = child.wait()
        world.relay.keepAnswers(false)
        try check(isCommitted, "the push did not reach the server")
        try equal(status, 128 + SIGKILL, "how the process ended")
        try tell("killed -9 between the server's commit and its answer")
        try world.device.unlock()
        let counts = try world.device.opened().outboxCounts()
        try equal(counts.pending + counts.inFlight, 4, "changes that the device still holds")
        try syncAll()
        for (id, version) in zip(ids, versions) {
            try everywhere("notes", of: id, is: text)
            try equal(try exported(id)?.version, version + 1, "version: applied once")
        }
        try nothingPending(world.device)
        try tell("started again: four changes, nothing lost, nothing twice")
    }

    /// Asks every few milliseconds, for three quarters of a minute at most.
    private func waitUntil(_ holds: () throws -> Bool) throws -> Bool {
        let end = world.now() + 45_000
        while world.now() < end {
            if try holds() { return true }
            usleep(20_000)
        }
        return false
    }

    func refusedWrite() throws {
        let id = try inspection(9)
        let store = try world.device.opened()
        let failures = Mutex<[String]>([])
        let screen = OptimisticStore(store) { _, outcome in
            if case .failed(let error) = outcome { failures.withLock { $0.append("\(error)") } }
        }
        try screen.open(id)
        screen.edit([("temperature_c", .integer(4))], on: id)
        screen.flush()
        let shown = screen.edit([("temperature_c", .integer(9_000))], on: id)
        try equal(shown["temperature_c"], .integer(9_000), "shown at once")
        screen.edit([("notes", .string("thermometer checked"))], on: id)
        screen.flush()
        try equal(failures.withLock { $0.count }, 1, "failed writes")
        try equal(screen.shown(id)["temperature_c"], .integer(4), "shown after the refusal")
        try equal(
            try value("temperature_c", of: id, on: world.device), .integer(4), "stored")
        try equal(
            try value("notes", of: id, on: world.device), .string("thermometer checked"),
            "the edit after it")
        try equal(try store.audit(), [], "the store's own audit")
        try syncAll()
        try everywhere("temperature_c", of: id, is: .integer(4))
        try tell("9,000 °C was shown, refused, and is gone; the edit after it stayed")
    }

    func equalDigests() throws {
        try syncAll()
        let mine = try world.device.opened().digests().filter { $0.value != SiteDigest() }
        let theirs = try world.colleague.opened().digests().filter { $0.value != SiteDigest() }
        try equal(mine, theirs, "digests")
        try check(mine.count >= 3, "digests of only \(mine.count) sites")
        for device in [world.device, world.colleague] {
            try nothingPending(device)
            try equal(try device.opened().audit(), [], "audit")
        }
        try tell("\(mine.count) digests, equal on both devices and the server; nothing pending")
    }
}

/// Lets the first push through and keeps its answer.
private final class AnswerLoser: Transport {
    private let inner: any Transport
    private let isDone = Atomic<Bool>(false)

    init(_ inner: any Transport) { self.inner = inner }

    func send(_ call: WireCall) -> TransportOutcome {
        let outcome = inner.send(call)
        guard call.method == .post, !isDone.exchange(true, ordering: .relaxed) else {
            return outcome
        }
        return .fault(.interrupted)
    }

    func disconnect() { inner.disconnect() }
    func cancel() { inner.cancel() }
}
