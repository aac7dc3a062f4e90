import Coding
import Inspections
import Replication
import Sync

/// A device of a storm: the real machine and schedule over a queue in memory. No thread of its own
/// blocks in a call; a cycle goes on when its answer comes.
final class StormDevice {
    let index: Int
    let queue: StormQueue
    private unowned let storm: Storm
    private var schedule = Schedule()
    private var armed = 0
    /// The cycle under way.
    private var machine: Machine?
    /// Until when the server asked not to be bothered.
    private var askedUntil: Int64 = 0

    init(_ index: Int, mutations: Int, in storm: Storm) {
        self.index = index
        self.storm = storm
        queue = StormQueue(index, mutations: mutations)
    }

    var isDone: Bool { queue.waiting.isEmpty && machine == nil }

    func wake(_ reason: Schedule.Wake) {
        schedule.wake(reason, now: now, random: random)
        arm()
    }

    private var now: Int64 { Ground.morning + storm.timeline.now }

    private func arm() {
        armed += 1
        let number = armed
        guard machine == nil, !queue.waiting.isEmpty, let delay = schedule.delay(now: now) else {
            return
        }
        storm.timeline.after(delay) { [self] in
            if number == armed, machine == nil { try begin() }
        }
    }

    private func begin() throws {
        guard storm.timeline.now >= askedUntil else {
            throw Violation("Retry-After is not honoured", "device \(index)")
        }
        schedule.begin()
        machine = Machine()
        goOn(.begin)
    }

    /// As `Cycle` carries out what the machine says, until the next call.
    private func goOn(_ first: Machine.Event) {
        var event = first
        while let instruction = machine?.handle(event) {
            switch instruction {
            case .finish(let outcome): return end(outcome)
            case .push(let request):
                return send(.push(request)) { .pushed($0.reply(PushResponse.init(json:))) }
            case .exchange(let exchange): return send(exchange)
            case .adopt(let response, var next):
                next.baton = response.baton
                event = .adopted(next)
            case .pull:
                return send(.pull(queue.pullRequest)) {
                    .pulled($0.reply(PullResponse.init(json:)))
                }
            case .listForms:
                return send(.forms) { .formsListed($0.reply(FormListing.list(in:))) }
            case .seal(let limit, let skipping):
                event = .sealed(queue.sealBatch(limit: limit, skipping: skipping))
            case .settle(let response, _):
                queue.settle(by: response)
                event = .done
            case .apply(let page):
                queue.cursor = page.nextCursor
                event = .done
            case .findMissing: event = .formsMissing([])
            case .compare: event = .compared(differing: [])
            case .beginRepair: event = .repairBegun(false)
            case .findCopies: event = .copiesFound(nil)
            case .split: event = .split(false)
            // Nothing of this has to be kept, or happens in a storm.
            case .recover, .fail, .countFailures, .takeNewNode, .keepTicket, .restartPull,
                .fetchForm, .storeForm, .offerCopies, .settleCopies, .setAsideCopies:
                event = .done
            }
        }
    }

    private func end(_ outcome: CycleOutcome) {
        let madeProgress = machine?.madeProgress ?? false
        machine = nil
        schedule.ended(outcome, madeProgress: madeProgress, now: now, random: random)
        arm()
    }

    private func random(below limit: Int64) -> Int64 { Int64(storm.dice.below(Int(limit))) }

    /// What is done while the call runs takes no time here.
    private func send(_ exchange: Exchange) {
        if let before = exchange.before { queue.settle(by: before.response) }
        let underWay = Set(exchange.request.mutations.map(\.id))
        let next = queue.sealBatch(
            limit: exchange.limit, skipping: exchange.skipping.union(underWay))
        send(.push(exchange.request)) {
            .exchanged($0.reply(PushResponse.init(json:)), next: next)
        }
    }

    private func send(_ call: WireCall, _ read: @escaping (TransportOutcome) -> Machine.Event) {
        storm.timeline.after(storm.latency()) { [self] in
            storm.server.take(call, from: index) { [self] outcome in
                storm.timeline.after(storm.latency()) { [self] in
                    if case .answer(let answer) = outcome, let wait = answer.retryAfterSeconds {
                        askedUntil = storm.timeline.now + 1000 * wait
                    }
                    goOn(read(outcome))
                }
            }
        }
    }
}

/// A queue of changes of one inspection. What a real store does with them is not the matter here.
final class StormQueue {
    private(set) var waiting: [Mutation]
    /// How often each was acknowledged.
    private(set) var settled: [MutationID: Int] = [:]
    private let node: NodeID
    private var baton: String?
    var cursor: String?

    init(_ index: Int, mutations: Int) {
        node = Ground.node(index)
        let record = RecordID("inspection-\(index)")
        waiting = (0..<mutations).map { number in
            let lamport = Int64(number + 1)
            var values: [FieldName: FieldValue] = ["place": .string("\(number)")]
            if number == 0 {
                values[BuiltInField.form] = .string(Ground.form)
                values[BuiltInField.formVersion] = .string("1")
                values[BuiltInField.state] = .string("inProgress")
            }
            return Mutation(
                id: MutationID("change-\(index)-\(number)"), sequence: lamport,
                table: RecordTable.inspection, record: record, parent: nil,
                operation: number == 0 ? .insert : .update, lamport: lamport,
                changes: values.mapValues {
                    FieldChange(value: $0, baseVersion: 0, lamport: lamport)
                }, createdAtUtc: "2026-03-02T08:00:00.000Z")
        }
    }

    func sealBatch(limit: Int, skipping: Set<MutationID>) -> PushRequest? {
        let batch = waiting.filter { !skipping.contains($0.id) }.prefix(limit)
        guard !batch.isEmpty else { return nil }
        return PushRequest(
            clientNodeId: node, clientEpoch: 0, baton: baton, pullPosition: cursor,
            mutations: Array(batch))
    }

    func settle(by response: PushResponse) {
        baton = response.baton
        for verdict in response.results where verdict.status.isAcknowledgement {
            settled[verdict.mutationId, default: 0] += 1
            waiting.removeAll { $0.id == verdict.mutationId }
        }
    }

    var pullRequest: PullRequest { PullRequest(cursor: cursor) }
}
