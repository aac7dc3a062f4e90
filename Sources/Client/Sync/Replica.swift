package import Coding
package import Replication

/// What the worker needs of the local store. Each call is one transaction or a bounded sequence of
/// repeatable ones; a thrown error leaves everything as it was, and the cycle ends without having
/// taken anything from the queue.
package protocol Replica: AnyObject, Sendable {
    /// IN_FLIGHT back to PENDING with the same ids and contents. Only under the home's lease.
    func recover() throws
    /// Seals the next mutations in sequence and marks them IN_FLIGHT; nil when none is to be sent.
    ///
    /// - Parameters:
    ///   - limit: mutations at most; 1 MiB unpacked is the other bound, one is always allowed.
    ///   - skipping: already offered in this cycle: neither they nor later ones of their records.
    func sealBatch(limit: Int, skipping: Set<MutationID>) throws -> PushRequest?
    /// Seals the batch that may follow one under way before that one's answer is settled: of other
    /// records, and nothing where it would leave room that such a record takes later.
    func prepareBatch(
        behind request: PushRequest, limit: Int, skipping: Set<MutationID>
    ) throws -> PushRequest?
    /// Takes the answer's baton, durably, before the answer itself is settled.
    /// - Returns: the next batch as it is to be sent; nil where the answer has to be settled first.
    func adopt(_ response: PushResponse, before next: PushRequest) throws -> PushRequest?
    /// Settles what the response names; what it does not name goes back to PENDING.
    func settle(_ request: PushRequest, by response: PushResponse) throws
    /// FAILED, with the reason.
    func fail(_ id: MutationID, error: String) throws
    /// One server-side failure more, back to PENDING; the fifth makes it FAILED.
    func blame(_ id: MutationID, error: String) throws
    /// Divides a mutation by its fields into smaller ones; false where it has only one field.
    func split(_ id: MutationID) throws -> Bool
    /// Gives this device a new node id; what no answer has settled keeps its ids and contents and
    /// goes back to PENDING.
    func takeNewNode() throws -> NodeID
    /// The server has taken these into a queue: they stay IN_FLIGHT until a pull brings their
    /// verdicts, or until none has come for too long.
    func keepTicket(for ids: [MutationID]) throws

    /// Cursor, page size, and what waits here, so that the server knows of it.
    func pullRequest() throws -> PullRequest
    func take(_ page: PullResponse) throws
    /// Forgets the cursor: the next pull begins at the beginning and ends with what the server has.
    func restartPull() throws

    /// Whether a listed form is to be fetched: it is not here, and not one that this program has
    /// lately found that it cannot read.
    func wantsForm(_ listing: FormListing) throws -> Bool
    func store(form: JSON, listing: FormListing) throws

    /// The sites whose digest is not the server's; empty when all agree.
    func sitesDiffering(from digest: DigestReport) throws -> [String]
    /// Begins a pull from the beginning that mends these sites.
    /// - Returns: false where one began a short while ago: it would not help.
    func beginRepair(of sites: [String]) throws -> Bool
    /// What was confirmed here and a restored server lacks; nil where there is nothing to offer.
    /// - Parameters:
    ///   - limit: records at most.
    ///   - skipping: offered in this cycle already.
    func copiesToOffer(limit: Int, skipping: Set<RecordID>) throws -> CopyRequest?
    /// - Returns: whether the answer told of a new epoch of the server. Then nothing of it is noted.
    func settle(_ request: CopyRequest, by response: CopyResponse) throws -> Bool
    /// The server refused each of them alone: they stay, with the reason, and are not offered again
    /// until something changes.
    func setAside(_ refused: [CopyVerdict]) throws
    /// Each was refused alone, and what is to blame is not known: they come behind all others, and the
    /// fifth time sets aside those that are *refused*; not those that are *held*.
    func countRefusals(_ refused: [CopyVerdict]) throws
    /// What was refused because the record above it was deleted waits for a person's decision on that
    /// record.
    func askAboutDeleted() throws
    func outboxCounts() throws -> OutboxCounts
    /// Mutations that wait to be sent or for an answer, without counting them one by one.
    func waiting() throws -> Int
    /// For the status line and for support.
    func note(_ report: CycleReport, at now: Int64) throws

    /// Purges what is settled and old, in slices, once a day; does nothing where that was done.
    /// - Parameter goOn: asked between slices.
    func keepUp(while goOn: () -> Bool) throws

    /// Until when the server asked not to be bothered (milliseconds), kept over restarts.
    func retryFloor() throws -> Int64?
    func keepRetryFloor(_ instant: Int64?) throws
}

extension Replica {
    /// A replica that does one thing after the other.
    package func prepareBatch(
        behind request: PushRequest, limit: Int, skipping: Set<MutationID>
    ) throws -> PushRequest? { nil }

    package func adopt(
        _ response: PushResponse, before next: PushRequest
    ) throws -> PushRequest? { nil }

    package func waiting() throws -> Int {
        let counts = try outboxCounts()
        return counts.pending + counts.inFlight
    }

    package func askAboutDeleted() throws {}

    /// A replica that keeps nothing for long needs no upkeep.
    package func keepUp(while goOn: () -> Bool) throws {}

    /// Nor has it anything that a server could have lost.
    package func copiesToOffer(limit: Int, skipping: Set<RecordID>) throws -> CopyRequest? { nil }
    package func settle(_ request: CopyRequest, by response: CopyResponse) throws -> Bool { false }
    package func setAside(_ refused: [CopyVerdict]) throws {}
    package func countRefusals(_ refused: [CopyVerdict]) throws {}
}
