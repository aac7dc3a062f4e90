import Coding
import Replication
import Sync

/// Small wire messages with ids that can be read: mutation 7 is `m7` on record `r7`.
enum Wire {
    static let server = ServerState(lamport: 1, epoch: 1, timeUtc: "2026-03-02T08:00:00.000Z")

    static func id(_ number: Int) -> MutationID { MutationID("m\(number)") }

    static func ids(_ numbers: ClosedRange<Int>) -> Set<MutationID> { Set(numbers.map(id)) }

    static func mutation(_ number: Int) -> Mutation {
        let change = FieldChange(
            value: .integer(Int64(number)), baseValue: .null, baseVersion: 0,
            lamport: Int64(number))
        return Mutation(
            id: id(number), sequence: Int64(number), table: "inspection",
            record: RecordID("r\(number)"), parent: nil, operation: .update,
            lamport: Int64(number), changes: ["reading": change],
            createdAtUtc: "2026-03-02T08:00:00.000Z")
    }

    static func request(_ numbers: some Sequence<Int>) -> PushRequest {
        PushRequest(
            clientNodeId: NodeID("node"), clientEpoch: 1, baton: nil, pullPosition: nil,
            mutations: numbers.map(mutation))
    }

    static func response(
        _ request: PushRequest, _ status: Verdict.Status = .applied
    ) -> PushResponse {
        let results = request.mutations.map { Verdict(mutationId: $0.id, status: status) }
        return PushResponse(results: results, baton: nil, server: server)
    }

    static func page(
        _ cursor: String, records: Int = 0, hasMore: Bool = false, digest: Bool = false
    ) -> PullResponse {
        let deltas = (0..<records).map { number in
            WireRecord(
                table: "inspection", id: RecordID("p\(number)"), parent: nil, version: 1,
                fields: [:], updatedAtUtc: "")
        }
        return PullResponse(
            deltaRecords: deltas, nextCursor: cursor, hasMore: hasMore,
            digest: digest ? DigestReport(position: cursor, sites: [:]) : nil, server: server)
    }

    static func form(_ id: String) -> FormListing {
        FormListing(id: id, version: "1", title: id, state: "open")
    }
}
