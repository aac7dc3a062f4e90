import Arguments
import Coding
import ServerStore

#if canImport(Glibc)
    import Glibc
#endif

/// `walkdownd backup` and `walkdownd restore`. Both run where they are called: a backup reads only,
/// and a restore is for a server that is down.
enum BackupCommands {
    static func all(_ environment: @escaping @Sendable (String) -> String?) -> [Command] {
        [
            Command(
                "backup", summary: "Copy the database into one new file; also beside a server.",
                discussion: "The certificates and keys of the data folder are not in it: keep "
                    + "copies of them too.",
                positionals: [Positional("FILE")]
            ) { try backUp($0, $1, environment) },
            Command(
                "restore", summary: "Put a backup in the database's place; the server is down.",
                discussion: "Begins a new epoch: each device offers again what the backup does not "
                    + "have; what was done in the office since is to be done again. The replaced "
                    + "database stays beside it.",
                positionals: [Positional("FILE")]
            ) { invocation, console in
                try Restore(invocation, environment).run(json: invocation.has("json"), console)
            },
        ]
    }

    private static func backUp(
        _ invocation: Invocation, _ console: Console, _ environment: (String) -> String?
    ) throws -> ExitCode {
        let folder = try DataFolder(option: invocation.value("data"), environment: environment)
        try folder.requireThere()
        let file = invocation.operand("FILE")
        guard access(file, F_OK) != 0 else {
            throw Failure(.failed, "\(file) is there already; nothing was written")
        }
        let parent = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
        guard access(parent, W_OK) == 0 else { throw SmallFile.failed("write", file) }
        let report = try SQLiteStore.backUp(folder.database, to: file)
        if invocation.has("json") {
            let document: JSON = [
                "file": .string(file), "bytes": .integer(report.bytes),
                "serverEpoch": .integer(report.epoch),
            ]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine("\(report.bytes) bytes in \(terminalSafe(file))")
        }
        console.say(
            "The certificates and keys in \(folder.path) are not in it; without them no device "
                + "believes a restored server.")
        return .done
    }
}

/// Takes a backup into a data folder. The copy is made ready under a working name and renamed at the
/// end: a crash leaves the old database, or the new one, or says that there is none.
private struct Restore {
    let folder: DataFolder
    let backup: String
    private var incoming: String { folder.file("server.db.restoring") }

    init(_ invocation: Invocation, _ environment: (String) -> String?) throws(Failure) {
        folder = try DataFolder(option: invocation.value("data"), environment: environment)
        backup = invocation.operand("FILE")
    }

    func run(json: Bool, _ console: Console) throws -> ExitCode {
        try requireFolder()
        try requireBackup()
        let lock = try FolderLock(folder)
        defer { withExtendedLifetime(lock) {} }
        let restored: RestoreReport
        let kept: String?
        do {
            removeIncoming()
            try SmallFile.copy(backup, to: incoming)
            let replaced = settleReplaced(console)
            restored = try SQLiteStore.prepareRestored(
                incoming, named: backup, replacing: replaced?.epoch,
                keeping: replaced?.doors ?? ClosedDoors(),
                adopting: replaced?.devices ?? LaterDevices(), .live)
            kept = try DatabaseExchange(folder.database).take(incoming)
        } catch {
            removeIncoming()
            throw error
        }
        try SmallFile.synchronise(folder.path)
        try report(restored, kept, json: json, console)
        return .done
    }

    /// The certificates that devices know are here; the database may be lost.
    private func requireFolder() throws(Failure) {
        guard folder.isThere || access(folder.authorityKey, F_OK) == 0 else {
            throw Failure(
                .failed, "there is no server in \(folder.path)",
                advice: "Bring back its certificates and keys first, or make new ones with "
                    + "'walkdownd init --data \(folder.path)'.")
        }
    }

    private func requireBackup() throws(Failure) {
        guard access(backup, R_OK) == 0 else { throw SmallFile.failed("read", backup) }
        var log = stat()
        guard stat(backup + "-wal", &log) != 0 || log.st_size == 0 else {
            throw Failure(
                .validation, "\(backup) is in use, or was never closed; it is no backup",
                advice: "Make one with 'walkdownd backup'.")
        }
    }

    /// A database that is damaged is put aside as it is: nothing in it is lost by that.
    private func settleReplaced(_ console: Console) -> Replaced? {
        guard folder.isThere else {
            console.say(Self.doorsUnknown)
            return nil
        }
        do {
            return Replaced(
                epoch: try SQLiteStore.settle(folder.database),
                doors: try SQLiteStore.closedDoors(of: folder.database),
                devices: laterDevices(console))
        } catch {
            console.say(
                "The database that is replaced cannot be read; it is kept all the same: "
                    + Walkdownd.renderer.failure(for: error).sentence)
            console.say(Self.doorsUnknown)
            return nil
        }
    }

    /// Whoever was shut out stays shut out, also where it cannot be read who came in.
    private func laterDevices(_ console: Console) -> LaterDevices {
        do {
            return try SQLiteStore.laterDevices(of: folder.database)
        } catch {
            console.say(
                "Who enrolled since the backup cannot be read: "
                    + Walkdownd.renderer.failure(for: error).sentence)
            console.say(Self.devicesUnknown)
            return LaterDevices()
        }
    }

    private static let doorsUnknown =
        "Devices that were revoked since the backup are let in again, and codes that were used "
        + "since are good again: revoke them anew with 'walkdownd device revoke ID'. "
        + devicesUnknown
    private static let devicesUnknown =
        "Devices that enrolled since are not known: each enrols again, with nothing lost, by "
        + "'walkdown enroll --again URL CODE'."

    /// What is taken over from the database that makes room.
    private struct Replaced {
        let epoch: Int64
        let doors: ClosedDoors
        let devices: LaterDevices
    }

    private func removeIncoming() {
        for suffix in ["", "-wal", "-shm"] { unlink(incoming + suffix) }
    }

    private func report(
        _ restored: RestoreReport, _ kept: String?, json: Bool, _ console: Console
    ) throws {
        let devices = restored.laterDevices
        if json {
            let document: JSON = [
                "serverEpoch": .integer(restored.epoch), "replaced": JSON(kept),
                "devicesTakenOver": .array(devices.map(JSON.string)),
            ]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine("restored; server epoch \(restored.epoch)")
        }
        if !devices.isEmpty {
            console.say(
                "Taken over from the database before, because they enrolled since the backup: "
                    + devices.map { terminalSafe($0) }.joined(separator: ", ") + ".")
        }
        if let kept { console.say("The database before is \(kept).") }
        console.say(
            "Devices offer again what it does not have; 'walkdownd status' counts what came.")
        console.say(
            "What was done here since the backup is to be done again: forms published, rows "
                + "imported, teams and codes made, approvals, returns and review decisions.")
    }
}
