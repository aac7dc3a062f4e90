internal import Crypto
internal import Replication
internal import SQLite

/// One writing transaction: the connection, the instant, and the counters, which are read once and
/// written back once however many mutations the transaction holds.
final class WriteSession {
    let connection: Connection
    let forms: FormShelf
    let model: RecordModel
    /// Milliseconds since 1970; the same for everything in the transaction.
    let now: Int64
    /// Changes only when another one begins.
    var epoch: Int64
    private let random: (Int) -> [UInt8]
    private var tally: Tally
    private let stored: Tally

    /// What a mutation changes besides its rows, so that it can be taken back with them.
    private struct Tally: Equatable {
        var position: Int64
        var lamport: Int64
        var digests: [Site: SiteDigest] = [:]
    }

    /// Where a digest is summed: a site, or what a team holds without a site.
    struct Site: Hashable {
        let id: String
        let team: String
    }

    init(
        connection: Connection, forms: FormShelf, model: RecordModel, now: Int64,
        random: @escaping (Int) -> [UInt8]
    ) throws {
        self.model = model
        self.connection = connection
        self.forms = forms
        self.now = now
        self.random = random
        let counters = try connection.counters
        epoch = counters.epoch
        stored = Tally(position: counters.position, lamport: counters.lamport)
        tally = stored
    }

    /// Runs one mutation: all of it or nothing of it. One level of savepoints, never two.
    func unit<Result>(_ body: () throws -> Result) throws -> Result {
        let before = tally
        do {
            return try connection.savepoint(body)
        } catch {
            tally = before
            throw error
        }
    }

    /// Writes the counters and the digests back; the last thing before the commit.
    func finish() throws {
        guard tally != stored else { return }
        try connection.execute(
            "UPDATE counter SET value = ? WHERE name = 'position'", [.integer(tally.position)])
        try connection.execute(
            "UPDATE counter SET value = ? WHERE name = 'lamport'", [.integer(tally.lamport)])
        for (site, digest) in tally.digests {
            try connection.execute(
                "INSERT OR REPLACE INTO site_digest (site_id, team_id, sum) VALUES (?, ?, ?)",
                [.text(site.id), .text(site.team), .blob(digest.bytes)])
        }
    }

    // MARK: Counters

    var position: Int64 { tally.position }
    var lamport: Int64 { tally.lamport }

    /// What an answer says of the server.
    var state: ServerState {
        ServerState(lamport: lamport, epoch: epoch, timeUtc: SyncTimestamp.text(now))
    }

    /// The next place in the feed.
    func advance() -> Int64 {
        tally.position += 1
        return tally.position
    }

    /// - Throws: where the counter jumps too far ahead of the server's.
    func witness(_ counter: Int64) throws {
        var clock = LamportClock(counter: tally.lamport)
        try clock.witness(counter)
        tally.lamport = clock.counter
    }

    func tick() -> Int64 {
        var clock = LamportClock(counter: tally.lamport)
        tally.lamport = clock.tick()
        return tally.lamport
    }

    // MARK: Ids

    func newID() -> String { UUIDText.version4(random: random(16)) }

    /// What makes a baton unlike any other.
    func newSalt() -> String { Hexadecimal.encode(random(16)) }

    // MARK: Digests

    func changeDigest(of site: Site, _ change: (inout SiteDigest) -> Void) throws {
        var digest = try tally.digests[site] ?? connection.siteDigest(site)
        change(&digest)
        tally.digests[site] = digest
    }
}

/// The counter rows, and the epoch, which changes only when the server is restored.
struct Counters {
    let position: Int64
    let lamport: Int64
    let pruned: Int64
    let epoch: Int64

    func state(at now: Int64) -> ServerState {
        ServerState(lamport: lamport, epoch: epoch, timeUtc: SyncTimestamp.text(now))
    }
}

extension Connection {
    var counters: Counters {
        get throws {
            var values: [String: Int64] = [:]
            let sql = "SELECT name, value FROM counter UNION ALL SELECT name, value FROM identity"
            try each(sql) { values[try $0.text(0)] = try $0.integer(1) }
            return Counters(
                position: values["position"] ?? 0, lamport: values["lamport"] ?? 0,
                pruned: values["pruned"] ?? 0, epoch: values["epoch"] ?? 0)
        }
    }
}
