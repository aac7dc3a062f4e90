import Coding
import Replication
import TestSupport
import Testing

private let stamp = Stamp(lamport: 812, node: "n1")

private let record = WireRecord(
    table: "inspection", id: "8f0c", parent: "a1", version: 5,
    fields: [
        "valve_pressure_psi": .init(value: .double(160.5), stamp: stamp, version: 5),
        "notes": .init(value: .string("👩‍👩‍👧 \"x\"\n"), stamp: stamp, version: 2),
        "count": .init(value: .integer(.max), stamp: stamp, version: 2),
    ], updatedAtUtc: "2026-03-02T08:00:00.000Z")

private let conflict = FieldConflict(
    column: "notes", base: .null, mine: .string("a"), theirs: .string("b"), theirsNode: "n2",
    rule: "ask")

private let server = ServerState(lamport: 900, epoch: 1, timeUtc: "2026-03-02T08:00:00.000Z")

private func back<Message>(
    _ json: JSON, _ read: (JSON) throws(CodingError) -> Message
) throws -> Message {
    try read(JSON.parse(json.serialized()))
}

struct WireTests {
    @Test("every message of the protocol comes back equal")
    func roundTrips() throws {
        var mutation = edit(.update, ["a": 1, "b": 2], base: 4, lamport: 812)
        mutation.changes["a"]?.baseValue = .string("before")
        mutation.parent = "p"
        let push = PushRequest(
            clientNodeId: "n1", clientEpoch: 3, baton: "b7", pullPosition: "c1",
            mutations: [mutation])
        #expect(try back(push.json, PushRequest.init(json:)) == push)
        let verdicts = Verdict.Status.allCases.map { status in
            Verdict(
                mutationId: "m1", status: status, heldBy: status == .held ? "m0" : nil, version: 5,
                record: record, conflicts: [conflict],
                error: WireError(code: "x", column: "notes", message: "why"))
        }
        let answer = PushResponse(results: verdicts, baton: "b8", server: server)
        #expect(try back(answer.json, PushResponse.init(json:)) == answer)
        let page = PullResponse(
            deltaRecords: [record], results: verdicts, removed: ["gone"], nextCursor: "c2",
            hasMore: true, digest: DigestReport(position: "c2", sites: ["": SiteDigest()]),
            server: server)
        #expect(try back(page.json, PullResponse.init(json:)) == page)
        let enroll = EnrollRequest(code: "c", deviceName: "d", nodeId: "n", publicKey: "k")
        #expect(try back(enroll.json, EnrollRequest.init(json:)) == enroll)
        var again = enroll
        for id in [nil, "i"] {
            again.formerTeam = FormerTeam(id: id, name: "north")
            #expect(try back(again.json, EnrollRequest.init(json:)) == again)
        }
        let enrolled = EnrollResponse(
            deviceId: "d", token: "t", team: "north", caPem: "-----BEGIN", pins: ["sha256//x"],
            serverEpoch: 1)
        #expect(try back(enrolled.json, EnrollResponse.init(json:)) == enrolled)
        var named = enrolled
        named.teamId = "t-1"
        named.deviceName = "handheld 7"
        #expect(try back(named.json, EnrollResponse.init(json:)) == named)
        let failure = WireFailure(
            error: WireError(code: "revoked", message: "no"),
            directive: WipeDirective(
                action: "wipe", deviceId: "d", nonce: "n", mode: "now", signature: "s"))
        #expect(try back(failure.json, WireFailure.init(json:)) == failure)
        let forms = [FormListing(id: "f", version: "1", title: "T", state: "open")]
        #expect(try back(FormListing.document(forms), FormListing.list(in:)) == forms)
        let ticket = PushTicket(ticket: "t")
        #expect(try back(ticket.json, PushTicket.init(json:)) == ticket)
    }

    @Test("the keys are those of the protocol's reference")
    func keys() throws {
        let push = PushRequest(
            clientNodeId: "n1", clientEpoch: 0, baton: nil, pullPosition: nil,
            mutations: [edit(.update, ["a": 1], lamport: 1)])
        let request = try push.json.asObject()
        #expect(
            request.keys.sorted() == [
                "baton", "clientEpoch", "clientNodeId", "mutations", "pullPosition",
                "schemaVersion",
            ])
        let mutation = try #require(push.json.array("mutations") { $0 }.first).asObject()
        #expect(
            mutation.keys.sorted() == [
                "base", "changedColumns", "createdAtUtc", "lamportClock", "mutationId",
                "operation", "parentId", "payload", "recordId", "schemaVersion", "sequence",
                "tableName",
            ])
        let page = PullResponse(deltaRecords: [], nextCursor: "c", hasMore: false, server: server)
        #expect(
            try page.json.asObject().keys.sorted() == [
                "deltaRecords", "hasMore", "nextCursor", "removed", "results", "serverEpoch",
                "serverLamport", "serverTimeUtc",
            ])
    }

    @Test("keys of a newer peer are tolerated at every level")
    func unknownKeys() throws {
        let answer = PushResponse(
            results: [Verdict(mutationId: "m", status: .applied, record: record)], baton: "b",
            server: server)
        #expect(try PushResponse(json: addingKeys(to: answer.json)) == answer)
    }

    @Test(
        "a message that is not what it should be is refused with the place",
        arguments: [
            (#"[]"#, "expected an object"), (#"{}"#, "mutations: is missing"),
            (#"{"mutations":{}}"#, "mutations: expected an array"),
            (#"{"mutations":[1]}"#, "mutations[0]: expected an object"),
            (
                #"{"mutations":[{"changedColumns":["a"],"payload":{"b":1}}]}"#,
                "mutations[0].payload: does not match changedColumns"
            ),
            (
                #"{"mutations":[{"changedColumns":["a","a"],"payload":{"a":1}}]}"#,
                "mutations[0].payload: does not match changedColumns"
            ),
            (
                #"{"mutations":[{"changedColumns":["a"],"payload":{"a":true}}]}"#,
                "mutations[0].payload.a: expected a number, a string or null"
            ),
            (
                #"{"mutations":[{"changedColumns":[],"payload":{},"base":{},"mutationId":""}]}"#,
                "mutations[0].mutationId: expected an id of 1 to 64 printable characters"
            ),
            (
                #"{"mutations":[],"clientNodeId":"n","schemaVersion":1.5}"#,
                "schemaVersion: expected an integer"
            ),
            (
                #"{"mutations":[],"clientNodeId":"n","schemaVersion":-1}"#,
                "schemaVersion: expected a count of 0 or more"
            ),
        ])
    func refusals(text: String, message: String) throws {
        let json = try JSON.parse([UInt8](text.utf8))
        do throws(CodingError) {
            _ = try PushRequest(json: json)
            Issue.record("expected a refusal")
        } catch {
            #expect(error.description == message)
        }
    }

    @Test("a batch has at most 50 mutations, each once")
    func batchLimits() throws {
        let batch = { (count: Int64, distinct: Bool) in
            PushRequest(
                clientNodeId: "n", clientEpoch: 0, baton: nil, pullPosition: nil,
                mutations: (1...count).map { number in
                    var mutation = edit(.update, ["a": 1], lamport: number)
                    mutation.id = MutationID(distinct ? "m\(number)" : "m")
                    return mutation
                })
        }
        #expect(try PushRequest(json: batch(50, true).json).mutations.count == 50)
        #expect(throws: CodingError.self) { try PushRequest(json: batch(51, true).json) }
        #expect(throws: CodingError.self) { try PushRequest(json: batch(2, false).json) }
    }

    @Test("20,000 damaged pushes and pulls are read or refused, never more")
    func damaged() {
        var random = SeededRandom(seed: 11)
        let push = PushRequest(
            clientNodeId: "n1", clientEpoch: 3, baton: "b7", pullPosition: "c1",
            mutations: [edit(.update, ["a": 1], base: 4, lamport: 812)])
        let page = PullResponse(
            deltaRecords: [record], nextCursor: "c2", hasMore: true, server: server)
        let samples = [push.json.serialized(), page.json.serialized()]
        for _ in 0..<10_000 {
            for sample in samples {
                var bytes = sample
                for _ in 0...random.below(4) {
                    bytes[random.below(bytes.count)] = random.pick(
                        Array("0123\"{}[],:truenal-".utf8))
                }
                guard let json = try? JSON.parse(bytes) else { continue }
                _ = try? PushRequest(json: json)
                _ = try? PullResponse(json: json)
            }
        }
    }

    @Test("T25 contents decide whether two mutations are one; order of keys and counters do not")
    func contentHash() {
        let one = edit(.update, ["a": 1, "b": 2], base: 1, lamport: 1)
        var same = edit(.update, ["b": 2, "a": 1], base: 7, lamport: 9)
        #expect(one.contentHash == same.contentHash)
        same.changes["a"]?.value = .integer(3)
        #expect(one.contentHash != same.contentHash)
        var other = one
        other.operation = .insert
        #expect(one.contentHash != other.contentHash)
    }

    @Test("the idempotency key belongs to the ids and contents of the batch")
    func idempotencyKey() {
        let batch = { (value: Int64, baton: String) in
            PushRequest(
                clientNodeId: "n", clientEpoch: 0, baton: baton, pullPosition: nil,
                mutations: [edit(.update, ["a": value], lamport: 1)])
        }
        #expect(batch(1, "x").idempotencyKey == batch(1, "y").idempotencyKey)
        #expect(batch(1, "x").idempotencyKey != batch(2, "x").idempotencyKey)
    }

    @Test("a pull's query reads back, its limit within bounds")
    func pullQuery() throws {
        let request = PullRequest(
            cursor: "c", limit: 200,
            report: DeviceReport(
                pending: 3, failed: 1, conflict: 0, inReview: 2,
                oldestUnsyncedUtc: "2026-03-02T08:00:00.000Z"))
        let items = request.queryItems.map { ($0.name, $0.value) }
        #expect(try PullRequest(query: Dictionary(uniqueKeysWithValues: items)) == request)
        #expect(try PullRequest(query: ["limit": "100000"]).limit == 500)
        #expect(throws: CodingError.self) { try PullRequest(query: ["limit": "many"]) }
        #expect(throws: CodingError.self) { try PullRequest(query: ["failed": "-1"]) }
    }

    @Test("a heartbeat says the same as a pull's query, and at least how much waits")
    func heartbeat() throws {
        let report = DeviceReport(pending: 3, failed: 1, conflict: 0, inReview: 2)
        #expect(try DeviceReport(json: .parse(report.json.serialized())) == report)
        #expect(try DeviceReport(json: ["pending": 3]) == DeviceReport(pending: 3))
        #expect(throws: CodingError.self) { try DeviceReport(json: [:]) }
        #expect(throws: CodingError.self) { try DeviceReport(json: ["pending": 1, "failed": -1]) }
    }
}

private func addingKeys(to json: JSON) -> JSON {
    switch json {
    case .array(let elements): return .array(elements.map(addingKeys))
    case .object(let members):
        // The members of "fields" are names of fields, not keys of the protocol.
        var more = members.mapValues { $0 }
        for (key, value) in members where key != "fields" { more[key] = addingKeys(to: value) }
        more["newer"] = ["x": 1]
        return .object(more)
    default: return json
    }
}
