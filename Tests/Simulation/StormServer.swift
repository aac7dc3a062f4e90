import Coding
import Foundation
import Replication
import SQLite
import ServerStore
import Sync

/// The server of a storm: the real store, and before it a door that takes so many requests at once,
/// one after another, in virtual time.
final class StormServer {
    enum State {
        case unreachable
        /// Answers that it cannot work yet.
        case starting
        case working
    }

    var state = State.unreachable
    private let store: SQLiteStore
    private let path: String
    private let timeline: Timeline
    /// As the store's queue is bounded.
    private static let mostWaiting = 256
    private var waiting = 0
    /// Microseconds of virtual time.
    private var busyUntil: Int64 = 0
    private(set) var arrivals: [Int64] = []
    private(set) var refused = 0
    /// From a request's arrival to its answer, in milliseconds, of those that were taken.
    private(set) var delays: [Int64] = []

    init(folder: String, devices: Int, on timeline: Timeline, seed: UInt64) throws {
        self.timeline = timeline
        path = folder + "/server.db"
        let source = DiceBox(seed: seed)
        store = try SQLiteStore.create(
            at: path,
            SQLiteStore.Environment(
                now: { Ground.morning }, random: { source.bytes($0) }, readers: 1))
        try store.publish(Ground.definition())
        for index in 0..<devices {
            let (team, secret) = ("team \(index / 20)", Self.secret(index))
            if index % 20 == 0 { _ = try store.addTeam(named: team) }
            _ = try store.issueCode(
                team: team, deviceName: nil, secretHash: secret, validFor: 3_600_000)
            _ = try store.enrol(
                ServerStore.Enrolment(
                    secretHash: secret, deviceName: "device \(index)", node: Ground.node(index),
                    publicKey: "", tokenHash: secret))
        }
    }

    private static func secret(_ index: Int) -> [UInt8] {
        [UInt8](repeating: 1, count: 30) + [UInt8(index >> 8), UInt8(index & 255)]
    }

    /// - Parameter reply: called when the answer leaves.
    func take(_ call: WireCall, from index: Int, _ reply: @escaping (TransportOutcome) -> Void) {
        guard state != .unreachable else { return reply(.fault(.unreachable)) }
        arrivals.append(timeline.now)
        guard state == .working else {
            refused += 1
            return reply(.answer(.failure(503, "unavailable", retryAfter: 5)))
        }
        guard waiting < Self.mostWaiting else {
            refused += 1
            return reply(.answer(.failure(503, "overloaded", retryAfter: 2)))
        }
        waiting += 1
        let begun = timeline.now
        busyUntil = max(busyUntil, begun * 1000) + Self.work(call)
        timeline.after(busyUntil / 1000 - begun) { [self] in
            waiting -= 1
            delays.append(timeline.now - begun)
            reply(.answer(answer(call, from: index)))
        }
    }

    /// Microseconds: what a small machine needs, as walkdown-bench measures it.
    private static func work(_ call: WireCall) -> Int64 { call.body == nil ? 500 : 4_000 }

    private func answer(_ call: WireCall, from index: Int) -> WireAnswer {
        defer { store.waitUntilIdle() }
        do {
            guard let device = try store.device(tokenHash: Self.secret(index), node: nil) else {
                return .failure(401, "unauthorized")
            }
            if let body = call.body {
                let request = try PushRequest(json: .parse(body))
                return .json(
                    try store.push(request, from: device, idempotencyKey: call.idempotencyKey).json)
            }
            let parts = call.path.split(separator: "?", maxSplits: 1)
            guard parts.count > 1 else { return .json(FormListing.document([])) }
            return .json(
                try store.pull(PullRequest(query: SimServer.query(parts[1])), by: device).json)
        } catch {
            return SimServer.refusal(error)
        }
    }

    // MARK: At the end

    /// - Throws: `Violation` where a change is missing, or stands twice.
    func check(devices: Int, mutationsEach count: Int) throws {
        try store.close()
        let database = try Connection.open(path, mode: .readOnly)
        let result = Result { try Self.check(database, devices: devices, mutationsEach: count) }
        try database.close()
        try result.get()
    }

    private static func check(
        _ database: Connection, devices: Int, mutationsEach count: Int
    ) throws {
        let verdicts = try database.first(
            "SELECT count(*) FROM verdict WHERE status = 'applied'"
        ) { try $0.integer(0) }
        guard verdicts == Int64(devices * count) else {
            throw Violation("changes are lost", "\(verdicts ?? 0) of \(devices * count) came")
        }
        // Each change is a version more of its record, and the last one stands.
        let whole = try database.first(
            """
            SELECT count(*) FROM record JOIN field ON record_id = record.id AND name = 'place'
            WHERE table_name = 'inspection' AND record.version = ?1
                AND value = CAST(?1 - 1 AS TEXT)
            """, [.integer(Int64(count))]
        ) { try $0.integer(0) }
        guard whole == Int64(devices) else {
            throw Violation("changes stand twice", "\(whole ?? 0) of \(devices) records are right")
        }
    }
}
