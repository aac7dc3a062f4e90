import Coding
import Crypto
import Foundation
import Inspections
import Replication
import SQLite
import Sync
import Synchronization

/// `push`: mutations a second that the built server accepts over TLS on loopback, with 1 and with 16
/// connections, beside bare transactions of the same rows on the same disk.
enum PushRate {
    static func measure() throws -> Figure {
        let form = BenchSources.checkout
            .appendingPathComponent("Resources/forms/cold_chain_equipment.json").path
        let server = try BenchServer(forms: [form])
        let alone = try rate(of: [try PushConnection(to: server, batches: 60)])
        let crowd = try (0..<16).map { _ in try PushConnection(to: server, batches: 12) }
        let together = try rate(of: crowd)
        let bare = try BareRows.rate(transactions: 120)
        return Figure(
            name: "push",
            readings: [
                .init(label: "1 connection", value: alone, unit: "mutations/s"),
                .init(label: "16 connections", value: together, unit: "mutations/s"),
                .init(label: "bound", value: bare, unit: "mutations/s"),
                .init(label: "share of the bound", value: 100 * together / bare, unit: "%"),
            ],
            goals: [
                .init(text: "at least half of the bound", holds: together >= bare / 2),
                .init(text: "at least 5,000 mutations/s", holds: together >= 5000),
            ])
    }

    /// What one device alone gets accepted, in mutations per second.
    static func alone(_ server: BenchServer, batches: Int) throws -> Double {
        try rate(of: [try PushConnection(to: server, batches: batches)])
    }

    /// All connections at once, each on its own thread: they mostly wait for the server.
    private static func rate(of connections: [PushConnection]) throws -> Double {
        let faults = Mutex<[any Error]>([])
        let running = DispatchGroup()
        let duration = elapsed {
            for connection in connections {
                running.enter()
                Thread.detachNewThread {
                    do {
                        try connection.pushAll()
                    } catch {
                        faults.withLock { $0.append(error) }
                    }
                    running.leave()
                }
            }
            running.wait()
        }
        if let fault = faults.withLock({ $0.first }) { throw fault }
        let mutations = connections.reduce(0) { $0 + $1.mutationCount }
        return Double(mutations) / duration.seconds
    }
}

/// An enrolled device as the wire sees one, with batches of new inspections made beforehand.
private final class PushConnection: Sendable {
    private let transport: CurlTransport
    private let batches: [Batch]

    var mutationCount: Int { batches.count * PushRequest.mostMutations }

    init(to server: BenchServer, batches: Int) throws {
        let address = try ServerAddress(parsing: server.url)
        let node = NodeID(BenchSources.newID())
        let code = try EnrollmentCode(parsing: server.enrolmentCode())
        let enrolled = try Enrolment(at: address, with: code).enrol(
            name: "bench", node: node, publicKey: Crypto.random(32))
        transport = CurlTransport(
            address: address,
            trust: .pinned(pem: Array(enrolled.caPem.utf8), pins: enrolled.pins),
            credentials: CurlTransport.Credentials(token: enrolled.token, node: node.rawValue))
        self.batches = (0..<batches).map { Batch(number: $0, node: node) }
    }

    func pushAll() throws {
        var baton = "null"
        for batch in batches {
            let call = batch.call(baton: baton)
            guard case .answer(let answer) = transport.send(call), answer.status == 200 else {
                throw BenchFailure.program("the server did not take a batch")
            }
            // Counted in the bytes: reading the answers is the devices' work, measured by `drain`.
            let text = String(decoding: answer.body, as: UTF8.self)
            guard text.ranges(of: "\"status\":\"applied\"").count == PushRequest.mostMutations
            else { throw BenchFailure.program("the server did not apply a mutation") }
            guard let next = text.firstMatch(of: #/"baton":("[^"\\]+")/#) else {
                throw BenchFailure.program("the server gave no baton")
            }
            baton = String(next.1)
        }
    }
}

/// The bytes of a batch, but for the baton, which the answer before brings.
private struct Batch: Sendable {
    private let head: [UInt8]
    private let tail: [UInt8]
    private let key: String

    init(number: Int, node: NodeID) {
        let first = number * PushRequest.mostMutations
        let request = PushRequest(
            clientNodeId: node, clientEpoch: 0, baton: nil, pullPosition: nil,
            mutations: (1...PushRequest.mostMutations).map { Batch.mutation(first + $0) })
        let member = Array("\"baton\":".utf8)
        let body = request.json.serialized()
        guard let place = body.firstRange(of: member) else {
            preconditionFailure("a batch has a baton")
        }
        head = Array(body[..<place.upperBound])
        tail = Array(body[place.upperBound...].dropFirst("null".utf8.count))
        key = request.idempotencyKey
    }

    /// - Parameter baton: as it stands in JSON.
    func call(baton: String) -> WireCall {
        WireCall(
            method: .post, path: "/api/v1/sync/push", body: head + Array(baton.utf8) + tail,
            idempotencyKey: key)
    }

    /// A new inspection with five answers: eight fields.
    private static func mutation(_ number: Int) -> Mutation {
        let count = Int64(number)
        var values = BenchSources.answers(number)
        values[BuiltInField.form] = .string("cold_chain_equipment")
        values[BuiltInField.formVersion] = .string("1")
        values[BuiltInField.state] = .string("inProgress")
        return Mutation(
            id: MutationID(BenchSources.newID()), sequence: count,
            table: RecordTable.inspection, record: RecordID(BenchSources.newID()), parent: nil,
            operation: .insert, lamport: count,
            changes: values.mapValues { FieldChange(value: $0, lamport: count) },
            createdAtUtc: SyncTimestamp.text(BenchSources.now()))
    }
}

/// The rows that such a batch leaves on the server, written by prepared statements and nothing else:
/// a record, its eight fields, the verdict; fifty of them a transaction, each with its fsync.
private enum BareRows {
    static func rate(transactions: Int) throws -> Double {
        let folder = try BenchFolder()
        let connection = try Connection.open(folder.path + "/bare.db", mode: .create) {
            try $0.run(script: schema)
        }
        let perTransaction = PushRequest.mostMutations
        let duration = try elapsed {
            for transaction in 0..<transactions {
                try connection.transaction {
                    for index in 0..<perTransaction {
                        try write(transaction * perTransaction + index, to: connection)
                    }
                }
            }
        }
        try connection.close()
        return Double(transactions * perTransaction) / duration.seconds
    }

    private static let schema = """
        CREATE TABLE record (id TEXT PRIMARY KEY, position INTEGER NOT NULL UNIQUE, row BLOB)
            WITHOUT ROWID;
        CREATE TABLE field (record_id TEXT, name TEXT, value, node TEXT,
            PRIMARY KEY (record_id, name)) WITHOUT ROWID;
        CREATE TABLE verdict (id TEXT PRIMARY KEY, sequence INTEGER NOT NULL UNIQUE, hash BLOB)
            WITHOUT ROWID;
        """

    private static func write(_ number: Int, to connection: Connection) throws {
        let id = BenchSources.newID()
        let count = DatabaseValue.integer(Int64(number))
        try connection.execute(
            "INSERT INTO record VALUES (?, ?, ?)",
            [.text(id), count, .blob([UInt8](repeating: 7, count: 120))])
        for field in 0..<8 {
            try connection.execute(
                "INSERT INTO field VALUES (?, ?, ?, ?)",
                [
                    .text(id), .text("question_\(field)"), .text("an answer of some length"),
                    .text(id),
                ])
        }
        try connection.execute(
            "INSERT INTO verdict VALUES (?, ?, ?)",
            [.text(BenchSources.newID()), count, .blob([UInt8](repeating: 7, count: 32))])
    }
}
