import Coding
import Replication
import Sync
import Synchronization
import Testing

/// A server in memory that was restored from an empty backup and takes copies, but not all of them.
final class RestoredServer: Sendable {
    struct State: Sendable {
        var epoch: Int64 = 1
        fileprivate var feed: [WireRecord] = []
        /// A request with one of these is answered with this status.
        var bad: Set<RecordID> = []
        var refusal = 400
        /// Of each copies request, what was in it.
        var offers: [[RecordID]] = []
        /// Each answer to copies comes from a server of another epoch, and so does what follows.
        var forgetsItself = false
        /// Copies are answered by another server behind the same address.
        var otherEpoch: Int64?
    }

    let state = Mutex(State())

    /// More than any cycle here needs: what asks on and on is cut off.
    private static let mostOffers = 100

    var stored: Set<RecordID> { state.withLock { Set($0.feed.map(\.id)) } }
    var offers: [[RecordID]] { state.withLock { $0.offers } }

    /// Somebody enters these, and the server loses them after this device has them.
    init(losing ids: [RecordID], on device: StoreDevice) {
        state.withLock { $0.feed = ids.map(Self.record) }
        #expect(sync(device).outcome == .synced)
        state.withLock { state in
            state.epoch += 1
            state.feed = []
        }
    }

    /// One cycle.
    func sync(_ device: StoreDevice) -> CycleReport {
        Cycle(replica: device.store, transport: Line(server: self)).run().report
    }

    private static func record(_ id: RecordID) -> WireRecord {
        WireRecord(
            table: "inspection", id: id, parent: nil, version: 1,
            fields: [
                "reading": WireRecord.Field(
                    value: .integer(7), stamp: Stamp(lamport: 1, node: "other"), version: 1)
            ], updatedAtUtc: "")
    }

    fileprivate func answer(_ call: WireCall) throws -> TransportOutcome {
        if call.path.hasSuffix("/copies") {
            return take(try CopyRequest(json: JSON.parse(call.body ?? [])))
        }
        if call.path.hasSuffix("/forms") { return Self.answer(FormListing.document([])) }
        let cursor = call.path.firstRange(of: "cursor=").map {
            String(call.path[$0.upperBound...].prefix { $0 != "&" })
        }
        return state.withLock { state in
            let place = cursor?.split(separator: "-").compactMap { Int64($0) } ?? [state.epoch, 0]
            guard place.count == 2, place[0] == state.epoch else {
                return Self.failure(410, "cursor_expired")
            }
            let end = "\(state.epoch)-\(state.feed.count)"
            let digest = DigestReport(
                position: end, sites: ["": FakeServer.digest(of: state.feed)])
            return Self.answer(
                PullResponse(
                    deltaRecords: Array(state.feed[Int(place[1])...]), nextCursor: end,
                    hasMore: false, digest: digest, server: Self.server(state.epoch)
                ).json)
        }
    }

    private func take(_ request: CopyRequest) -> TransportOutcome {
        state.withLock { state in
            let ids = request.records.map(\.id)
            state.offers.append(ids)
            guard state.offers.count < Self.mostOffers else { return .fault(.unreachable) }
            if !state.bad.isDisjoint(with: ids) { return Self.failure(state.refusal, "no") }
            if state.forgetsItself { state.epoch += 1 }
            let isItself = !state.forgetsItself && state.otherEpoch == nil
            if isItself { state.feed += ids.map(Self.record) }
            let response = CopyResponse(
                results: ids.map { CopyVerdict(recordId: $0, status: .taken) },
                server: Self.server(state.otherEpoch ?? state.epoch))
            return Self.answer(response.json)
        }
    }

    private static func server(_ epoch: Int64) -> ServerState {
        ServerState(lamport: 1, epoch: epoch, timeUtc: "2026-03-02T08:00:00.000Z")
    }

    private static func answer(_ json: JSON) -> TransportOutcome {
        .answer(WireAnswer(status: 200, body: json.serialized()))
    }

    private static func failure(_ status: Int, _ code: String) -> TransportOutcome {
        let failure = WireFailure(error: WireError(code: code, message: "No."))
        return .answer(WireAnswer(status: status, body: failure.json.serialized()))
    }

    private final class Line: Transport {
        private let server: RestoredServer

        init(server: RestoredServer) { self.server = server }

        func send(_ call: WireCall) -> TransportOutcome {
            do {
                return try server.answer(call)
            } catch {
                Issue.record(error)
                return .fault(.unreachable)
            }
        }

        func disconnect() {}
        func cancel() {}
    }
}
