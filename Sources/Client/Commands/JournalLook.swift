internal import Arguments
internal import LocalStore
internal import Vault

/// What `walkdown doctor` says of the journal.
struct JournalLook {
    private let copy: SecondCopy
    private let isDatabaseSound: Bool
    private let isMissed: Bool

    /// - Parameter isMissed: whether the database knows that there was one.
    init(
        of unlocked: UnlockedHome, besideSoundDatabase isSound: Bool, isMissed: Bool
    ) throws {
        copy = try DeviceStore.secondCopy(home: unlocked.home, key: unlocked.key)
        isDatabaseSound = isSound
        self.isMissed = isMissed
    }

    /// - Throws: what is wrong with it.
    func note() throws -> String {
        guard unreadable.isEmpty else {
            throw Failure(
                .failed, "of the journal cannot be read: " + unreadable.joined(separator: " and "),
                advice: advice)
        }
        guard copy.knowsDevice else {
            guard !isMissed else {
                throw Failure(
                    .failed, "the journal is gone: what the database may lack stood there alone",
                    advice: "The next command that writes makes it anew from the database, such as"
                        + " 'walkdown sync'.")
            }
            guard isDatabaseSound else {
                throw Failure(
                    .failed, "it does not say who this device is: no database can be made from it")
            }
            return "none yet: the next command that writes makes it"
        }
        return notes.joined(separator: "; ")
    }

    private var unreadable: [String] {
        var parts: [String] = []
        if copy.lost > 0 { parts.append(counted(copy.lost, "entry", "entries")) }
        if copy.unreadableFiles > 0 {
            parts.append(counted(copy.unreadableFiles, "file", "files") + " (a failing disk)")
        }
        return parts
    }

    /// The database of a sound home has everything, so that nothing is lost with an entry.
    private var advice: String {
        isDatabaseSound
            ? "The next command that writes makes it anew from the database, and keeps the damaged file"
                + " as '….damaged'."
            : "The database is damaged as well. 'walkdown doctor --repair' makes a new one from what can"
                + " be read: " + counted(copy.waiting, "waiting change", "waiting changes") + "."
    }

    private var notes: [String] {
        var notes = [
            counted(copy.waiting, "waiting change stands", "waiting changes stand")
                + " in it a second time"
        ]
        if copy.damagedFiles > 0 {
            notes.append(
                counted(copy.damagedFiles, "damaged file is", "damaged files are") + " beside it")
        }
        if copy.isTorn { notes.append(Repair.tornWords) }
        return notes + Repair.words(for: copy.offered)
    }
}
