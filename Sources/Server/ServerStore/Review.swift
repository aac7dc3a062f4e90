package import Coding
package import Replication

/// A value that waits for a person's sign-off.
package struct ReviewItem: Sendable, Equatable {
    package let id: String
    package let record: RecordID
    /// That the record is or is a part of; nil where it is not here.
    package let inspection: RecordID?
    /// The column as people name it, for a row with its number: `pump[2]/tag`.
    package let address: String
    package let form: String?
    /// The asset's tag.
    package let asset: String?
    package let column: String
    package let base: FieldValue
    /// What the quarantined mutation wanted.
    package let mine: FieldValue
    /// What stands in the record now.
    package let theirs: FieldValue
    package let mineNode: NodeID
    /// nil where nobody had answered.
    package let theirsNode: NodeID?
    package let rule: String
    /// Milliseconds since 1970, UTC.
    package let openedAt: Int64
}

/// What a supervisor decides about an item.
package enum ReviewDecision: Sendable, Equatable {
    case mine
    case theirs
    case value(FieldValue)
}

/// Who decides, and what he adds.
package struct Supervisor: Sendable, Equatable {
    /// The account; the decision is a mutation of node `portal:<name>`.
    package let name: String

    package init(name: String) {
        self.name = name
    }

    package var node: NodeID { NodeID(Supervisor.nodePrefix + name) }

    /// Of every node that is no device.
    static let nodePrefix = "portal:"
}

/// An inspection, as it is exported.
package struct ExportRow: Sendable, Equatable {
    package let id: RecordID
    package let form: String
    package let formVersion: String
    /// The asset's tag; nil without an asset.
    package let asset: String?
    package let state: String
    package let version: Int64
    /// Answers by question; those that were cleared are absent.
    package let fields: [String: FieldValue]
    /// The rows of its repeats, in the order in which they are asked.
    package let parts: [Part]
    /// What was found wrong, in the order of the form; not in rows that were deleted.
    package var findings: [FindingRow] = []

    /// One time that a repeat was asked.
    package struct Part: Sendable, Equatable {
        package let id: RecordID
        /// The row that it stands in; nil for one of the inspection itself.
        package let parent: RecordID?
        /// The repeat's path.
        package let path: String
        /// Among those of its repeat in the same place, from 1.
        package let position: Int
        package let fields: [String: FieldValue]
    }

    package init(
        id: RecordID, form: String, formVersion: String, asset: String?, state: String,
        version: Int64, fields: [String: FieldValue], parts: [Part] = []
    ) {
        self.id = id
        self.form = form
        self.formVersion = formVersion
        self.asset = asset
        self.state = state
        self.version = version
        self.fields = fields
        self.parts = parts
    }
}

/// What `walkdownd status` shows.
package struct Census: Sendable, Equatable {
    package let epoch: Int64
    /// Milliseconds since 1970, UTC.
    package let epochBegan: Int64
    /// What devices have brought, since then, with a cursor from before: what was entered meanwhile,
    /// and what the server had had and lost. By the device's id; those that brought nothing are absent.
    package let offeredAgain: [String: Int64]
    package let teams: Int64
    /// That are not revoked.
    package let devices: Int64
    package let revokedDevices: Int64
    /// Mutations that wait on devices, as each counted with its last pull.
    package let pending: Int64
    /// Of them, what was refused, what inspectors and what supervisors have to decide.
    package let failed: Int64
    package let conflict: Int64
    package let inReview: Int64
    package let forms: Int64
    package let inspections: Int64
    package let openReviews: Int64

    package init(
        epoch: Int64, epochBegan: Int64 = 0, offeredAgain: [String: Int64] = [:], teams: Int64,
        devices: Int64, revokedDevices: Int64, pending: Int64, failed: Int64 = 0,
        conflict: Int64 = 0, inReview: Int64 = 0, forms: Int64, inspections: Int64,
        openReviews: Int64
    ) {
        self.epoch = epoch
        self.epochBegan = epochBegan
        self.offeredAgain = offeredAgain
        self.teams = teams
        self.devices = devices
        self.revokedDevices = revokedDevices
        self.pending = pending
        self.failed = failed
        self.conflict = conflict
        self.inReview = inReview
        self.forms = forms
        self.inspections = inspections
        self.openReviews = openReviews
    }
}
