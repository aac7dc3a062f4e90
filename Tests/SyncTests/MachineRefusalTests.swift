import Coding
import Replication
import Sync
import Testing

@Suite("Sync machine: refusals")
struct MachineRefusalTests {
    /// A refusal that ends the cycle and leaves the queue as it was.
    static let ending = Refusal.Class.allCases.filter {
        ![.unacceptable, .oversized, .broken, .cancelled, .forked].contains($0)
    }

    @Test("most refusals end the cycle and keep everything", arguments: ending)
    func keeps(kind: Refusal.Class) {
        var (play, _) = Play.pushing(3)
        let refusal = Refusal(kind, status: 400)
        play.expect(.pushed(.refused(refusal)), .recover)
        play.expect(.done, .finish(.refused(refusal)))
    }

    @Test("a refused pull keeps everything too", arguments: ending)
    func keepsPull(kind: Refusal.Class) {
        guard kind != .cursorExpired else { return }
        var play = Play.pulling()
        let refusal = Refusal(kind, status: 400)
        play.expect(.pulled(.refused(refusal)), .finish(.refused(refusal)))
    }

    @Test("a call that was cancelled is no refusal")
    func cancelled() {
        var (play, _) = Play.pushing(3)
        play.expect(.pushed(.refused(Refusal(.cancelled))), .recover)
        play.expect(.done, .finish(.cancelled))
    }

    @Test("an overloaded server that says when is not asked again in this cycle")
    func overloaded() {
        var (play, _) = Play.pushing(3)
        let refusal = Refusal(.broken, status: 503, retryAfterSeconds: 30)
        play.expect(.pushed(.refused(refusal)), .recover)
        play.expect(.done, .finish(.refused(refusal)))
    }

    @Test("a 400 halves the batch until the culprit stands alone and fails, with the reason")
    func halving() {
        let refusal = Refusal(.unacceptable, status: 400, code: "x", message: "bad column")
        let outbox = Outbox(1...8)
        let end = outbox.play { $0.contains(5) ? .refused(refusal) : nil }
        #expect(outbox.failed == [Wire.id(5): "refused with 400: bad column"])
        #expect(outbox.settled == Wire.ids(1...4).union(Wire.ids(6...8)))
        #expect(outbox.pushes == [8, 4, 2, 1, 3])
        #expect(end == .pull)
    }

    @Test("T29 what is too large alone fails when it cannot be divided; the others go")
    func oversized() {
        let refusal = Refusal(.oversized, status: 413, code: "too_large")
        let outbox = Outbox(1...3)
        _ = outbox.play { $0.contains(2) ? .refused(refusal) : nil }
        #expect(outbox.failed == [Wire.id(2): "refused with 413"])
        #expect(outbox.settled == [Wire.id(1), Wire.id(3)])
    }

    @Test(
        "a 413 of a proxy fails nothing: it halves the batch, and ends the cycle at a small change")
    func proxyRefusesAll() {
        let refusal = Refusal(.oversized, status: 413)
        let outbox = Outbox(1...8)
        let end = outbox.play { _ in .refused(refusal) }
        #expect(outbox.pushes == [8, 4, 2, 1])
        #expect(outbox.failed.isEmpty && outbox.counted.isEmpty)
        #expect(outbox.pending == Array(1...8))
        #expect(end == .finish(.refused(refusal)))
    }

    @Test("what is too large for a proxy alone is passed over in this cycle; the others go")
    func proxyRefusesLarge() {
        let refusal = Refusal(.oversized, status: 413)
        let outbox = Outbox(1...3)
        outbox.texts[2] = String(repeating: "x", count: 64 << 10)
        let end = outbox.play { $0.contains(2) ? .refused(refusal) : nil }
        #expect(outbox.failed.isEmpty && outbox.counted.isEmpty)
        #expect(outbox.settled == [Wire.id(1), Wire.id(3)])
        #expect(outbox.pending == [2])
        #expect(outbox.splits == [Wire.id(2)])
        #expect(end == .pull)
    }

    @Test("a server that refuses everything as bad fails three, then keeps the rest")
    func refusesEverything() {
        let refusal = Refusal(.unacceptable, status: 400)
        let outbox = Outbox(1...50)
        let end = outbox.play { _ in .refused(refusal) }
        #expect(outbox.failed.count == 3)
        #expect(end == .finish(.refused(refusal)))
        #expect(outbox.pending.count == 47)
    }

    @Test(
        "a 5xx is first checked by a pull, and a server that is sick gets no more",
        arguments: [500, 502, 503, 504])
    func sick(status: Int) {
        var (play, _) = Play.pushing(3)
        let refusal = Refusal(.broken, status: status)
        play.expect(.pushed(.refused(refusal)), .recover)
        play.expect(.done, .pull)
        play.expect(.pulled(.refused(refusal)), .finish(.refused(refusal)))
    }

    @Test("a mutation over which the server breaks is counted once others have passed")
    func poison() {
        let refusal = Refusal(.broken, status: 503)
        let outbox = Outbox(1...8)
        let end = outbox.play { $0.contains(5) ? .refused(refusal) : nil }
        #expect(outbox.counted == [Wire.id(5)])
        #expect(outbox.settled == Wire.ids(1...4).union(Wire.ids(6...8)))
        #expect(outbox.failed.isEmpty)
        #expect(end == .finish(.refused(refusal)))
    }

    @Test("M14 a server whose pushes all fail with 503 counts against no row, in few pushes")
    func sickPush() {
        let refusal = Refusal(.broken, status: 503)
        let outbox = Outbox(1...50)
        let end = outbox.play { _ in .refused(refusal) }
        #expect(outbox.counted.isEmpty)
        #expect(outbox.pending.count == 50)
        #expect(outbox.pushes.count <= 10)
        #expect(end == .finish(.refused(refusal)))
    }

    @Test("M16 a 500 to the only mutation, from a server that answers pulls, is counted")
    func lonePoison() {
        let refusal = Refusal(.broken, status: 500)
        let outbox = Outbox(1...1)
        let end = outbox.play { _ in .refused(refusal) }
        #expect(outbox.counted == [Wire.id(1)])
        #expect(end == .finish(.refused(refusal)))
    }

    @Test("a 5xx that has passed leaves nothing behind")
    func transient() {
        let outbox = Outbox(1...8)
        var isFirst = true
        let end = outbox.play { _ in
            defer { isFirst = false }
            return isFirst ? .refused(Refusal(.broken, status: 502)) : nil
        }
        #expect(outbox.settled == Wire.ids(1...8))
        #expect(outbox.counted.isEmpty && outbox.failed.isEmpty)
        #expect(end == .pull)
    }

    @Test(
        "T13 the number of pushes is exact",
        arguments: zip([0, 1, 49, 50, 51, 100, 101], [0, 1, 1, 1, 2, 2, 3]))
    func exactPushes(waiting: Int, pushes: Int) {
        let outbox = Outbox(waiting == 0 ? nil : 1...waiting)
        #expect(outbox.play { _ in nil } == .pull)
        #expect(outbox.pushes.count == pushes)
        #expect(outbox.settled.count == waiting)
    }

    @Test(
        "T17 a server that settles nothing does not get the same mutation twice",
        arguments: [1, 50, 51])
    func noHotLoop(waiting: Int) {
        let outbox = Outbox(1...waiting)
        let end = outbox.play { ids in
            var response = Wire.response(Wire.request(ids))
            for index in response.results.indices { response.results[index].status = .held }
            return .accepted(response)
        }
        #expect(end == .pull)
        #expect(outbox.pushes.reduce(0, +) == waiting)
    }
}

/// A queue of mutations for the push half, without a store: what the machine asks for is done at
/// once, and a closure is the server.
final class Outbox {
    private(set) var pending: [Int]
    private(set) var settled: Set<MutationID> = []
    private(set) var failed: [MutationID: String] = [:]
    private(set) var counted: [MutationID] = []
    /// The size of each push.
    private(set) var pushes: [Int] = []
    private(set) var splits: [MutationID] = []
    /// Instead of the number that is a mutation's reading.
    var texts: [Int: String] = [:]

    init(_ numbers: ClosedRange<Int>?) {
        pending = numbers.map(Array.init) ?? []
    }

    /// - Parameter server: nil accepts everything.
    /// - Returns: the first pull after the queue was emptied, or the end.
    func play(_ server: ([Int]) -> Reply<PushResponse>?) -> Machine.Instruction {
        var machine = Machine()
        var event = Machine.Event.begin
        for _ in 0..<2000 {
            let instruction = machine.handle(event)
            switch instruction {
            case .finish: return instruction
            case .pull:
                guard machine.isProbing else { return isDone ? instruction : end(&machine) }
                event = .pulled(.accepted(Wire.page("probe")))
            default: event = answer(instruction, server)
            }
        }
        Issue.record("the machine does not come to an end")
        return .recover
    }

    private var isDone: Bool { counted.isEmpty }

    /// Lets the pull half run empty, to see how the cycle ends.
    private func end(_ machine: inout Machine) -> Machine.Instruction {
        let page = Wire.page("end", digest: true)
        _ = machine.handle(.pulled(.accepted(page)))
        _ = machine.handle(.done)
        _ = machine.handle(.sealed(nil))
        _ = machine.handle(.copiesFound(nil))
        _ = machine.handle(.formsListed(.accepted([])))
        return machine.handle(.formsMissing([]))
    }

    private func reply(
        to request: PushRequest, _ server: ([Int]) -> Reply<PushResponse>?
    ) -> Reply<PushResponse> {
        pushes.append(request.mutations.count)
        let numbers = request.mutations.map { Int($0.sequence) }
        return server(numbers) ?? .accepted(Wire.response(request))
    }

    private func answer(
        _ instruction: Machine.Instruction, _ server: ([Int]) -> Reply<PushResponse>?
    ) -> Machine.Event {
        switch instruction {
        case .seal(let limit, let skipping):
            let batch = pending.filter { !skipping.contains(Wire.id($0)) }.prefix(limit)
            var request = Wire.request(batch)
            for index in request.mutations.indices {
                guard let text = texts[Int(request.mutations[index].sequence)] else { continue }
                request.mutations[index].changes["reading"]?.value = .string(text)
            }
            return .sealed(batch.isEmpty ? nil : request)
        case .push(let request): return .pushed(reply(to: request, server))
        // Nothing is put together meanwhile: what follows is a seal.
        case .exchange(let exchange):
            return .exchanged(reply(to: exchange.request, server), next: nil)
        case .settle(let response, _):
            for verdict in response.results where verdict.status != .held {
                settled.insert(verdict.mutationId)
                pending.removeAll { Wire.id($0) == verdict.mutationId }
            }
        case .fail(let id, let reason):
            failed[id] = reason
            pending.removeAll { Wire.id($0) == id }
        case .countFailures(let ids, _): counted += ids
        case .split(let id):
            splits.append(id)
            return .split(false)
        default: break
        }
        return .done
    }
}
