import Coding
import Crypto
import LocalStore
import Replication
import Sync

/// `drain`: a store with 1,000 waiting mutations sends them to the built server over TLS on
/// loopback, beside what the server takes from one connection that only pushes.
enum Drain {
    static func measure(mutations: Int = 1000) throws -> Figure {
        let server = try BenchServer(forms: [BenchSources.coldChainPath])
        let bench = try BenchHome()
        let connect = try enrol(bench, at: server)
        for _ in 0..<mutations { _ = try bench.inspection() }
        var pushed = 0
        let duration = elapsed {
            let report = Cycle.runOnDemand(
                replica: bench.store, transport: connect(), now: BenchSources.now)
            pushed = report.pushed
        }
        let waiting = try bench.store.status().pending
        try bench.store.close()
        let ours = Double(pushed) / duration.seconds
        let alone = try PushRate.alone(server, batches: mutations / 50)
        return Figure(
            name: "drain (\(mutations) mutations)",
            readings: [
                .init(label: "rate", value: ours, unit: "mutations/s"),
                .init(label: "server's own push rate", value: alone, unit: "mutations/s"),
                .init(label: "ratio", value: ours / alone, unit: "x"),
            ],
            goals: [
                .init(text: "nothing is left waiting", holds: waiting == 0 && pushed == mutations),
                .init(text: "at least 80 % of the server's rate", holds: ours >= 0.8 * alone),
            ])
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
