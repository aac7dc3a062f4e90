package import Coding
package import Inspections
package import Replication

/// How safe an answer, an inspection or the whole store is. The worst of several stands for them.
package enum SyncBadge: String, Sendable, CaseIterable, Comparable {
    /// The server has confirmed it.
    case synced
    /// Saved here, waits to be sent.
    case pending
    /// A supervisor decides.
    case inReview
    /// The server refused it.
    case failed
    /// The inspector decides.
    case conflict

    init(status: String) {
        switch status {
        case "CONFLICT": self = .conflict
        case "FAILED": self = .failed
        case "IN_REVIEW": self = .inReview
        case "ACKNOWLEDGED": self = .synced
        default: self = .pending
        }
    }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (left: SyncBadge, right: SyncBadge) -> Bool { left.rank < right.rank }
}

/// One line of the worklist.
package struct InspectionSummary: Sendable, Equatable {
    package var id: RecordID
    /// Never blank.
    package var name: String
    package var form: String
    package var formVersion: String
    /// The asset's tag.
    package var asset: String?
    /// The site's name.
    package var site: String?
    /// A word of `InspectionState`.
    package var state: String
    /// YYYY-MM-DD.
    package var dueOn: String?
    package var sync: SyncBadge
    package var answered: Int
    package var total: Int
    /// 0 while the server has not accepted it.
    package var version: Int64
    /// True where the server says it was deleted and a decision waits here.
    package var isDeleted: Bool

    /// The state by whose rules this version works.
    /// - Throws: `StoreError.damaged` for a word from a newer version.
    package func knownState() throws -> InspectionState {
        guard let known = InspectionState(rawValue: state) else {
            throw StoreError.damaged("the inspection is in a state that this version does not know")
        }
        return known
    }
}

/// One inspection with all its answers.
package struct InspectionDetail: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package var value: FieldValue
        package var sync: SyncBadge
        /// An older value that a supervisor has before him, while this one waits behind it.
        package var inReview: FieldValue?
    }

    package var summary: InspectionSummary
    package var assetID: RecordID?
    /// What a supervisor said when the inspection was returned.
    package var comment: String?
    /// Answers by question path; without built-in fields.
    package var fields: [FieldName: Field]
    /// Rows of repeats, in order; one in a row stands somewhere behind it.
    package var rows: [Row]
    /// In the order of the form; those of deleted rows are not here.
    package var findings: [ListedFinding]
    /// Of the inspection, of its rows and of its findings.
    package var conflicts: [ConflictView]

    /// One time that a repeat was asked.
    package struct Row: Sendable, Equatable {
        package var id: RecordID
        /// The row that it stands in; nil for one of the inspection itself.
        package var parent: RecordID?
        /// The repeat's path.
        package var path: String
        /// From 1, among its brothers.
        package var index: Int
        /// Answers by question path.
        package var fields: [FieldName: Field]
    }

    /// The answers that are not empty.
    package var answers: [FieldName: FieldValue] {
        fields.mapValues(\.value).filter { !$0.value.isNull }
    }
}

/// One field that the inspector has to decide.
package struct ConflictView: Sendable, Equatable {
    package var mutationId: MutationID
    /// The inspection, one of its rows or one of its findings.
    package var recordId: RecordID
    /// What the record is where it has no name of its own: `finding on Door seals`.
    package var about: String?
    package var column: FieldName
    package var base: FieldValue
    package var mine: FieldValue
    /// The newest that this device knows of.
    package var theirs: FieldValue
    package var theirsNode: NodeID?
    package var rule: String
}

/// One row of the queue.
package struct OutboxRow: Sendable, Equatable {
    package var mutationId: MutationID
    package var recordId: RecordID
    package var tableName: String
    package var operation: String
    package var status: String
    package var retryCount: Int64
    package var lastError: String?
    package var nextAttemptUtc: String?
    package var createdAtUtc: String
    package var columns: [FieldName]
    /// Whether something that discarding it gives up may stand in a bundle.
    package var isInBundle: Bool
}

/// What is known of this device's copy and the server's, since either of them last changed.
package enum DigestState: String, Sendable, CaseIterable {
    case equal
    case different
    /// Not compared since the server last said something.
    case unproven

    init(stored: Int64?) {
        switch stored {
        case 1: self = .equal
        case 2: self = .different
        default: self = .unproven
        }
    }

    /// As it stands in the store.
    var stored: Int64 {
        switch self {
        case .unproven: 0
        case .equal: 1
        case .different: 2
        }
    }
}

/// Counts of what is not confirmed, and since when.
package struct StatusSummary: Sendable, Equatable {
    package var pending = 0
    package var inFlight = 0
    package var failed = 0
    package var conflict = 0
    package var inReview = 0
    package var mediaPending = 0
    package var lastSyncUtc: String?
    package var oldestUnsyncedUtc: String?
    package var deviceId: String?
    /// The last cycle did not meet the server.
    package var isOffline = false
    /// The server refused to speak with this version.
    package var isUpgradeNeeded = false
    /// The server has revoked this device: it takes and gives nothing any more.
    package var isRevoked = false
    /// Whether cycles begin by themselves.
    package var syncsInBackground = true
    /// Steps of the schema that wait until nothing does.
    package var deferredMigrations: [String] = []
    package var digest = DigestState.unproven
    /// Texts that were typed and not accepted: no mutation carries them.
    package var drafts = 0
    /// Those of them in what is not shown any more.
    package var strandedDrafts = 0
    /// Records that were here before the server was restored, and that it does not have any more.
    package var keptFromBefore = 0
    /// Those of them of which something goes to the server with each cycle.
    package var keptOffered = 0
    /// Those of them of which the server does not take something.
    package var keptRefused = 0
    /// Why it does not; a record may have several reasons.
    package var copyRefusals: [CopyRefusal] = []
    /// Of so many of them the answers had gone from here by retention: they are not offered.
    package var keptInPart = 0
    /// Changes that stand in the journal alone, until a person takes or leaves them.
    package var offered = 0
    /// Those of them that no process that writes has met yet.
    package var newOffers: [OfferedChange] = []
    /// Changes that were called saved and stand in the journal alone: the database is an older one.
    /// The next process that writes brings them in.
    package var behindJournal = 0
    /// Changes that were called saved and that neither database nor journal has any more, at least, until
    /// a person says that he knows it.
    package var missing = 0
    /// Nobody knows what the journal has.
    package var isJournalUnreadable = false
    /// There was one, and nothing of it is left.
    package var isJournalGone = false
    /// So it was, until a person says that he knows it.
    package var wasJournalGone = false
    /// How many may be PENDING or IN_FLIGHT.
    package var queueLimit = 0

    package init() {}

    /// What can be said without asking the network: `attention`, `offline`, `waiting` or `synced`,
    /// in this order.
    package var state: String {
        let isJournalAmiss = isJournalGone || wasJournalGone || isJournalUnreadable
        if isRevoked || isJournalAmiss || failed + conflict + offered + missing > 0 {
            return "attention"
        }
        if isOffline { return "offline" }
        let waits = pending + inFlight + inReview + mediaPending + behindJournal > 0
        return waits || digest != .equal ? "waiting" : "synced"
    }

    /// The proof (M18) that this device could be lost without loss: no change waits, is on its way,
    /// in review, refused or in conflict, nothing typed stands here alone, and the digests were
    /// equal when the server was last asked. A record that only devices have any more counts as well, and
    /// a change that only the journal has, or had.
    package var nothingUnsynced: Bool {
        unsynced + mediaPending + drafts + keptFromBefore + offered + behindJournal + missing == 0
            && !isJournalUnreadable && !isJournalGone && !wasJournalGone && digest == .equal
    }

    package var unsynced: Int { pending + inFlight + failed + conflict + inReview }
}

extension StatusSummary {
    mutating func count(_ status: String, _ number: Int) {
        switch status {
        case "PENDING": pending = number
        case "IN_FLIGHT": inFlight = number
        case "FAILED": failed = number
        case "CONFLICT": conflict = number
        case "IN_REVIEW": inReview = number
        default: break
        }
    }
}

/// What a server says of copies that it does not take.
package struct CopyRefusal: Sendable, Equatable {
    package var reason: String
    package var records: Int

    package init(reason: String, records: Int) {
        self.reason = reason
        self.records = records
    }
}

package struct AssetSummary: Sendable, Equatable {
    package var id: RecordID
    package var tag: String?
    /// Never blank.
    package var name: String
    package var model: String?
    package var serial: String?
    package var siteID: RecordID?
    /// The site's name.
    package var site: String?
}

package struct FormSummary: Sendable, Equatable {
    package var id: String
    package var version: String
    package var title: String
    /// `open` or `closed`.
    package var state: String
}
