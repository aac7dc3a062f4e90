import Coding
import Replication
import Sync

/// A replica whose process dies: from some call on nothing is carried out any more, also not what
/// a living process would do to clean up.
final class DyingReplica: Replica {
    private let living: any Replica
    private let isDead: @Sendable () -> Bool

    init(_ living: any Replica, isDead: @escaping @Sendable () -> Bool) {
        self.living = living
        self.isDead = isDead
    }

    private func alive() throws -> any Replica {
        guard !isDead() else { throw FakeReplica.Failure(word: "killed") }
        return living
    }

    func recover() throws { try alive().recover() }

    func sealBatch(limit: Int, skipping: Set<MutationID>) throws -> PushRequest? {
        try alive().sealBatch(limit: limit, skipping: skipping)
    }

    func prepareBatch(
        behind request: PushRequest, limit: Int, skipping: Set<MutationID>
    ) throws -> PushRequest? {
        try alive().prepareBatch(behind: request, limit: limit, skipping: skipping)
    }

    func adopt(_ response: PushResponse, before next: PushRequest) throws -> PushRequest? {
        try alive().adopt(response, before: next)
    }

    func settle(_ request: PushRequest, by response: PushResponse) throws {
        try alive().settle(request, by: response)
    }

    func fail(_ id: MutationID, error: String) throws { try alive().fail(id, error: error) }

    func blame(_ id: MutationID, error: String) throws {
        try alive().blame(id, error: error)
    }

    func split(_ id: MutationID) throws -> Bool { try alive().split(id) }
    func takeNewNode() throws -> NodeID { try alive().takeNewNode() }
    func keepTicket(for ids: [MutationID]) throws { try alive().keepTicket(for: ids) }
    func pullRequest() throws -> PullRequest { try alive().pullRequest() }
    func take(_ page: PullResponse) throws { try alive().take(page) }
    func restartPull() throws { try alive().restartPull() }
    func keepUp(while goOn: () -> Bool) throws { try alive().keepUp(while: goOn) }
    func wantsForm(_ listing: FormListing) throws -> Bool { try alive().wantsForm(listing) }

    func store(form: JSON, listing: FormListing) throws {
        try alive().store(form: form, listing: listing)
    }

    func copiesToOffer(limit: Int, skipping: Set<RecordID>) throws -> CopyRequest? {
        try alive().copiesToOffer(limit: limit, skipping: skipping)
    }

    func setAside(_ refused: [CopyVerdict]) throws { try alive().setAside(refused) }

    func countRefusals(_ refused: [CopyVerdict]) throws { try alive().countRefusals(refused) }

    func settle(_ request: CopyRequest, by response: CopyResponse) throws -> Bool {
        try alive().settle(request, by: response)
    }

    func sitesDiffering(from digest: DigestReport) throws -> [String] {
        try alive().sitesDiffering(from: digest)
    }

    func beginRepair(of sites: [String]) throws -> Bool { try alive().beginRepair(of: sites) }
    func outboxCounts() throws -> OutboxCounts { try alive().outboxCounts() }
    func note(_ report: CycleReport, at now: Int64) throws {
        try alive().note(report, at: now)
    }

    func retryFloor() throws -> Int64? { try alive().retryFloor() }
    func keepRetryFloor(_ instant: Int64?) throws { try alive().keepRetryFloor(instant) }
}
