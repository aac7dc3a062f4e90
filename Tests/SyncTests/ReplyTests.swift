import Coding
import Replication
import Sync
import Testing

/// SYNC, *The worker* 4: one class for every status and every fault. That none of the classes
/// deletes anything is `MachineRefusalTests`.
@Suite("What an answer means")
struct ReplyTests {
    private static let ours = Array(#"{"error":{"code":"x","message":"why"}}"#.utf8)
    private static let html = Array("<html>no</html>".utf8)

    private func refusal(
        _ status: Int, _ body: [UInt8] = ours, type: String = "application/json"
    ) -> Refusal? {
        let outcome = TransportOutcome.answer(
            WireAnswer(status: status, contentType: type, body: body))
        if case .refused(let refusal) = outcome.reply({ $0 }) { return refusal }
        return nil
    }

    static let classes: [(Int, Refusal.Class)] = [
        (301, .serverFault), (302, .serverFault), (304, .serverFault), (307, .serverFault),
        (400, .unacceptable), (401, .unauthorised), (403, .forbidden), (404, .serverFault),
        (405, .serverFault), (406, .serverFault), (408, .busy), (409, .serverFault),
        (410, .serverFault), (413, .oversized), (415, .serverFault), (422, .unacceptable),
        (425, .busy), (426, .upgradeNeeded), (429, .busy), (451, .serverFault), (500, .broken),
        (502, .broken), (503, .broken), (504, .broken), (599, .broken), (600, .serverFault),
        (0, .serverFault), (100, .serverFault), (203, .serverFault), (206, .serverFault),
    ]

    @Test("T19 each status of our server has one class", arguments: classes)
    func status(status: Int, kind: Refusal.Class) {
        #expect(refusal(status)?.kind == kind)
        #expect(refusal(status)?.message == "why")
    }

    @Test("a proxy's page never blames a mutation, revokes, forks or expires", arguments: classes)
    func proxy(status: Int, kind: Refusal.Class) {
        let read = refusal(status, Self.html, type: "text/html")
        #expect(read?.kind == (kind == .unacceptable ? .serverFault : kind))
        #expect(read?.message == "" && read?.code == "")
    }

    @Test(
        "400, 403, 409 and 410 mean more only with our server's code",
        arguments: [
            (403, "revoked", Refusal.Class.revoked), (403, "other", .forbidden),
            (409, "forked", .forked), (409, "other", .serverFault),
            (410, "cursor_expired", .cursorExpired), (410, "other", .serverFault),
            (400, "bad_cursor", .cursorExpired), (400, "other", .unacceptable),
            (401, "revoked", .unauthorised), (500, "revoked", .broken),
        ])
    func codes(status: Int, code: String, kind: Refusal.Class) {
        let body = Array(#"{"error":{"code":"\#(code)","message":""}}"#.utf8)
        #expect(refusal(status, body)?.kind == kind)
        let untyped = refusal(status, body, type: "text/html")?.kind
        #expect(untyped != .revoked && untyped != .forked && untyped != .cursorExpired)
    }

    @Test("T20 a 2xx that is not our JSON is no answer", arguments: [200, 201, 202])
    func captivePortal(status: Int) {
        let bodies = [
            (Self.html, "text/html"), (Self.html, "application/json"), ([], "application/json"),
            (Array("{}".utf8), "application/json"), (Array("[]".utf8), "application/json"),
            (Array(#"{"results":[],"serverLamport":1,"serverEpoch":1}"#.utf8), "text/html"),
            (Array(#"{"results":[{"mutationId":"m1"}]}"#.utf8), "application/json"),
        ]
        for (body, type) in bodies {
            let outcome = TransportOutcome.answer(
                WireAnswer(status: status, contentType: type, body: body))
            #expect(
                outcome.reply(PushResponse.init(json:))
                    == .refused(
                        Refusal(.offline, status: status)),
                "\(String(decoding: body, as: UTF8.self))")
        }
    }

    @Test(
        "every fault of the transport is being offline, but for our own cancelling",
        arguments: TransportFault.allCases)
    func faults(fault: TransportFault) {
        let kind: Refusal.Class = fault == .cancelled ? .cancelled : .offline
        #expect(
            TransportOutcome.fault(fault).reply { $0 } == .refused(Refusal(kind, fault: fault)))
    }

    @Test("an error without a code is not our server's", arguments: [400, 413, 422])
    func emptyCode(status: Int) {
        let read = refusal(status, Array(#"{"error":{"code":"","message":"no"}}"#.utf8))
        #expect(read?.isForeign == true && read?.kind != .unacceptable)
    }

    @Test(
        "the time to wait counts beside a status that says *later*, and not for long from strangers",
        arguments: [
            (408, 3600, 3600, 300), (425, 3600, 3600, 300), (429, 3600, 3600, 300),
            (500, 9, 9, 9), (502, 3600, 3600, 300), (503, 9, 9, 9), (503, 3600, 3600, 300),
            (302, 3600, nil, nil), (307, 9, nil, nil), (400, 9, nil, nil), (401, 9, nil, nil),
            (403, 9, nil, nil), (404, 9, nil, nil), (413, 9, nil, nil), (426, 9, nil, nil),
        ] as [(Int, Int64, Int64?, Int64?)])
    func retryAfter(status: Int, said: Int64, ours: Int64?, others: Int64?) {
        for (body, type, expected) in [
            (Self.ours, "application/json", ours), (Self.html, "text/html", others),
        ] {
            let outcome = TransportOutcome.answer(
                WireAnswer(
                    status: status, contentType: type, retryAfterSeconds: said, body: body))
            guard case .refused(let refusal) = outcome.reply({ $0 }) else {
                Issue.record("\(status) was accepted")
                continue
            }
            #expect(refusal.retryAfterSeconds == expected)
        }
    }

    @Test("a server's sentence cannot steer the terminal that shows it")
    func harmlessMessage() {
        let text = #"go \u001b]0;title\u0007\u001b[2J\u009b31m\u202eaway\r\nnow"#
        let body = Array(#"{"error":{"code":"x","message":"\#(text)"}}"#.utf8)
        #expect(refusal(400, body)?.message == "go away now")
    }

    @Test("faults of identity and of this device are told apart from having no signal")
    func alarms() {
        let alarms = TransportFault.allCases.filter(\.isAlarm)
        #expect(alarms == [.handshake, .untrusted, .clock, .wrongPin, .misconfigured])
    }

    @Test("an endless sentence from a server is cut")
    func longMessage() {
        let long = String(repeating: "x", count: 10_000)
        let body = Array(#"{"error":{"code":"x","message":"\#(long)"}}"#.utf8)
        #expect(refusal(400, body)?.message.count == 300)
    }
}
