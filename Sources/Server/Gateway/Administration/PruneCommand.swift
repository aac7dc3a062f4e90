import Arguments
import Coding
import Dispatch
import ServerStore

enum PruneCommand {
    static let entry = Administration(
        name: "prune",
        summary: "Remove tombstones that every device has heard of; serve does it daily.",
        options: [
            Option(
                "trust-clock",
                help: "The machine's clock is right, however long the server was away.")
        ]
    ) { session, invocation, console in
        if invocation.has("trust-clock") { try session.store.trustClock() }
        let report = try session.store.prune()
        let devices = try names(of: report.waitsFor, session)
        if invocation.has("json") {
            let document: JSON = [
                "pruned": .integer(report.pruned), "waiting": .integer(report.waiting),
                "waitsFor": .array(
                    devices.map { ["id": .string($0.id), "name": .string($0.name)] }),
            ]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine("\(report.pruned) pruned, \(report.waiting) waiting")
            for device in devices {
                try console.writeLine("waits for \(terminalSafe(device.name))")
            }
        }
        return .done
    }

    private static func names(of ids: [String], _ session: Session) throws -> [Device] {
        guard !ids.isEmpty else { return [] }
        return try session.store.devices().filter { ids.contains($0.id) }
    }
}

/// Prunes the store soon after the start and then once a day, until it is stopped.
final class DailyPruning: Sendable {
    private let stopped = DispatchSemaphore(value: 0)
    private let queue = DispatchQueue(label: "walkdown.pruning")

    init(
        _ store: any Store, log: Log, first: DispatchTimeInterval = .seconds(60),
        interval: DispatchTimeInterval = .seconds(86_400)
    ) {
        queue.async { [stopped] in
            var wait = first
            while stopped.wait(timeout: .now() + wait) == .timedOut {
                DailyPruning.prune(store, log)
                wait = interval
            }
        }
    }

    /// Waits for a pruning that is at work.
    func stop() {
        stopped.signal()
        queue.sync {}
    }

    /// What fails today is done tomorrow; nothing is lost by a tombstone more.
    private static func prune(_ store: any Store, _ log: Log) {
        do {
            let report = try store.prune()
            log.event(
                "pruned",
                ["tombstones": .integer(report.pruned), "waiting": .integer(report.waiting)])
        } catch {
            log.event("pruning_failed", level: "error", ["reason": .string("\(error)")])
        }
    }
}
