import Coding
import Crypto
import LocalStore
import Replication
import Sync

/// `drain`: a store with 1,000 waiting mutations sends them to the built server over TLS on
/// loopback, beside what the server takes of the same mutations from one connection that only pushes.
enum Drain {
    static func measure(mutations: Int = 1000) throws -> Figure {
        let server = try BenchServer(forms: [BenchSources.coldChainPath])
        let bench = try BenchHome()
        let connect = try enrol(bench, at: server)
        for number in 0..<mutations { try enter(number, in: bench) }
        let (drained, cycle) = try run(bench.store, connect())
        let waiting = try bench.store.status().pending
        try bench.store.close()
        let ours = Double(mutations) / drained.seconds
        let alone = try PushRate.alone(server, batches: mutations / PushRequest.mostMutations)
        return Figure(
            name: "drain (\(mutations) mutations)",
            readings: [
                .init(label: "rate", value: ours, unit: "mutations/s"),
                .init(label: "server's own push rate", value: alone, unit: "mutations/s"),
                .init(label: "share of it", value: 100 * ours / alone, unit: "%"),
                .init(label: "the whole cycle", value: cycle.seconds, unit: "s"),
            ],
            goals: [
                .init(text: "nothing is left waiting", holds: waiting == 0),
                .init(text: "at least 80 % of the server's rate", holds: ours >= 0.8 * alone),
            ])
    }

    /// An inspection with the five answers that `PushRate` sends too, in one mutation.
    private static func enter(_ number: Int, in bench: BenchHome) throws {
        let id = try bench.inspection()
        try bench.store.set(BenchSources.answers(number).map { ($0.key, $0.value) }, on: id)
    }

    /// How long it takes until nothing waits any more, and until the cycle is over, which fetches what
    /// the server has made of it and compares.
    private static func run(
        _ store: DeviceStore, _ transport: CurlTransport
    ) throws -> (drained: Duration, cycle: Duration) {
        let clock = ContinuousClock()
        let start = clock.now
        var drained: Duration?
        let cycle = Cycle(replica: store, transport: transport) { count in
            guard drained == nil, let progress = try? count(), progress.waiting == 0 else { return }
            drained = clock.now - start
        }
        let report = cycle.run().report
        let whole = clock.now - start
        guard let drained, report.outcome == .synced else {
            throw BenchFailure.program("the device did not synchronise: \(report.outcome)")
        }
        return (drained, whole)
    }

    private static func enrol(
        _ bench: BenchHome, at server: BenchServer
    ) throws -> () -> CurlTransport {
        let address = try ServerAddress(parsing: server.url)
        let node = try bench.store.position().node
        let enrolled = try Sync.Enrolment(
            at: address, with: EnrollmentCode(parsing: server.enrolmentCode())
        ).enrol(name: "bench", node: node, publicKey: Crypto.random(32))
        let trust = ServerTrust.pinned(pem: Array(enrolled.caPem.utf8), pins: enrolled.pins)
        return {
            CurlTransport(
                address: address, trust: trust,
                credentials: .init(token: enrolled.token, node: node.rawValue))
        }
    }
}
