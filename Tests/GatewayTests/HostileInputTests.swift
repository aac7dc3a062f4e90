import Coding
import HTTP
import Replication
import ServerStore
import TestSupport
import Testing

@testable import Gateway

@Suite("Hostile input", .timeLimit(.minutes(10)))
struct HostileInputTests {
    static let bodies: [String] = [
        "", " ", "null", "true", "0", "\"\"", "[]", "{}", "[[]]", "{\"mutations\":null}",
        "{\"a\":1,\"a\":2}", "{\"mutations\":[null]}", "{\"mutations\":[{}]}", "\u{FEFF}{}",
        "{\"code\":5}", "{\"code\":\"\\u0000\"}", "{\"code\":\"\\ud800\"}", "1e999", "NaN",
        "{\"clientNodeId\":\"\",\"clientEpoch\":-1,\"schemaVersion\":1,\"mutations\":[]}",
        "{\"clientNodeId\":1e308,\"clientEpoch\":9223372036854775808,\"mutations\":[]}",
        String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
        "[" + String(repeating: "0,", count: 400_000) + "0]",
        "\"" + String(repeating: "a", count: 100_000) + "\"",
    ]

    @Test(
        "every route answers every body with a refusal, never with 5xx",
        arguments: Routes.all.indices)
    func bodies(index: Int) throws {
        let route = Routes.all[index]
        guard route.body != .none else { return }
        let server = try TestServer()
        let device = try server.enrol()
        let bytes: [[UInt8]] = [[0xFF, 0xFE, 0x7B, 0], [0x80], [0x1F, 0x8B]]
        let texts = Self.bodies.map { Array($0.utf8) } + bytes
        for body in texts {
            let request = WireRequest(
                route.method, route.pattern, headers: device.headers, json: body)
            for encoding in [nil, "gzip"] {
                let answer = try request.with("Content-Encoding", encoding).send(to: server)
                #expect((400..<500).contains(answer.status), "\(body.prefix(40))")
                #expect(answer.errorCode != nil)
            }
        }
        #expect(try device.pull().send(to: server).status == 200)
    }

    @Test("a damaged batch is refused or judged, never a 5xx", arguments: 0..<10)
    func damagedBatches(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let server = try TestServer()
        let device = try server.enrol()
        let connection = try server.connect()
        for _ in 0..<100 {
            let push = device.push([device.mutation(notes: "a"), device.mutation(notes: "b")])
            var body = push.body
            for _ in 0...random.below(3) {
                let place = random.below(body.count)
                switch random.below(3) {
                case 0: body[place] = UInt8(random.below(256))
                case 1: body.remove(at: place)
                default: body.insert(UInt8(random.pick(Array("{}[]\",:0-".utf8))), at: place)
                }
            }
            let answer = try push.with(body: body).send(over: connection)
            #expect([200, 400, 403, 409, 413, 422, 426].contains(answer.status), "seed \(seed)")
            guard answer.status == 200 else { continue }
            device.baton = try PushResponse(json: JSON.parse(answer.body)).baton
        }
    }

    @Test(
        "every route refuses strange tokens, nodes, queries and paths",
        arguments: Routes.all.indices)
    func heads(index: Int) throws {
        let route = Routes.all[index]
        let server = try TestServer()
        let device = try server.enrol()
        let long = String(repeating: "x", count: 8000)
        let odd = ["", " ", "Bearer", "Bearer ", "Bearer \(long)", "bearer é", "Bearer a b", "\t"]
        let path = route.pattern.replacing("{id}", with: "cold").replacing("{version}", with: "1")
        for value in odd {
            let base = WireRequest(route.method, path, headers: device.headers)
            for name in ["Authorization", "X-Client-Node-Id", "Idempotency-Key", "If-None-Match"] {
                let answer = try base.with(name, value).send(to: server)
                #expect(answer.status < 500, "\(name): \(value.prefix(20))")
            }
        }
        let suffixes = [
            "?cursor=", "?cursor=\(long)", "?limit=-1", "?limit=99999999999999999999",
            "?pending=x", "?cursor=1.2.3", "?cursor=..", "?cursor=%2e", "/", "//", "/..", "/%2f",
        ]
        for suffix in suffixes {
            let answer = try WireRequest(route.method, path + suffix, headers: device.headers)
                .send(to: server)
            #expect(answer.status < 500, "\(suffix.prefix(30))")
        }
    }

    @Test(
        "no route for devices is open to a stranger or to a revoked one",
        arguments: Routes.all.indices)
    func access(index: Int) throws {
        let route = Routes.all[index]
        guard case .device = route.access else { return }
        let server = try TestServer()
        let device = try server.enrol()
        try server.store.revokeDevice(id: device.answer.deviceId)
        let request = WireRequest(
            route.method, route.pattern, json: Array("{}".utf8))
        let bare = route.body == .none ? request.with(body: []) : request
        #expect(try bare.send(to: server).status == 401)
        var named = bare
        named.headers += device.headers
        let answer = try named.send(to: server)
        #expect(answer.status == 403)
        #expect(answer.errorCode == "revoked")
    }

    @Test(
        "a store that fails is 503 with Retry-After on every route",
        arguments: Routes.all.indices)
    func brokenStore(index: Int) throws {
        let route = Routes.all[index]
        let server = try TestServer(wrap: GuardedStore.broken)
        guard route.pattern != "/api/v1/ca" else { return }
        let code = try server.issueCode().text
        let body =
            route.pattern.hasSuffix("enroll")
            ? WireRequest.enrol(code: code).body : Array("{}".utf8)
        let request = WireRequest(
            route.method, route.pattern,
            headers: [("Authorization", "Bearer " + String(repeating: "a", count: 64))], json: body)
        let answer = try (route.body == .none ? request.with(body: []) : request).send(to: server)
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] != nil)
        #expect(!answer.text.contains("disk"))
        #expect(server.logged.contains { $0.contains("the disk is gone") })
    }
}
