import Coding
import LocalStore
import Replication
import Sync

/// The mutant of the worker: an acknowledgement of one mutation takes along what was entered since,
/// as systems do that mark the row as synchronised.
final class AcknowledgingByRow: Replica {
    private let store: DeviceStore

    init(_ store: DeviceStore) { self.store = store }

    func settle(_ request: PushRequest, by response: PushResponse) throws {
        var (request, response) = (request, response)
        let waiting = try store.outbox()
        for verdict in response.results where verdict.status.isAcknowledgement {
            guard let mutation = request.mutations.first(where: { $0.id == verdict.mutationId })
            else { continue }
            for row in waiting
            where row.recordId == mutation.record && row.mutationId != mutation.id
                && row.status == "PENDING"
            {
                var copy = mutation
                copy.id = row.mutationId
                request.mutations.append(copy)
                var more = verdict
                more.mutationId = row.mutationId
                response.results.append(more)
            }
        }
        try store.settle(request, by: response)
    }

    func recover() throws { try store.recover() }

    func sealBatch(limit: Int, skipping: Set<MutationID>) throws -> PushRequest? {
        try store.sealBatch(limit: limit, skipping: skipping)
    }

    func fail(_ id: MutationID, error: String) throws { try store.fail(id, error: error) }
    func blame(_ id: MutationID, error: String) throws { try store.blame(id, error: error) }
    func split(_ id: MutationID) throws -> Bool { try store.split(id) }
    func takeNewNode() throws -> NodeID { try store.takeNewNode() }
    func keepTicket(for ids: [MutationID]) throws { try store.keepTicket(for: ids) }
    func pullRequest() throws -> PullRequest { try store.pullRequest() }
    func take(_ page: PullResponse) throws { try store.take(page) }
    func restartPull() throws { try store.restartPull() }
    func wantsForm(_ listing: FormListing) throws -> Bool { try store.wantsForm(listing) }

    func store(form: JSON, listing: FormListing) throws {
        try store.store(form: form, listing: listing)
    }

    func copiesToOffer(limit: Int, skipping: Set<RecordID>) throws -> CopyRequest? {
        try store.copiesToOffer(limit: limit, skipping: skipping)
    }

    func setAside(_ refused: [CopyVerdict]) throws { try store.setAside(refused) }

    func countRefusals(_ refused: [CopyVerdict]) throws { try store.countRefusals(refused) }

    func settle(_ request: CopyRequest, by response: CopyResponse) throws -> Bool {
        try store.settle(request, by: response)
    }

    func sitesDiffering(from digest: DigestReport) throws -> [String] {
        try store.sitesDiffering(from: digest)
    }

    func beginRepair(of sites: [String]) throws -> Bool { try store.beginRepair(of: sites) }
    func askAboutDeleted() throws { try store.askAboutDeleted() }
    func outboxCounts() throws -> OutboxCounts { try store.outboxCounts() }
    func note(_ report: CycleReport, at now: Int64) throws { try store.note(report, at: now) }
    func keepUp(while goOn: () -> Bool) throws { try store.keepUp(while: goOn) }
    func retryFloor() throws -> Int64? { try store.retryFloor() }
    func keepRetryFloor(_ instant: Int64?) throws { try store.keepRetryFloor(instant) }
}
