import LocalStore
import Phrases
import Vault

/// What this device is and what is wrong with it, as far as an open store tells: 'walkdown doctor' looks
/// further, beside what is open.
struct DeviceAbout {
    let version: String
    let home: Home
    let deviceID: String
    let server: String?
    let broken: [String]
    let sizes: StoreSizes
    let status: StatusSummary

    init(of store: DeviceStore, in home: Home, version: String) throws {
        self.version = version
        self.home = home
        deviceID = try store.status().deviceId ?? ""
        server = try store.enrolment()?.serverURL
        broken = try store.audit()
        sizes = try store.sizes()
        status = try store.status()
    }

    var lines: [AboutLine] {
        var lines = [
            AboutLine("Walkdown", say("version \(version)")),
            AboutLine(say("Device"), deviceID),
            AboutLine(say("Server"), server ?? say("none")),
            AboutLine(say("Folder"), home.directory), database, storage, journal,
        ]
        if status.isRevoked {
            lines.append(
                AboutLine(
                    say("Server"), say("The server refuses this device; everything is kept"),
                    isTrouble: true))
        }
        if status.isUpgradeNeeded {
            lines.append(
                AboutLine(say("Server"), say("the server needs a newer walkdown"), isTrouble: true))
        }
        let memory = ProcessHardening.surroundings().isEmpty
        lines.append(
            AboutLine(
                say("Memory"),
                memory
                    ? say("in order") : say("what the screen shows could be written to a disk"),
                isTrouble: !memory))
        if lines.contains(where: \.isTrouble) {
            lines.append(AboutLine(say("What to do"), say("'walkdown doctor' says what to do")))
        }
        return lines
    }

    private var database: AboutLine {
        broken.isEmpty
            ? AboutLine(say("Database"), say("in order, and the queue fits what is shown"))
            : AboutLine(say("Database"), say("\(broken.count) rules are broken"), isTrouble: true)
    }

    private var storage: AboutLine {
        let size = (sizes.bytes + 1023) / 1024
        return AboutLine(
            say("Storage"),
            say("\(size) KiB; \(sizes.records) records, \(sizes.archived) of them archived"))
    }

    private var journal: AboutLine {
        let trouble: String? =
            if status.isJournalUnreadable {
                say("cannot be read")
            } else if status.isJournalGone {
                say("is gone")
            } else if status.missing > 0 {
                say("\(status.missing) saved changes are missing")
            } else if status.offered > 0 {
                say("\(status.offered) in the journal alone")
            } else {
                nil
            }
        return AboutLine(
            say("Journal"), trouble ?? say("has all that waits a second time"),
            isTrouble: trouble != nil)
    }
}
