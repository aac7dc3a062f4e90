import Forms
import Replication
import ServerStore

/// A store that asks `gate` before each call, which may throw, and then passes it on.
struct GuardedStore: Store {
    struct Fault: Error, CustomStringConvertible {
        var description: String { "the disk is gone" }
    }

    let store: any Store
    /// Gets the name of the call.
    let gate: @Sendable (String) throws -> Void

    /// A store whose database has failed.
    static func broken(_ store: any Store) -> any Store {
        GuardedStore(store: store) { _ in throw Fault() }
    }

    func push(
        _ request: PushRequest, from device: Device, idempotencyKey: String?,
        completion: @escaping @Sendable (Result<PushResponse, any Error>) -> Void
    ) {
        do {
            try gate(#function)
            store.push(
                request, from: device, idempotencyKey: idempotencyKey, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    private func through<Value>(
        _ call: String = #function, _ body: () throws -> Value
    ) throws -> Value {
        try gate(call)
        return try body()
    }

    func pull(_ request: PullRequest, by device: Device) throws -> PullResponse {
        try through { try store.pull(request, by: device) }
    }
    func takeCopies(_ request: CopyRequest, from device: Device) throws -> CopyResponse {
        try through { try store.takeCopies(request, from: device) }
    }
    func take(
        bundled request: PushRequest, ofDevice id: String, _ holds: inout BatchHolds
    ) throws -> [Replication.Verdict] {
        try gate(#function)
        return try store.take(bundled: request, ofDevice: id, &holds)
    }
    func note(_ report: DeviceReport, of device: Device) throws -> HeartbeatResponse {
        try through { try store.note(report, of: device) }
    }
    func tokenHash(ofDevice id: String) throws -> [UInt8]? {
        try through { try store.tokenHash(ofDevice: id) }
    }
    func addTeam(named name: String) throws -> Team {
        try through { try store.addTeam(named: name) }
    }
    func teams() throws -> [Team] { try through { try store.teams() } }
    func issueCode(
        team: String, deviceName: String?, secretHash: [UInt8], validFor: Int64
    ) throws -> IssuedCode {
        try through {
            try store.issueCode(
                team: team, deviceName: deviceName, secretHash: secretHash, validFor: validFor)
        }
    }
    func enrol(_ enrolment: Enrolment) throws -> Device {
        try through { try store.enrol(enrolment) }
    }
    func device(tokenHash: [UInt8], node: NodeID?) throws -> Device? {
        try through { try store.device(tokenHash: tokenHash, node: node) }
    }
    func device(id: String) throws -> Device? { try through { try store.device(id: id) } }
    func devices() throws -> [Device] { try through { try store.devices() } }
    func decidedSinceReports() throws -> [String: Int64] {
        try through { try store.decidedSinceReports() }
    }
    func revokeDevice(id: String) throws { try through { try store.revokeDevice(id: id) } }
    func publish(_ form: FormDefinition) throws -> Bool {
        try through { try store.publish(form) }
    }
    func publishedForms() throws -> [FormListing] { try through { try store.publishedForms() } }
    func form(id: String, version: String) throws -> FormDocument? {
        try through { try store.form(id: id, version: version) }
    }
    func closeForm(id: String, version: String?) throws -> [String] {
        try through { try store.closeForm(id: id, version: version) }
    }
    func reopenForm(id: String, version: String?) throws -> [String] {
        try through { try store.reopenForm(id: id, version: version) }
    }
    func answerCounts(ofForm id: String) throws -> [String: Int64] {
        try through { try store.answerCounts(ofForm: id) }
    }
    func importSites(_ rows: [SiteRow]) throws -> ImportReport {
        try through { try store.importSites(rows) }
    }
    func importAssets(_ rows: [AssetRow]) throws -> ImportReport {
        try through { try store.importAssets(rows) }
    }
    func importAssignments(_ rows: [AssignmentRow]) throws -> ImportReport {
        try through { try store.importAssignments(rows) }
    }
    func openReviews(after last: ReviewItem?, limit: Int) throws -> [ReviewItem] {
        try through { try store.openReviews(after: last, limit: limit) }
    }
    func openReview(id: String) throws -> ReviewItem {
        try through { try store.openReview(id: id) }
    }
    func resolve(
        review id: String, _ decision: ReviewDecision, comment: String?, by supervisor: Supervisor
    ) throws {
        try through { try store.resolve(review: id, decision, comment: comment, by: supervisor) }
    }
    func approve(inspection id: RecordID, by supervisor: Supervisor) throws {
        try through { try store.approve(inspection: id, by: supervisor) }
    }
    func returnInspection(id: RecordID, comment: String, by supervisor: Supervisor) throws {
        try through { try store.returnInspection(id: id, comment: comment, by: supervisor) }
    }
    func close(finding id: RecordID, comment: String?, by supervisor: Supervisor) throws {
        try through { try store.close(finding: id, comment: comment, by: supervisor) }
    }
    func export(form: String?) throws -> [ExportRow] {
        try through { try store.export(form: form) }
    }
    func prune() throws -> PruneReport { try through { try store.prune() } }
    func trustClock() throws { try through { try store.trustClock() } }
    func history(of record: RecordID) throws -> RecordHistory {
        try through { try store.history(of: record) }
    }
    func census() throws -> Census { try through { try store.census() } }
    func serverEpoch() throws -> Int64 { try through { try store.serverEpoch() } }
    func close() throws { try through { try store.close() } }
}
