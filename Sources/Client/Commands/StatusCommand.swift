internal import Arguments
internal import Coding
internal import LocalStore

enum StatusCommand {
    static let entry = Entry(
        name: "status", summary: "What waits, what needs a person, and the last synchronisation."
    ) { run in
        let status = try run.withStore(for: .reading) { try $0.status() }
        try run.emit(status.json) {
            text(of: status) + status.notices.map { "note             \($0)\n" }.joined()
        }
        return .done
    }

    private static func text(of status: StatusSummary) -> String {
        """
        state            \(status.state)
        pending          \(status.pending)
        in flight        \(status.inFlight)
        failed           \(status.failed)
        conflict         \(status.conflict)
        in review        \(status.inReview)
        drafts           \(status.drafts)
        queue limit      \(status.queueLimit)
        digest           \(status.digest.words)
        all on server    \(status.nothingUnsynced ? "yes" : "no")
        background sync  \(status.syncsInBackground ? "on" : "off")
        last sync        \(status.lastSyncUtc ?? "never")
        oldest unsynced  \(status.oldestUnsyncedUtc ?? "none")
        device           \(status.deviceId ?? "")

        """
    }
}

extension DigestState {
    fileprivate var words: String {
        switch self {
        case .equal: "equal: this device has what the server has"
        case .different: "different: a later 'walkdown sync' repairs it"
        case .unproven: "not compared since the last change"
        }
    }
}

extension StatusSummary {
    var json: JSON {
        [
            "state": .string(state), "pending": .integer(Int64(pending)),
            "inFlight": .integer(Int64(inFlight)), "failed": .integer(Int64(failed)),
            "conflict": .integer(Int64(conflict)), "inReview": .integer(Int64(inReview)),
            "queueLimit": .integer(Int64(queueLimit)),
            "mediaPending": .integer(Int64(mediaPending)), "drafts": .integer(Int64(drafts)),
            "digest": .string(digest.rawValue), "nothingUnsynced": .bool(nothingUnsynced),
            "lastSyncUtc": JSON(lastSyncUtc),
            "oldestUnsyncedUtc": JSON(oldestUnsyncedUtc), "deviceId": JSON(deviceId),
            "revoked": .bool(isRevoked),
            "backgroundSync": .bool(syncsInBackground),
            "keptFromBefore": .integer(Int64(keptFromBefore)),
            "keptRefused": .integer(Int64(keptRefused)), "keptInPart": .integer(Int64(keptInPart)),
            "offered": .integer(Int64(offered)),
            "behindJournal": .integer(Int64(behindJournal)),
            "missing": .integer(Int64(missing)),
            "journalGone": .bool(isJournalGone || wasJournalGone),
            "notices": .array(notices.map(JSON.string)),
        ]
    }

    /// What a person should know beside the counts, a sentence each.
    var notices: [String] {
        revokedNotices + upgradeNotices
            + [syncsInBackground ? nil : BackgroundSync.off].compactMap { $0 } + keptNotices
            + journalNotices + draftNotices
    }

    /// Nothing goes by itself any more, and no later sync helps.
    var revokedNotices: [String] {
        guard isRevoked else { return [] }
        let kept =
            unsynced == 0
            ? "what is here is kept"
            : counted(
                unsynced, "change that the server has not is", "changes that the server has not are"
            )
                + " kept, and 'walkdown outbox --json' copies out what was entered"
        return [
            "the server has revoked this device: nothing is sent or fetched any more, and \(kept);"
                + " ask the administrator what to do with it"
        ]
    }

    /// What holds an upgrade up.
    var upgradeNotices: [String] {
        var notices: [String] = []
        if isUpgradeNeeded {
            notices.append(
                "the server needs a newer walkdown: everything here is kept and goes out after the"
                    + " upgrade")
        }
        if !deferredMigrations.isEmpty {
            notices.append(
                "a part of the last upgrade waits until everything here is sent and settled:"
                    + " 'walkdown sync'")
        }
        return notices
    }

    private var draftNotices: [String] {
        guard strandedDrafts > 0 else { return [] }
        return [
            counted(strandedDrafts, "text was", "texts were")
                + " typed and not accepted where nothing asks for it any more: 'walkdown drafts'"
        ]
    }

    /// What stands in the journal and not in the database.
    private var journalNotices: [String] {
        var notices: [String] = []
        if behindJournal > 0 {
            notices.append(
                counted(behindJournal, "change stands", "changes stand")
                    + " in the journal and not yet in the database, which is an older one: the next"
                    + " command that writes brings that in, such as 'walkdown sync'")
        }
        if offered > 0 {
            notices.append(
                counted(offered, "change stands", "changes stand")
                    + " in the journal alone, neither shown nor sent: 'walkdown doctor' names what it"
                    + " is, and 'walkdown doctor --repair --last-change take' or 'leave' decides")
        }
        notices += MissingNote.sentences(of: self).map {
            $0
                + "; look through what was entered last, and then 'walkdown doctor --acknowledge' puts"
                + " this word away"
        }
        if isJournalUnreadable {
            notices.append(
                "the journal cannot be read, so nothing proves that the server has everything:"
                    + " 'walkdown doctor' says why")
        }
        if isJournalGone {
            notices.append(
                "the journal is gone, so nothing proves that the database has everything: the next"
                    + " command that writes makes it anew, such as 'walkdown sync'")
        }
        return notices
    }

    /// What the server has lost and this device has not, and why some of it does not go there.
    var keptNotices: [String] {
        guard keptFromBefore > 0 else { return [] }
        var notices = [
            "the server was restored from a backup and lacks what stood here of"
                + " \(counted(keptFromBefore, "record", "records")): it is"
                + (keptOffered > 0 ? " offered with each sync, and" : "")
                + " kept on this device for a year, outside the lists"
                + " (the tables __sync_lost, __sync_lost_field and __sync_lost_beside of"
                + " 'walkdown sql')"
        ]
        notices += copyRefusals.prefix(Self.mostReasons).map { refusal in
            "the server does not take what stood here of"
                + " \(counted(refusal.records, "record", "records")) (\(refusal.reason)):"
                + " it is offered again when the server shows the record changed"
        }
        if keptInPart > 0 {
            notices.append(
                "the answers of \(counted(keptInPart, "old record", "old records")) had gone from"
                    + " this device by retention: what is left is not offered, because it would"
                    + " pass for the whole; a newer backup or another device may have it")
        }
        return notices
    }

    /// Reasons that are told; the table names the others.
    private static let mostReasons = 3
}
