package import Forms
package import Replication

/// What the gateway needs of a database. `SQLiteStore` is the first; every other one has to pass the
/// same conformance suite (Tests/ServerStoreTests).
///
/// Calls block until the database has answered, except `push`, which calls back after the commit.
/// A request that is refused throws `ServerStoreError`; any other error means that the database
/// failed and nothing was changed.
package protocol Store: Sendable {
    // MARK: Synchronisation

    /// Merges a batch. Effects, verdicts, history and feed entries are committed before `completion`
    /// is called, on a queue of the store. A mutation that cannot be taken is refused in its
    /// verdict; only a batch that is wrong as a whole, or a store that is overloaded, fails. A copy
    /// of the device that another one lives on from is refused before anything is merged (`forked`);
    /// under a node that nobody has the device goes on as another one.
    ///
    /// - Parameter idempotencyKey: the same key with other content is refused (`keyReused`).
    func push(
        _ request: PushRequest, from device: Device, idempotencyKey: String?,
        completion: @escaping @Sendable (Result<PushResponse, any Error>) -> Void)

    /// The next page of what has changed in the device's scope since the cursor; nil begins anew.
    ///
    /// A page ends at the limit of records or at about 1 MiB, decisions and ids of records that
    /// left the scope included. What the device counted is kept for the
    /// list of devices.
    func pull(_ request: PullRequest, by device: Device) throws -> PullResponse

    /// Takes copies of what was confirmed before this server was restored, each change as its
    /// author's. Offered again, by this device or another, they change nothing.
    func takeCopies(_ request: CopyRequest, from device: Device) throws -> CopyResponse

    /// Merges a batch of a device that came by cable, as a push of it, and returns when that is on
    /// the disk. It says nothing of where the device stands, so that no baton is asked for or given.
    /// What was settled before is a `duplicate`.
    ///
    /// - Parameter holds: what earlier batches of the same bundle hold back; with this one's added.
    func take(
        bundled request: PushRequest, ofDevice id: String, _ holds: inout BatchHolds
    ) throws -> [Replication.Verdict]

    /// What the device proves itself with, hashed: its bundles are sealed with that.
    func tokenHash(ofDevice id: String) throws -> [UInt8]?

    /// Keeps what the device counted, as a pull does.
    func note(_ report: DeviceReport, of device: Device) throws -> HeartbeatResponse

    // MARK: Teams and devices

    func addTeam(named name: String) throws -> Team
    func teams() throws -> [Team]

    /// - Parameter validFor: milliseconds.
    func issueCode(
        team: String, deviceName: String?, secretHash: [UInt8], validFor: Int64
    ) throws -> IssuedCode
    func enrol(_ enrolment: Enrolment) throws -> Device
    /// The device as it speaks under `node`. Waits for no other kind of call: a connection's thread
    /// asks before a body is read.
    ///
    /// - Throws: `wrongNode` where the node is another device's.
    func device(tokenHash: [UInt8], node: NodeID?) throws -> Device?
    func device(id: String) throws -> Device?
    func devices() throws -> [Device]
    /// By the device's id, of what it counted last in conflict or in review: settled here since, by
    /// decisions of which it had not heard yet.
    func decidedSinceReports() throws -> [String: Int64]
    func revokeDevice(id: String) throws

    // MARK: Forms

    @discardableResult
    func publish(_ form: FormDefinition) throws -> Bool
    func publishedForms() throws -> [FormListing]
    func form(id: String, version: String) throws -> FormDocument?
    /// No new inspection begins on the form, or on this version of it; those that were begun go on.
    ///
    /// - Returns: the versions that were open.
    /// - Throws: `unknownForm`
    func closeForm(id: String, version: String?) throws -> [String]
    /// New inspections may begin on it again.
    ///
    /// - Returns: the versions that were closed.
    /// - Throws: `unknownForm`
    func reopenForm(id: String, version: String?) throws -> [String]
    /// How many answers there are to each question of a form's inspections and their rows, whatever
    /// their version.
    func answerCounts(ofForm id: String) throws -> [String: Int64]

    // MARK: Administration

    func importSites(_ rows: [SiteRow]) throws -> ImportReport
    func importAssets(_ rows: [AssetRow]) throws -> ImportReport
    func importAssignments(_ rows: [AssignmentRow]) throws -> ImportReport

    /// Values that wait for a person, the oldest first. What is listed counts as shown.
    ///
    /// - Parameter last: the item before; nil begins with the oldest.
    func openReviews(after last: ReviewItem?, limit: Int) throws -> [ReviewItem]
    /// - Throws: `unknownReviewItem`, `alreadyDecided`.
    func openReview(id: String) throws -> ReviewItem
    /// - Throws: `stateRefused` where the decision would replace another value than was shown last,
    ///   or change what is approved or deleted.
    func resolve(
        review id: String, _ decision: ReviewDecision, comment: String?, by supervisor: Supervisor
    ) throws
    func approve(inspection id: RecordID, by supervisor: Supervisor) throws
    /// What was found is mended, or needs no mending. Also of an approved inspection.
    ///
    /// - Throws: `unknownRecord`; `stateRefused` where its inspection was deleted.
    func close(finding id: RecordID, comment: String?, by supervisor: Supervisor) throws
    func returnInspection(id: RecordID, comment: String, by supervisor: Supervisor) throws

    /// - Parameter form: only inspections of this form.
    func export(form: String?) throws -> [ExportRow]

    /// Removes the tombstones that are thirty days old and that every live device has heard of, and
    /// what else has become too old: history, decided reviews and verdicts after a year.
    ///
    /// - Throws: `clockDoubted` where the machine's clock is probably wrong; nothing is removed.
    func prune() throws -> PruneReport
    /// Takes the machine's clock for right, however long the server was not pruned.
    func trustClock() throws

    /// The values that a record had and has no more, also of one that is gone.
    ///
    /// - Throws: `unknownRecord` where there is no trace of it.
    func history(of record: RecordID) throws -> RecordHistory

    /// How much of everything there is, counted without reading it.
    func census() throws -> Census

    /// Epoch of this server; a restored backup begins a new one.
    func serverEpoch() throws -> Int64

    func close() throws
}

extension Store {
    /// All values that wait for a person.
    package func openReviews() throws -> [ReviewItem] {
        let pageSize = 500
        var items: [ReviewItem] = []
        var page: [ReviewItem] = []
        repeat {
            page = try openReviews(after: items.last, limit: pageSize)
            items += page
        } while page.count == pageSize
        return items
    }
}
