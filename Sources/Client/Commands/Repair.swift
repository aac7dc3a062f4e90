internal import Arguments
internal import LocalStore
internal import Vault

/// `walkdown doctor --repair`: a new database in the place of a damaged one, and the decision about a
/// change of which nobody knows whether it was saved.
struct Repair {
    static let option = Option(
        "repair", help: "Make a damaged database anew from the journal.")
    static let lastChange = Option(
        "last-change", value: "WHAT", allowed: [Decision.take, .leave].map(\.rawValue),
        help:
            "With --repair: take a change that was not yet saved when the device stopped, or leave it."
    )

    enum Decision: String {
        case take, leave
    }

    private let decision: Decision?

    /// Nil where nothing is to be repaired.
    init?(_ run: CommandRun) throws {
        decision = run.invocation.value(Self.lastChange.name).flatMap(Decision.init)
        guard run.invocation.has(Self.option.name) else {
            guard decision == nil else {
                throw Failure(.usage, "'--last-change' goes with '--repair'")
            }
            return nil
        }
    }

    /// - Returns: what was done.
    func perform(on unlocked: UnlockedHome, _ run: CommandRun) throws -> String {
        guard let lease = unlocked.lease else { throw StoreError.readOnly }
        var done: [String] = []
        if try isDamaged(unlocked, lease, run) {
            let rebuilding = try DeviceStore.rebuild(
                home: unlocked.home, key: unlocked.key, lease: lease, sources: run.storeSources)
            done += Self.words(for: rebuilding)
        }
        let store = try DeviceStore.open(
            home: unlocked.home, key: unlocked.key, access: .writer(lease),
            sources: run.storeSources)
        done += try run.closing(store, after: decide)
        return done.isEmpty ? "there was nothing to repair" : done.joined(separator: "; ")
    }

    /// Whole pages are not enough: what stands in them must also fit together. Opened for writing, because
    /// a store of an earlier version has to be brought up to date first.
    private func isDamaged(
        _ unlocked: UnlockedHome, _ lease: HomeLease, _ run: CommandRun
    ) throws -> Bool {
        guard try DeviceStore.damage(home: unlocked.home, key: unlocked.key) == nil else {
            return true
        }
        do {
            let store = try DeviceStore.open(
                home: unlocked.home, key: unlocked.key, access: .writer(lease),
                sources: run.storeSources)
            return try run.closing(store) { try !$0.audit().isEmpty }
        } catch let error as StoreError {
            if case .damaged = error { return true }
            guard error.isDamage else { throw error }
            return true
        }
    }

    private func decide(_ store: DeviceStore) throws -> [String] {
        let offered = try store.offeredChanges()
        guard !offered.isEmpty else { return [] }
        switch decision {
        case .take:
            try store.takeOffered()
            return [counted(offered.count, "change", "changes") + " more waits to be sent"]
        case .leave:
            try store.leaveOffered()
            return [counted(offered.count, "change", "changes") + " let go"]
        case nil: return [Self.words(for: offered)]
        }
    }

    private static func words(for rebuilding: Rebuilding) -> [String] {
        var words = [
            "the database is made anew with "
                + counted(rebuilding.restored, "waiting change", "waiting changes")
                + ", and 'walkdown sync' fetches the rest"
        ]
        if rebuilding.lost > 0 {
            words.append(
                counted(rebuilding.lost, "entry", "entries") + " of the journal could not be read")
        }
        if let file = rebuilding.setAside.first {
            words.append("the damaged database is \(file)")
        }
        return words
    }

    static func words(for offered: [OfferedChange]) -> String {
        let changes = offered.map { change in
            let fields = change.fields.filter { !$0.hasPrefix("@") }.joined(separator: " ")
            return "\(change.table) \(change.record)" + (fields.isEmpty ? "" : ": \(fields)")
        }
        return "a change was not yet saved when the device stopped ("
            + changes.joined(separator: ", ")
            + "): 'walkdown doctor --repair --last-change take' makes it now, 'leave' lets it go"
    }
}
