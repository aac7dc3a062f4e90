import Coding
import Replication
import ServerStore
import TestSupport
import Testing

@testable import Gateway

@Suite("Push and pull over HTTP", .timeLimit(.minutes(10)))
struct PushPullTests {
    private func verdicts(_ answer: RawConnection.Answer) throws -> [Verdict] {
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try PushResponse(json: JSON.parse(answer.body)).results
    }

    private func page(_ answer: RawConnection.Answer) throws -> PullResponse {
        try PullResponse(json: JSON.parse(answer.body))
    }

    @Test("an answer goes up and comes down, packed both ways")
    func travels() throws {
        let server = try TestServer()
        let (first, second) = (try server.enrol("a"), try server.enrol("b"))
        let notes = String(repeating: "ice on the valve ", count: 100)
        let push = first.push([first.mutation(notes: notes)])
        let packed = try push.with("Content-Encoding", "gzip")
            .with(body: Gzip.compress(push.body)).send(to: server)
        #expect(try verdicts(packed).map(\.status) == [.applied])
        let pulled = try second.pull().with("Accept-Encoding", "br, gzip;q=0.5").send(to: server)
        #expect(pulled.headers["content-encoding"] == "gzip")
        let page = try PullResponse(
            json: JSON.parse(Gzip.inflate(pulled.body, limit: 1 << 20)))
        let record = page.deltaRecords.first { $0.id == TestServer.inspection }
        #expect(record?.fields["notes"]?.value == .string(notes))
    }

    @Test("T76 whatever a text is made of, it comes back byte for byte, packed both ways")
    func anyText() throws {
        let server = try TestServer()
        let (first, second) = (try server.enrol("a"), try server.enrol("b"))
        var random = SeededRandom(seed: 76)
        for size in [0, 1, 2, 255, 4096, 64 << 10] {
            let text = Self.text(of: size, &random)
            let push = first.push([first.mutation(notes: text)])
            let packed = try push.with("Content-Encoding", "gzip")
                .with(body: Gzip.compress(push.body)).send(to: server)
            #expect(try verdicts(packed).map(\.status) == [.applied], "\(size) bytes")
            first.baton = try PushResponse(json: JSON.parse(packed.body)).baton
            let pulled = try second.pull().with("Accept-Encoding", "gzip").send(to: server)
            let page = try PullResponse(
                json: JSON.parse(Gzip.inflate(pulled.body, limit: 4 << 20)))
            let record = page.deltaRecords.first { $0.id == TestServer.inspection }
            // Compared apart, so that a failure does not print it all.
            let isSame = record?.fields["notes"]?.value == .string(text)
            #expect(isSame, "\(size) bytes")
        }
    }

    /// Scalars from all of Unicode that an answer may hold, up to so many bytes.
    private static func text(of size: Int, _ random: inout SeededRandom) -> String {
        var text = ""
        while text.utf8.count < size {
            let bound = random.pick([0x0B, 0x80, 0x800, 0x10000, 0x110000])
            guard let scalar = Unicode.Scalar(UInt32(random.below(bound))),
                scalar.properties.generalCategory != .control
                    || "\n\t".unicodeScalars.contains(scalar),
                text.utf8.count + UTF8.width(scalar) <= size
            else { continue }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    @Test("F18 a heartbeat is answered in few bytes, and the office sees what it said")
    func heartbeat() throws {
        let server = try TestServer()
        let device = try server.enrol("a")
        let report = DeviceReport(pending: 5, failed: 2, conflict: 1, inReview: 0)
        let answer = try WireRequest(
            "POST", "/api/v1/heartbeat", headers: device.headers, json: report.json.serialized()
        ).send(to: server)
        #expect(answer.status == 200 && answer.body.count < 100)
        #expect(try JSON.parse(answer.body).integer("serverEpoch") == server.store.serverEpoch())
        // What is answered after a commit comes behind what was noted before.
        _ = try device.push([device.mutation(notes: "n")]).send(to: server)
        let row = try #require(try server.store.devices().first { $0.name == "a" })
        #expect(row.report == report)
    }

    @Test("an answer is packed only for who asked for it", arguments: ["", "br", "gzip;q=0"])
    func plain(encoding: String) throws {
        let server = try TestServer()
        let device = try server.enrol()
        let answer = try device.pull().with("Accept-Encoding", encoding).send(to: server)
        #expect(answer.headers["content-encoding"] == nil)
    }

    @Test("T16 a push whose answer was lost has one effect, and its repetition says so")
    func lostAnswer() throws {
        let server = try TestServer()
        let device = try server.enrol()
        let mutation = device.mutation(notes: "once")
        let push = device.push([mutation])
        do {
            // The connection goes before the answer comes: the batch is committed or never read.
            let connection = try server.connect()
            try connection.send(push.bytes)
            connection.finishSending()
        }
        let first = try verdicts(try push.send(to: server))
        let second = try verdicts(try push.send(to: server))
        #expect(first.map(\.mutationId) == [mutation.id])
        #expect(second.map(\.version) == [2], "one effect, one version")
        let records = try page(device.pull().send(to: server)).deltaRecords
        #expect(records.first { $0.id == TestServer.inspection }?.version == 2)
    }

    @Test("T20 each answer names every mutation of the batch, and a refusal names none")
    func namesAll() throws {
        let server = try TestServer()
        let device = try server.enrol()
        let mutations = (0..<50).map { device.mutation(notes: "\($0)") }
        let answer = try verdicts(device.push(mutations).send(to: server))
        #expect(answer.map(\.mutationId) == mutations.map(\.id))
        let refused = try device.push(mutations).with("Authorization", nil).send(to: server)
        #expect(!refused.text.contains("mutationId"))
    }

    @Test("T25 the same mutation with other content is rejected, its neighbours are not")
    func contentMismatch() throws {
        let server = try TestServer()
        let device = try server.enrol()
        let first = device.mutation(notes: "a")
        let answer = try device.push([first]).send(to: server)
        device.baton = try PushResponse(json: JSON.parse(answer.body)).baton
        let forged = device.mutation(notes: "b", id: first.id.rawValue)
        let results = try verdicts(
            device.push([forged, device.mutation(notes: "c")]).send(to: server))
        #expect(results[0].status == .rejected)
        #expect(results[0].error?.code == "content_mismatch")
        #expect(results[1].status != .rejected)
    }

    @Test("T85 a copy of a device is answered forked, logged, and goes on under a new node")
    func forked() throws {
        let server = try TestServer()
        let device = try server.enrol()
        let copy = TestDevice(server: server, answer: device.answer, node: device.node)
        let answer = try device.push([device.mutation(notes: "a")]).send(to: server)
        #expect(answer.status == 200)
        let mutation = copy.mutation(notes: "b")
        let refused = try copy.push([mutation]).send(to: server)
        #expect(refused.status == 409)
        #expect(refused.errorCode == "forked")
        #expect(server.logged.contains { $0.contains("\"forked\"") })
        let other = TestDevice(server: server, answer: device.answer, node: "node-new")
        #expect(try other.pull().send(to: server).status == 200)
        let results = try verdicts(other.push([mutation]).send(to: server))
        #expect(results.map(\.status) == [.conflict], "both readings are there")
    }

    @Test("a revocation counts from the next request on, also on a connection that stays open")
    func revoked() throws {
        let server = try TestServer()
        let device = try server.enrol()
        let connection = try server.connect()
        #expect(try device.pull().send(over: connection).status == 200)
        try server.store.revokeDevice(id: device.answer.deviceId)
        let pull = try device.pull().send(over: connection)
        #expect(pull.status == 403)
        #expect(pull.errorCode == "revoked")
        let push = try device.push([device.mutation(notes: "late")]).send(over: connection)
        #expect(push.status == 403)
        #expect(push.errorCode == "revoked")
    }

    @Test("no log line holds a token, a code, a query or an answer")
    func silentLog() throws {
        let server = try TestServer()
        let code = try server.issueCode()
        _ = try WireRequest.enrol(code: code.text, name: "x").send(to: server)
        let device = try server.enrol()
        _ = try device.push([device.mutation(notes: "marker-4711")]).send(to: server)
        _ = try device.pull("?oldestUnsyncedUtc=marker-4712").send(to: server)
        let log = server.logged.joined(separator: "\n")
        for secret in [code.text, device.answer.token, "marker-4711", "marker-4712"] {
            #expect(!log.contains(secret))
        }
        for line in server.logged {
            #expect(throws: Never.self) { try JSON.parse(Array(line.utf8)) }
        }
    }
}
