import Forms
import Replication
import ServerStore

/// A store whose database has failed.
struct BrokenStore: Store {
    struct Fault: Error, CustomStringConvertible {
        var description: String { "the disk is gone" }
    }

    init(_ store: any Store) {}

    func push(
        _ request: PushRequest, from device: Device, idempotencyKey: String?,
        completion: @escaping @Sendable (Result<PushResponse, any Error>) -> Void
    ) {
        completion(.failure(Fault()))
    }

    func pull(_ request: PullRequest, by device: Device) throws -> PullResponse { throw Fault() }
    func addTeam(named name: String) throws -> Team { throw Fault() }
    func teams() throws -> [Team] { throw Fault() }
    func issueCode(
        team: String, deviceName: String?, secretHash: [UInt8], validFor: Int64
    ) throws -> IssuedCode { throw Fault() }
    func enrol(_ enrolment: Enrolment) throws -> Device { throw Fault() }
    func device(tokenHash: [UInt8]) throws -> Device? { throw Fault() }
    func device(id: String) throws -> Device? { throw Fault() }
    func devices() throws -> [Device] { throw Fault() }
    func revokeDevice(id: String) throws { throw Fault() }
    func publish(_ form: FormDefinition) throws -> Bool { throw Fault() }
    func publishedForms() throws -> [FormListing] { throw Fault() }
    func form(id: String, version: String) throws -> FormDocument? { throw Fault() }
    func importSites(_ rows: [SiteRow]) throws -> ImportReport { throw Fault() }
    func importAssets(_ rows: [AssetRow]) throws -> ImportReport { throw Fault() }
    func importAssignments(_ rows: [AssignmentRow]) throws -> ImportReport { throw Fault() }
    func openReviews() throws -> [ReviewItem] { throw Fault() }
    func resolve(
        review id: String, _ decision: ReviewDecision, comment: String?, by supervisor: Supervisor
    ) throws { throw Fault() }
    func approve(inspection id: RecordID, by supervisor: Supervisor) throws { throw Fault() }
    func returnInspection(id: RecordID, comment: String, by supervisor: Supervisor) throws {
        throw Fault()
    }
    func export(form: String?) throws -> [ExportRow] { throw Fault() }
    func serverEpoch() throws -> Int64 { throw Fault() }
    func close() throws { throw Fault() }
}
