internal import Arguments
internal import Coding
internal import Crypto
internal import LocalStore
internal import Vault

/// Looks at everything that can be wrong with a device, and says what to do about it.
enum DoctorCommand {
    struct Finding {
        /// What was looked at.
        var name: String
        /// Nil when nothing is wrong.
        var trouble: Failure?
        /// What was seen, when nothing is wrong.
        var note = "in order"
    }

    static let entry = Entry(
        name: "doctor",
        summary: "Check home, keys, settings and system; say what is wrong and what to do.",
        discussion: """
            With --repair a damaged database is set aside, and a new one made from the journal: \
            everything that waits to be sent comes back, and 'walkdown sync' fetches the rest.
            """,
        options: [Repair.option, Repair.lastChange, MissingNote.option]
    ) { run in
        let findings = try examine(run)
        let troubles = findings.compactMap(\.trouble)
        try run.emit(document(of: findings)) { findings.map(line(for:)).joined() }
        return ExitCode.gravest(troubles.map(\.exitCode))
    }

    private static func examine(_ run: CommandRun) throws -> [Finding] {
        let home = try run.home()
        // Before the key slot: where a damaged one is repaired, it is looked at afterwards.
        let (store, opening) = try storeFindings(run)
        let memory = ProcessHardening.surroundings().map { weakness in
            Finding(name: "memory", trouble: Failure(.failed, words(for: weakness)))
        }
        return [
            check("home", note: home.directory) { try checkHome(home) },
            check("key slot") { try KeySlotLook(home: home, opening: opening).note() },
            check("settings") { try checkSettings(home) },
        ] + memory + store
    }

    private static func checkSettings(_ home: Home) throws -> String? {
        let config = ConfigFile.read(of: home.directory)
        guard config.troubles.isEmpty else {
            let count = counted(config.troubles.count, "thing is", "things are")
            throw Failure(
                .failed, "\(count) wrong in \(home.directory)/\(ConfigFile.name)",
                advice: config.told.joined(separator: "\n"))
        }
        return nil
    }

    private struct StoreLook {
        var broken: [String]
        var sizes: StoreSizes
        var status: StatusSummary
    }

    /// Opens the database only where a PIN can be had; without one the rest is still looked at.
    private static func storeFindings(
        _ run: CommandRun
    ) throws -> (findings: [Finding], opening: KeySlotLook.Opening) {
        let repair = try Repair(run)
        let acknowledges = run.invocation.has(MissingNote.option.name)
        let isReading = repair == nil && !acknowledges
        do {
            let unlocked = try run.unlock(for: isReading ? .reading : .writing)
            defer { unlocked.key.erase() }
            let findings = try storeFindings(
                unlocked, repairing: repair, acknowledges: acknowledges, run)
            return (findings, .opened(unlocked.opened))
        } catch VaultError.noPIN where isReading {
            let note = "not looked at: there is no PIN ('--pin-file')"
            return ([Finding(name: "database", note: note)], .none)
        } catch VaultError.notEnrolled where isReading {
            return ([Finding(name: "database", note: "none yet")], .none)
        } catch let error as VaultError where isAboutKeySlot(error) {
            return (
                [Finding(name: "database", note: "not looked at: nothing opens it")],
                .refused(error)
            )
        } catch {
            return (
                [Finding(name: name(of: error), trouble: Walkdown.renderer.failure(for: error))],
                .none
            )
        }
    }

    private static func storeFindings(
        _ unlocked: UnlockedHome, repairing repair: Repair?, acknowledges: Bool, _ run: CommandRun
    ) throws -> [Finding] {
        let repaired = repair.map { repair in
            check("repair") { try repair.perform(on: unlocked, run) }
        }
        let acknowledged =
            !acknowledges
            ? nil
            : check("acknowledged") { try MissingNote.acknowledge(on: unlocked, run) }
        let (database, status) = databaseFindings(unlocked, run)
        // One that is only behind is made good by what can be read.
        let isSound = database.allSatisfy { $0.trouble?.exitCode != .locked }
        let journal = check("journal") {
            try JournalLook(
                of: unlocked, besideSoundDatabase: isSound,
                isMissed: status?.isJournalGone ?? false
            ).note()
        }
        return [repaired, acknowledged].compactMap { $0 } + database + [journal]
    }

    /// A mistyped PIN says nothing of the database.
    private static func name(of error: any Error) -> String {
        switch error {
        case VaultError.wrongPIN, VaultError.wrongPINOfOne, VaultError.delayed,
            VaultError.unusablePIN:
            "PIN"
        default: "database"
        }
    }

    /// What is told of the key slot, and need not be told twice.
    private static func isAboutKeySlot(_ error: VaultError) -> Bool {
        switch error {
        case .damaged, .keyMissing, .unknownVersion, .otherKey: true
        default: false
        }
    }

    private static func databaseFindings(
        _ unlocked: UnlockedHome, _ run: CommandRun
    ) -> (findings: [Finding], status: StatusSummary?) {
        var look: StoreLook?
        let database = check("database", note: "in order, and the queue fits what is shown") {
            let found = try examineDatabase(of: unlocked, run)
            look = found
            guard found.broken.isEmpty else {
                throw Failure(
                    .locked,
                    counted(found.broken.count, "rule is", "rules are") + " broken",
                    advice: (found.broken + [WayBack.afterDatabase(of: unlocked, isReadable: true)])
                        .joined(separator: "\n"))
            }
            try requireUpToDate(found.status)
            return nil
        }
        guard let look else { return ([database], nil) }
        let findings =
            [database, Finding(name: "storage", note: look.sizes.sentence)]
            + look.status.revokedNotices.map { notice in
                Finding(name: "server", trouble: Failure(.revoked, notice))
            }
            + look.status.upgradeNotices.map { Finding(name: "upgrade", note: $0) }
            + Repair.words(for: look.status.newOffers).map { Finding(name: "offered", note: $0) }
            + look.status.keptNotices.map { Finding(name: "kept", note: $0) }
            + missingFindings(look.status)
        return (findings, look.status)
    }

    private static func missingFindings(_ status: StatusSummary) -> [Finding] {
        MissingNote.sentences(of: status).map { sentence in
            Finding(
                name: "missing",
                trouble: Failure(.failed, sentence, advice: MissingNote.advice))
        }
    }

    private static func requireUpToDate(_ status: StatusSummary) throws {
        let behind = status.behindJournal
        guard behind == 0 else {
            throw Failure(
                .failed,
                "the database lacks "
                    + counted(behind, "change that its journal has", "changes that its journal has"),
                advice: "The next command that writes brings that in, such as 'walkdown sync'.")
        }
    }

    private static func examineDatabase(
        of unlocked: UnlockedHome, _ run: CommandRun
    ) throws -> StoreLook {
        if let damage = try DeviceStore.damage(home: unlocked.home, key: unlocked.key) {
            throw Failure(
                .locked, "the database cannot be used: \(damage)",
                advice: WayBack.afterDatabase(of: unlocked))
        }
        let store = try DeviceStore.open(
            home: unlocked.home, key: unlocked.key, access: .reader, sources: run.storeSources)
        return try run.closing(store) { store in
            StoreLook(
                broken: try store.audit(), sizes: try store.sizes(),
                status: try store.status())
        }
    }

    private static func check(
        _ name: String, note: String = "in order", _ look: () throws -> String?
    ) -> Finding {
        do {
            return Finding(name: name, trouble: nil, note: try look() ?? note)
        } catch {
            return Finding(name: name, trouble: Walkdown.renderer.failure(for: error))
        }
    }

    private static func checkHome(_ home: Home) throws -> String? {
        // Where something stands without a key, that is told of the key.
        guard try home.isEnrolled || home.leftover() != nil else { throw VaultError.notEnrolled }
        let exposed = try home.filesOpenToOthers()
        guard exposed.isEmpty else {
            throw Failure(
                .failed, "other people may read " + exposed.joined(separator: ", "),
                advice: "'chmod -R go= \(home.directory)' closes them.")
        }
        return nil
    }

    private static func words(for weakness: ProcessHardening.Weakness) -> String {
        switch weakness {
        case .coreFilesPossible: "a crash could leave memory on the disk"
        case .readableByOthers: "other processes of the same person could read keys"
        case .memoryNotLockable: "keys cannot be locked in memory: raise RLIMIT_MEMLOCK"
        case .swapInUse: "swap is on: what the screen shows could be written to it"
        }
    }

    private static func document(of findings: [Finding]) -> JSON {
        let list = findings.map { finding -> JSON in
            [
                "name": .string(finding.name), "ok": .bool(finding.trouble == nil),
                "message": .string(finding.trouble?.sentence ?? finding.note),
                "advice": JSON(finding.trouble?.advice),
            ]
        }
        return ["ok": .bool(findings.allSatisfy { $0.trouble == nil }), "findings": .array(list)]
    }

    private static func line(for finding: Finding) -> String {
        let mark = finding.trouble == nil ? "ok     " : "wrong  "
        let advice = finding.trouble?.advice.map { "\n       \($0)" } ?? ""
        let text = finding.trouble?.sentence ?? finding.note
        return terminalSafe("\(mark)\(finding.name): \(text)\(advice)", keepingLines: true) + "\n"
    }
}

extension StoreSizes {
    /// What the store takes, and what of it goes by itself.
    fileprivate var sentence: String {
        "\(kilobytes(bytes)), of which \(kilobytes(freeBytes)) free;"
            + " \(counted(Int(records), "record", "records")), \(archived) of them archived;"
            + " kept for a time: \(acknowledged) acknowledged, \(history) in history,"
            + " \(log) in the log; last purge \(lastUpkeepUtc ?? "never")"
    }

    private func kilobytes(_ bytes: Int64) -> String { "\((bytes + 1023) / 1024) KiB" }
}
