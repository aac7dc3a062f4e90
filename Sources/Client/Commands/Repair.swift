internal import Arguments
internal import Coding
internal import LocalStore
internal import Vault

/// `walkdown doctor --repair`: a new database in the place of a damaged one, and the decision about a
/// change of which nobody knows whether it was saved.
struct Repair {
    static let option = Option(
        "repair", help: "Make a damaged database anew from the journal.")
    static let lastChange = Option(
        "last-change", value: "WHAT", allowed: Decision.allCases.map(\.rawValue),
        help:
            "With --repair: show, take or leave a change that the journal has and the database has not."
    )

    enum Decision: String, CaseIterable {
        case show, take, leave
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
        var done = [KeySlotLook.mended(unlocked.opened)].compactMap { $0 }
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
        case .show: return try Self.words(for: offered) + values(in: store)
        case nil: return Self.words(for: offered)
        }
    }

    /// Answers, because somebody asked for them.
    private func values(in store: DeviceStore) throws -> [String] {
        try store.offeredValues().map { value in
            "\(value.record) \(value.field): offered \(value.offered.words),"
                + " shown \(value.shown.words)"
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
        if rebuilding.unreadableFiles > 0 {
            words.append(
                counted(rebuilding.unreadableFiles, "file", "files")
                    + " of the journal could not be read, and what waited in it is missing")
        }
        if rebuilding.isTorn { words.append(tornWords) }
        if let file = rebuilding.setAside.first {
            words.append("the damaged database is \(file)")
        }
        return words
    }

    static let tornWords =
        "the journal's last entry is cut, as when the device stops before a change is saved"

    /// What is offered, by why nobody knows whether it counts.
    static func words(for offered: [OfferedChange]) -> [String] {
        OfferedChange.Doubt.allCases.compactMap { doubt -> String? in
            let changes = offered.filter { $0.doubt == doubt }
            guard !changes.isEmpty else { return nil }
            let names = changes.map(name(of:)).joined(separator: ", ")
            return "\(words(for: doubt)) (\(names)): 'walkdown doctor --repair --last-change show'"
                + " shows the values, 'take' makes the journal's the newest, 'leave' lets them go"
        }
    }

    private static func name(of change: OfferedChange) -> String {
        let fields = change.fields.filter { !$0.hasPrefix("@") }.joined(separator: " ")
        return "\(change.table) \(change.record)" + (fields.isEmpty ? "" : ": \(fields)")
    }

    private static func words(for doubt: OfferedChange.Doubt) -> String {
        switch doubt {
        case .unsaved: "a change was not yet saved when the device stopped"
        case .unknown:
            "the journal's last change may have been saved; only the damaged database knew"
        case .otherwise:
            "the database was changed past Walkdown, and the journal has other values, perhaps older"
        }
    }
}

extension FieldValue {
    fileprivate var words: String { isNull ? "nothing" : plainText }
}
