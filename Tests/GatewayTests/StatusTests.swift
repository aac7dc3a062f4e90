import Coding
import HTTP
import Replication
import ServerStore
import TestSupport
import Testing

@testable import Gateway

/// The statuses of the contract, one row each.
@Suite("Statuses", .timeLimit(.minutes(10)))
struct StatusTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var status: Int
        var code: String?
        var request: @Sendable (TestDevice) throws -> WireRequest

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "health", status: 200) { _ in WireRequest("GET", "/health") },
        Row(name: "the authority's certificate", status: 200) { _ in
            WireRequest("GET", "/api/v1/ca")
        },
        Row(name: "a pull", status: 200) { $0.pull() },
        Row(name: "the forms", status: 200) {
            WireRequest("GET", "/api/v1/forms", headers: $0.headers)
        },
        Row(name: "a form", status: 200) {
            WireRequest("GET", "/api/v1/forms/cold/1", headers: $0.headers)
        },
        Row(name: "a push", status: 200) { $0.push([$0.mutation(notes: "a")]) },
        Row(name: "a push without a node header", status: 200) {
            $0.push([$0.mutation(notes: "a")]).with("X-Client-Node-Id", nil)
        },
        Row(name: "no JSON", status: 400, code: "bad_json") {
            $0.push([]).with(body: Array("hello".utf8))
        },
        Row(name: "an empty body", status: 400, code: "bad_json") { $0.push([]).with(body: []) },
        Row(name: "another message", status: 400, code: "bad_request") {
            $0.push([]).with(body: Array("{}".utf8))
        },
        Row(name: "damaged gzip", status: 400, code: "bad_gzip") {
            $0.push([]).with("Content-Encoding", "gzip")
        },
        Row(name: "a cursor that is none", status: 400, code: "bad_cursor") {
            $0.pull("?cursor=%21%21")
        },
        Row(name: "a limit that is none", status: 400, code: "bad_request") {
            $0.pull("?limit=many")
        },
        Row(name: "an idempotency key with blanks", status: 400, code: "bad_idempotency_key") {
            $0.push([], key: "a b")
        },
        Row(name: "no token", status: 401, code: "unauthorized") {
            $0.pull().with("Authorization", nil)
        },
        Row(name: "a wrong token", status: 401, code: "unauthorized") {
            $0.pull().with("Authorization", "Bearer " + String(repeating: "0", count: 64))
        },
        Row(name: "another scheme", status: 401, code: "unauthorized") {
            $0.pull().with("Authorization", "Basic YTpi")
        },
        Row(name: "a push without a token", status: 401, code: "unauthorized") {
            $0.push([]).with("Authorization", nil)
        },
        Row(name: "another node", status: 403, code: "wrong_node") {
            $0.pull().with("X-Client-Node-Id", try $0.server.enrol("other").node)
        },
        Row(name: "another node in the batch", status: 403, code: "wrong_node") {
            let request = PushRequest(
                clientNodeId: "node-other", clientEpoch: 1, baton: nil, schemaVersion: 1,
                pullPosition: nil, mutations: [])
            return $0.push([]).with(body: request.json.serialized())
        },
        Row(name: "an unknown path", status: 404, code: "not_found") {
            WireRequest("GET", "/api/v1/nothing", headers: $0.headers)
        },
        Row(name: "the root", status: 404, code: "not_found") { _ in WireRequest("GET", "/") },
        Row(name: "an unknown form", status: 404, code: "unknown_form") {
            WireRequest("GET", "/api/v1/forms/cold/99", headers: $0.headers)
        },
        Row(name: "another method", status: 405, code: "method_not_allowed") {
            WireRequest("DELETE", "/api/v1/sync/push", headers: $0.headers)
        },
        Row(name: "a GET of a push", status: 405, code: "method_not_allowed") {
            WireRequest("GET", "/api/v1/sync/push", headers: $0.headers)
        },
        Row(name: "a method of nobody", status: 405, code: "method_not_allowed") { _ in
            WireRequest("FROB", "/health")
        },
        Row(name: "51 mutations", status: 413, code: "too_many_mutations") { device in
            device.push((0..<51).map { device.mutation(notes: "\($0)") })
        },
        Row(name: "copies of 51 records", status: 413, code: "too_many_records") { device in
            device.copies(records: 51, fields: 1)
        },
        Row(name: "copies of 5000 fields", status: 400, code: "too_complex") { device in
            device.copies(records: 5, fields: 1000)
        },
        Row(name: "copies of more than 4 MiB", status: 413, code: "body_too_large") {
            $0.copies(records: 0, fields: 0)
                .with(body: [UInt8](repeating: 0x20, count: (4 << 20) + 1))
        },
        Row(name: "more than 4 MiB", status: 413, code: "body_too_large") {
            $0.push([]).with(body: [UInt8](repeating: 0x20, count: (4 << 20) + 1))
        },
        Row(name: "more than 8 MiB, unpacked", status: 413, code: "body_too_large") {
            let bomb = try Gzip.compress([UInt8](repeating: 0x20, count: (8 << 20) + 1))
            return $0.push([]).with("Content-Encoding", "gzip").with(body: bomb)
        },
        Row(name: "an enrolment of 17 KiB", status: 413, code: "body_too_large") { _ in
            WireRequest.enrol(code: String(repeating: "a", count: 17 << 10))
        },
        Row(name: "no content type", status: 415, code: "unsupported_media_type") {
            $0.push([]).with("Content-Type", nil)
        },
        Row(name: "another content type", status: 415, code: "unsupported_media_type") {
            $0.push([]).with("Content-Type", "application/xml")
        },
        Row(name: "another charset", status: 415, code: "unsupported_media_type") {
            $0.push([]).with("Content-Type", "application/json; charset=utf-16")
        },
        Row(name: "another encoding", status: 415, code: "unsupported_encoding") {
            $0.push([]).with("Content-Encoding", "br")
        },
        Row(name: "a program one version ahead", status: 200) {
            $0.push([]).with(body: Self.batch(of: $0, RecordTable.schemaVersion + 1))
        },
        Row(name: "a program of another age", status: 200) {
            $0.push([]).with(body: Self.batch(of: $0, 0))
        },
        Row(name: "a program two versions ahead", status: 426, code: "upgrade_needed") {
            $0.push([]).with(body: Self.batch(of: $0, RecordTable.schemaVersion + 2))
        },
        Row(name: "T17 an operation of nobody", status: 400, code: "bad_request") {
            let push = $0.push([$0.mutation(notes: "a")])
            let text = String(decoding: push.body, as: UTF8.self)
            return push.with(body: Array(text.replacing("UPDATE", with: "UPSERT").utf8))
        },
        Row(name: "a header of 17 KiB", status: 431, code: "header_too_large") {
            $0.pull().with("X-Pad", String(repeating: "a", count: 17 << 10))
        },
    ]

    private static func batch(of device: TestDevice, _ version: Int64) -> [UInt8] {
        var batch = device.batch([device.mutation(notes: "a")])
        batch.schemaVersion = version
        return batch.json.serialized()
    }

    @Test("are those of the contract", arguments: rows)
    func status(row: Row) throws {
        let server = try TestServer()
        let answer = try row.request(try server.enrol()).send(to: server)
        #expect(answer.status == row.status, "\(answer.text.prefix(200))")
        #expect(answer.errorCode == row.code)
        #expect(answer.headers["cache-control"] == "no-store")
    }

    @Test("a body of 8 MiB unpacked is taken, and what stands in it is judged")
    func unpackedLimit() throws {
        let server = try TestServer()
        let device = try server.enrol()
        let body = try Gzip.compress([UInt8](repeating: 0x20, count: 8 << 20))
        let answer = try device.push([]).with("Content-Encoding", "gzip").with(body: body)
            .send(to: server)
        #expect(answer.errorCode == "bad_json")
    }

    @Test("405 names what is allowed, 401 the scheme")
    func companions() throws {
        let server = try TestServer()
        let wrongMethod = try WireRequest("DELETE", "/api/v1/sync/push").send(to: server)
        #expect(wrongMethod.headers["allow"] == "POST")
        let stranger = try WireRequest("GET", "/api/v1/sync/pull").send(to: server)
        #expect(stranger.headers["www-authenticate"] == "Bearer")
    }

    @Test("T25 422 answers an idempotency key that was used for other content")
    func idempotency() throws {
        let server = try TestServer()
        let device = try server.enrol()
        let first = device.push([device.mutation(notes: "a")], key: "one")
        #expect(try first.send(to: server).status == 200)
        let again = try first.send(to: server)
        #expect(again.status == 200)
        device.baton = try PushResponse(json: JSON.parse(again.body)).baton
        let other = try device.push([device.mutation(notes: "b")], key: "one").send(to: server)
        #expect(other.status == 422)
        #expect(other.errorCode == "idempotency_key_reused")
        #expect(try device.push([device.mutation(notes: "c")]).send(to: server).status == 200)
    }

    @Test("429 with Retry-After answers a device that runs in a circle, and that device alone")
    func rate() throws {
        var rates = Rates()
        rates.device = Rates.Rate(burst: 3, perSecond: 0.5)
        let server = try TestServer(rates: rates)
        let (first, second) = (try server.enrol("a"), try server.enrol("b"))
        for _ in 0..<3 { #expect(try first.pull().send(to: server).status == 200) }
        let refused = try first.pull().send(to: server)
        #expect(refused.status == 429)
        #expect(refused.headers["retry-after"] == "2")
        #expect(try second.pull().send(to: server).status == 200)
    }

    @Test("a form that the device has is answered 304")
    func notModified() throws {
        let server = try TestServer()
        let device = try server.enrol()
        let request = WireRequest("GET", "/api/v1/forms/cold/1", headers: device.headers)
        let tag = try #require(try request.send(to: server).headers["etag"])
        let again = try request.with("If-None-Match", tag).send(to: server)
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
    }
}
