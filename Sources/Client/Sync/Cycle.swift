internal import Coding
internal import Crypto
package import Replication

/// Carries out the machine's instructions against a replica and a transport, on the caller's
/// thread, until the cycle is over.
package struct Cycle {
    private let replica: any Replica
    private let transport: any Transport
    private let batchSize: Int
    private let progress: (() throws -> CycleProgress) -> Void
    private let shouldStop: () -> Bool

    /// - Parameters:
    ///   - size: mutations of one batch.
    ///   - progress: told after each batch and page; counts only where it asks.
    ///   - shouldStop: asked between instructions; a running call is ended by the transport's own
    ///     `cancel`.
    package init(
        replica: any Replica, transport: any Transport,
        batchesOf size: Int = Machine.batchSize,
        progress: @escaping (() throws -> CycleProgress) -> Void = { _ in },
        shouldStop: @escaping () -> Bool = { false }
    ) {
        self.replica = replica
        self.transport = transport
        batchSize = size
        self.progress = progress
        self.shouldStop = shouldStop
    }

    package struct Result: Sendable {
        package var report: CycleReport
        package var madeProgress: Bool
    }

    package func run() -> Result {
        var machine = Machine(batchesOf: batchSize)
        var event = Machine.Event.begin
        // Who asks, where that is not who the transport was made for.
        var node: NodeID?
        while true {
            let instruction = machine.handle(event)
            if case .finish(let outcome) = instruction {
                transport.disconnect()
                return Result(
                    report: report(machine, outcome), madeProgress: machine.madeProgress)
            }
            let isEnding = instruction == .recover
            event = shouldStop() && !isEnding ? .stop : carryOut(instruction, as: &node)
            if instruction.moves { tell(machine) }
        }
    }

    /// Of a page the machine counts the records when it hears that they stand: here it is the one
    /// before.
    private func tell(_ machine: Machine) {
        progress {
            CycleProgress(
                pushed: machine.pushed, waiting: try replica.waiting(), pulled: machine.pulled)
        }
    }

    private func report(_ machine: Machine, _ outcome: CycleOutcome) -> CycleReport {
        var report = CycleReport(outcome: outcome)
        report.pushed = machine.pushed
        report.pulled = machine.pulled
        report.hasNewNode = machine.hasNewNode
        do {
            try replica.askAboutDeleted()
            report.waiting = try replica.outboxCounts()
        } catch {
            // A finished cycle stays finished, but nobody may read "nothing waits" from it.
            report.outcome = .storeFailed("\(error)")
        }
        return report
    }

    private func carryOut(
        _ instruction: Machine.Instruction, as node: inout NodeID?
    ) -> Machine.Event {
        do {
            if instruction == .takeNewNode {
                node = try replica.takeNewNode()
                return .done
            }
            return try storeWork(instruction) ?? wireWork(instruction, as: node)
        } catch {
            return .storeFailed("\(error)")
        }
    }

    /// Nil where the instruction is for the wire.
    private func storeWork(_ instruction: Machine.Instruction) throws -> Machine.Event? {
        switch instruction {
        case .recover: try replica.recover()
        case .seal(let limit, let skipping):
            return .sealed(try replica.sealBatch(limit: limit, skipping: skipping))
        case .adopt(let response, let next):
            return .adopted(try replica.adopt(response, before: next))
        case .settle(let response, let request): try replica.settle(request, by: response)
        case .fail(let id, let reason): try replica.fail(id, error: reason)
        case .countFailures(let ids, let reason):
            for id in ids { try replica.blame(id, error: reason) }
        case .split(let id): return .split(try replica.split(id))
        case .keepTicket(let request):
            try replica.keepTicket(for: request.mutations.map(\.id))
        case .apply(let page): try replica.take(page)
        case .restartPull: try replica.restartPull()
        case .findMissing(let listing):
            return .formsMissing(try listing.filter { try replica.wantsForm($0) })
        case .storeForm(let form, let listing): try replica.store(form: form, listing: listing)
        case .compare(let digest):
            return .compared(differing: try replica.sitesDiffering(from: digest))
        case .beginRepair(let sites): return .repairBegun(try replica.beginRepair(of: sites))
        case .findCopies(let limit, let skipping):
            return .copiesFound(try replica.copiesToOffer(limit: limit, skipping: skipping))
        case .setAsideCopies(let refused, let counted):
            try replica.setAside(refused)
            try replica.countRefusals(counted)
        case .settleCopies(let response, let request):
            return .copiesSettled(epochBegan: try replica.settle(request, by: response))
        case .takeNewNode, .push, .exchange, .pull, .listForms, .fetchForm, .offerCopies, .finish:
            return nil
        }
        return .done
    }

    private func wireWork(
        _ instruction: Machine.Instruction, as node: NodeID?
    ) throws -> Machine.Event {
        let send = { (call: WireCall) in
            var call = call
            call.node = node
            return transport.send(call)
        }
        switch instruction {
        case .push(let request):
            return .pushed(send(.push(request)).reply(PushResponse.init(json:)))
        case .exchange(let exchange): return try carryOut(exchange, as: node)
        case .pull:
            let call = WireCall.pull(try replica.pullRequest())
            return .pulled(send(call).reply(PullResponse.init(json:)))
        case .offerCopies(let request):
            return .copiesOffered(send(.copies(request)).reply(CopyResponse.init(json:)))
        case .listForms: return .formsListed(send(.forms).reply(FormListing.list(in:)))
        case .fetchForm(let listing):
            return .formFetched(send(.form(listing)).reply { $0 })
        default: preconditionFailure("\(instruction) is not for the wire")
        }
    }
}

extension Cycle {
    private func carryOut(_ exchange: Exchange, as node: NodeID?) throws -> Machine.Event {
        var call = WireCall.push(exchange.request)
        call.node = node
        var next: Swift.Result<PushRequest?, any Error> = .success(nil)
        let outcome = transport.send(call) {
            next = Swift.Result {
                if let before = exchange.before {
                    try replica.settle(before.request, by: before.response)
                }
                return try replica.prepareBatch(
                    behind: exchange.request, limit: exchange.limit, skipping: exchange.skipping)
            }
        }
        // A store that failed ends the cycle, as if the answer had been lost.
        return .exchanged(outcome.reply(PushResponse.init(json:)), next: try next.get())
    }
}

extension Machine.Instruction {
    /// Whether mutations leave the queue by it, or records come.
    fileprivate var moves: Bool {
        switch self {
        case .settle, .apply: true
        case .exchange(let exchange): exchange.before != nil
        default: false
        }
    }
}

extension WireCall {
    package static func push(_ request: PushRequest) -> WireCall {
        WireCall(
            method: .post, path: "/api/v1/sync/push", body: request.document,
            idempotencyKey: request.idempotencyKey)
    }

    package static func pull(_ request: PullRequest) -> WireCall {
        let query = request.queryItems.map { "\($0.name)=\(encoded($0.value))" }
        return WireCall(path: "/api/v1/sync/pull?" + query.joined(separator: "&"))
    }

    static func copies(_ request: CopyRequest) -> WireCall {
        WireCall(
            method: .post, path: "/api/v1/sync/copies", body: request.json.serialized(),
            idempotencyKey: nil)
    }

    package static let forms = WireCall(path: "/api/v1/forms")

    static func form(_ listing: FormListing) -> WireCall {
        WireCall(path: "/api/v1/forms/\(encoded(listing.id))/\(encoded(listing.version))")
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isUnreserved =
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"), UInt8(ascii: "~"):
                    true
                default: false
                }
            return isUnreserved
                ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte]).uppercased()
        }.joined()
    }
}
