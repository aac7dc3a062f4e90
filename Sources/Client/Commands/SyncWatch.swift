internal import Arguments
internal import Coding
internal import Dispatch
internal import FieldApp
internal import Foundation
internal import LocalStore
internal import Replication
internal import Sync
internal import Synchronization
internal import Vault

/// `walkdown sync --watch`: cycles one after the other until something ends it. The home's lease is
/// held all the time, so every edit is made by this process or while it does not run.
final class SyncWatch: Sendable {
    enum End: Sendable {
        case signal(Int32)
        /// `walkdown lock`.
        case locked
        /// The server revoked this device.
        case revoked
        /// Whoever reads the lines has gone, or the disk that takes them is full.
        case output(OutputError)
    }

    private struct Sum: Sendable {
        var cycles = 0
        var pushed = 0
        var pulled = 0
        var last: CycleReport?
        var isBackgroundOn = true
        var conditions = DeviceConditions()
    }

    private let run: CommandRun
    private let sum = Mutex(Sum())
    private let end = Mutex<End?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    static func run(_ run: CommandRun) throws -> ExitCode {
        let watch = SyncWatch(run)
        let end = try run.withStore(for: .writing) { try watch.keepOn(with: $0) }
        return try watch.finish(end)
    }

    private init(_ run: CommandRun) { self.run = run }

    /// Returns when it is over: no cycle runs any more, and what was in flight waits again.
    private func keepOn(with store: DeviceStore) throws -> End {
        // They stay blocked: the program is about to end.
        let signals = try EndSignals()
        signals.tell { [weak self] number in
            self?.finish(by: number == LockSignal.number ? .locked : .signal(number))
        }
        defer { signals.stopTelling() }
        // Told at once, and not with each cycle, where enrolment's data cannot be read.
        _ = try store.transport()
        let isOn = try store.syncsInBackground()
        sum.withLock { $0.isBackgroundOn = isOn }
        if !isOn { line(BackgroundSync.askedFor) }
        let worker = SyncWorker(
            replica: store, connect: { Wire.connect(store) },
            now: run.surroundings.now,
            random: { bound in Int64.random(in: 0..<max(1, bound)) },
            report: { [weak self] in self?.tell($0) })
        let network = NetworkObserver { [weak self] event in
            self?.tell(event)
            if event == .appeared { worker.wake(.reconnected) }
        }
        let conditions = ConditionsObserver { [weak self] in
            self?.tell($0)
            worker.note($0)
        }
        worker.wake(.started)
        isOver.wait()
        network?.stop()
        worker.stop()
        conditions.stop()
        return end.withLock { $0 } ?? .locked
    }

    /// The first reason counts.
    private func finish(by reason: End) {
        let isFirst = end.withLock { end in
            guard end == nil else { return false }
            end = reason
            return true
        }
        if isFirst { isOver.signal() }
    }

    // MARK: Words

    private func tell(_ state: SyncState) {
        if case .moving(let progress) = state { return line(progress.words) }
        guard case .resting(let report?) = state else { return }
        sum.withLock { sum in
            sum.cycles += 1
            sum.pushed += report.pushed
            sum.pulled += report.pulled
            sum.last = report
        }
        line("pushed \(report.pushed), pulled \(report.pulled): \(report.watchWord)")
        if case .refused(let refusal) = report.outcome, refusal.kind == .revoked {
            finish(by: .revoked)
        }
    }

    private func tell(_ event: RouteWatch.Event) {
        line(event == .appeared ? "the network is there" : "the network is gone")
    }

    private func tell(_ conditions: DeviceConditions) {
        let before = sum.withLock { sum in
            defer { sum.conditions = conditions }
            return sum.conditions
        }
        if before.isMetered != conditions.isMetered {
            line(
                conditions.isMetered
                    ? "the connection is metered: nothing goes by itself"
                    : "the connection is not metered")
        }
        if before.isBatteryLow != conditions.isBatteryLow {
            line(
                conditions.isBatteryLow
                    ? "the battery is low: cycles are rarer" : "the battery is not low")
        }
    }

    /// A line an event, with its time; none where a document is wanted at the end.
    private func line(_ words: String) {
        guard !run.wantsJSON else { return }
        let now = SyncTimestamp.text(run.surroundings.now())
        do throws(OutputError) {
            try run.console.writeLine("\(now)  \(terminalSafe(words))")
        } catch {
            finish(by: .output(error))
        }
    }

    private func finish(_ end: End) throws -> ExitCode {
        let sum = sum.withLock { $0 }
        if case .output(let error) = end { throw error }
        if run.wantsJSON { try run.emit(document(of: sum)) { "" } }
        switch end {
        case .signal(let number): throw EndedBySignal(number: number)
        case .locked: throw Failure(.locked, "told to lock")
        case .revoked, .output:
            if let failure = sum.last?.failure { run.say(failure) }
            return .revoked
        }
    }

    private func document(of sum: Sum) -> JSON {
        let last = sum.last ?? CycleReport(outcome: .cancelled)
        let document = last.json(background: sum.isBackgroundOn)
        guard case .object(var members) = document else { return document }
        members["cycles"] = .integer(Int64(sum.cycles))
        members["pushed"] = .integer(Int64(sum.pushed))
        members["pulled"] = .integer(Int64(sum.pulled))
        return .object(members)
    }
}

extension CycleReport {
    /// How a cycle ended, in a few words.
    fileprivate var watchWord: String {
        if let failure { return failure.sentence }
        guard needsPerson else { return "synced" }
        return "synced; \(conflicts) in conflict, \(failed) failed, \(inReview) in review"
    }
}
