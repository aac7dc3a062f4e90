import Coding
import Foundation
import Replication
import Sync
import Synchronization
import Testing

@testable import Commands

/// The tour's checks have to be able to fail: here a server, or something on the way to it, loses a
/// change that it said it had taken.
@Suite("The demo's tour", .serialized)
struct TourTests {
    private func world(
        _ ground: DemoGround, wrap: @escaping @Sendable (any Transport) -> any Transport
    ) throws -> Tour.World {
        try ground.enrol(throughRelay: true)
        try ground.device.unlock()
        try ground.colleague.unlock()
        return Tour.World(
            server: ground.server, relay: ground.relay, device: ground.device,
            colleague: ground.colleague, wrap: wrap, now: Surroundings.timeOfDay,
            say: { _ in })
    }

    private func ground() throws -> DemoGround {
        try DemoGround(keeping: nil, in: .ofThisProcess, today: "2026-03-02")
    }

    @Test("a transport that drops an accepted mutation makes it fail; the folder goes all the same")
    func dropped() throws {
        let ground = try ground()
        let drops = Drops()
        var tour = Tour(in: try world(ground) { DroppingTransport($0, drops) })
        do {
            try tour.play()
            Issue.record("the tour holds though accepted mutations were dropped")
        } catch let mismatch as Tour.Mismatch {
            // Not some other fault before anything was dropped.
            #expect(drops.count > 0, "\(mismatch.step): \(mismatch.what)")
        }
        try ground.device.lock()
        try ground.colleague.lock()
        ground.end()
        #expect(!FileManager.default.fileExists(atPath: ground.folder))
    }

    @Test("a transport that delivers twice changes nothing")
    func deliveredTwice() throws {
        let ground = try ground()
        var tour = Tour(in: try world(ground) { DoublingTransport(inner: $0) })
        try tour.play()
        ground.end()
    }
}

private final class Drops: Sendable {
    private let dropped = Atomic(0)

    var count: Int { dropped.load(ordering: .relaxed) }

    func add() { dropped.add(1, ordering: .relaxed) }
}

/// Takes the last mutation out of each push that carries an answer, and answers for it that it was
/// applied.
private struct DroppingTransport: Transport {
    let inner: any Transport
    let drops: Drops

    init(_ inner: any Transport, _ drops: Drops) {
        self.inner = inner
        self.drops = drops
    }

    func send(_ call: WireCall) -> TransportOutcome {
        guard call.method == .post, var request = try? Self.request(call),
            let lost = request.mutations.popLast()
        else { return inner.send(call) }
        var rest = call
        rest.body = request.json.serialized()
        rest.idempotencyKey = request.idempotencyKey
        let outcome = inner.send(rest)
        guard case .answer(var answer) = outcome, answer.status == 200,
            var response = try? PushResponse(json: JSON.parse(answer.body))
        else { return outcome }
        drops.add()
        response.results.append(Verdict(mutationId: lost.id, status: .applied, version: 2))
        answer.body = response.json.serialized()
        return .answer(answer)
    }

    private static func request(_ call: WireCall) throws -> PushRequest {
        try PushRequest(json: JSON.parse(call.body ?? []))
    }

    func disconnect() { inner.disconnect() }
    func cancel() { inner.cancel() }
}

private struct DoublingTransport: Transport {
    let inner: any Transport

    func send(_ call: WireCall) -> TransportOutcome {
        _ = inner.send(call)
        return inner.send(call)
    }

    func disconnect() { inner.disconnect() }
    func cancel() { inner.cancel() }
}
