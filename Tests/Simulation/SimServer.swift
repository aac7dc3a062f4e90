import Coding
import Foundation
import Replication
import SQLite
import ServerStore
import Sync

/// The server's program: the real store behind the routes of the gateway, on a disk that fails.
final class SimServer {
    let disk: Disk
    private let folder: String
    private var path: String
    private var restores = 0
    /// What its program knows.
    var model = RecordModel.current
    private let clock: SimClock
    private let source: DiceBox
    private(set) var store: SQLiteStore?
    /// Looks at the tables beside the program; never writes.
    private(set) var reader: Connection?

    init(ground: Ground, clock: SimClock, seed: UInt64) {
        folder = ground.serverFolder
        path = ground.serverPath
        disk = Disk(folder: ground.serverFolder)
        self.clock = clock
        source = DiceBox(seed: seed)
    }

    var isUp: Bool { store != nil }
    var isRestored: Bool { restores > 0 }

    private var environment: SQLiteStore.Environment {
        let (clock, source) = (clock, source)
        return SQLiteStore.Environment(
            now: { clock.now }, random: { source.bytes($0) }, readers: 1, model: model)
    }

    func start() throws {
        store = try SQLiteStore.open(at: path, environment)
        reader = try Connection.open(path, mode: .readOnly)
    }

    /// Ends the program. On a stopped disk nothing of this gets anywhere, as in a crash.
    func end() {
        // What fails here fails because the machine has stopped already.
        try? reader?.close()
        reader = nil
        try? store?.close()
        store = nil
    }

    // MARK: Backups

    /// Beside the program that works.
    /// - Returns: the file.
    func backUp(number: Int) throws -> String {
        let file = folder + "-backup-\(number).db"
        _ = try SQLiteStore.backUp(path, to: file)
        return file
    }

    /// While the program is down: a new file takes the database's place.
    func restore(from backup: String) throws {
        let replaced = try SQLiteStore.settle(path)
        restores += 1
        path = folder + "/restored-\(restores).db"
        try Disk.copy(backup, to: path)
        _ = try SQLiteStore.prepareRestored(
            path, named: "the backup", replacing: replaced, environment)
    }

    // MARK: Requests

    /// - Returns: nil where the program ended before it answered.
    func answer(
        _ call: WireCall, from device: Handheld, _ oracle: Oracle
    ) throws -> WireAnswer? {
        guard let store else { return nil }
        defer { store.waitUntilIdle() }
        do {
            return try route(call, from: device, store, oracle)
        } catch let violation as Violation {
            throw violation
        } catch {
            return disk.hasStopped ? nil : Self.refusal(error)
        }
    }

    private func route(
        _ call: WireCall, from handheld: Handheld, _ store: SQLiteStore, _ oracle: Oracle
    ) throws -> WireAnswer {
        guard
            let device = try store.device(
                tokenHash: Ground.tokenHash(handheld.account),
                node: call.node ?? handheld.speaksAs)
        else {
            return WireAnswer.failure(401, "unauthorized")
        }
        guard device.state == .active else { return WireAnswer.failure(403, "revoked") }
        let parts = call.path.split(separator: "?", maxSplits: 1)
        switch parts[0] {
        case "/api/v1/sync/push":
            let request = try PushRequest(json: .parse(call.body ?? []))
            let response = try oracle.watch(
                request, by: handheld.node, store, self
            ) { request in
                try store.push(request, from: device, idempotencyKey: call.idempotencyKey)
            }
            return .json(response.json)
        case "/api/v1/sync/pull":
            let query = parts.count > 1 ? Self.query(parts[1]) : [:]
            let page = try store.pull(PullRequest(query: query), by: device)
            return .json(oracle.hideUncommitted(page).json)
        case "/api/v1/sync/copies":
            let request = try CopyRequest(json: .parse(call.body ?? []))
            let response: CopyResponse
            do {
                response = try store.takeCopies(request, from: device)
            } catch {
                if disk.hasStopped { oracle.noteUncertain() }
                throw error
            }
            if let reader { try oracle.watch(request, response, reader) }
            return .json(response.json)
        case "/api/v1/forms": return .json(FormListing.document(try store.publishedForms()))
        default:
            let names = parts[0].split(separator: "/").suffix(2).map(String.init)
            guard let form = try store.form(id: names[0], version: names[1]) else {
                return .failure(404, "unknown_form")
            }
            return WireAnswer(status: 200, body: form.definition)
        }
    }

    static func query(_ text: Substring) -> [String: String] {
        var items: [String: String] = [:]
        for item in text.split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1)
            items[String(pair[0])] = String(pair.last ?? "").removingPercentEncoding
        }
        return items
    }

    /// The gateway's table, as far as devices meet it.
    static func refusal(_ error: any Error) -> WireAnswer {
        switch error {
        case let error as ServerStoreError:
            switch error.code {
            case .overloaded: .failure(503, "overloaded", retryAfter: 2)
            case .cursorExpired: .failure(410, "cursor_expired")
            case .forked: .failure(409, "forked")
            case .badCursor: .failure(400, "bad_cursor")
            case .wrongNode: .failure(403, "wrong_node")
            case .keyReused: .failure(422, "idempotency_key_reused")
            case .tooManyMutations: .failure(413, "too_many_mutations")
            case .unknownDevice: .failure(403, "revoked")
            default: .failure(400, "refused")
            }
        case is CodingError: .failure(400, "bad_request")
        case is ReplicationError: .failure(400, "bad_request")
        default: .failure(503, "unavailable", retryAfter: 5)
        }
    }
}

extension WireAnswer {
    static func json(_ document: JSON) -> WireAnswer {
        WireAnswer(status: 200, body: document.serialized())
    }

    static func failure(_ status: Int, _ code: String, retryAfter: Int64? = nil) -> WireAnswer {
        let error = WireFailure(error: WireError(code: code, message: "by the simulation"))
        return WireAnswer(
            status: status, retryAfterSeconds: retryAfter, body: error.json.serialized())
    }

    /// Of something that stands before the server.
    static func page(_ status: Int, retryAfter: Int64? = nil) -> WireAnswer {
        WireAnswer(
            status: status, contentType: "text/html", retryAfterSeconds: retryAfter,
            body: Array("<html>Welcome</html>".utf8))
    }
}
