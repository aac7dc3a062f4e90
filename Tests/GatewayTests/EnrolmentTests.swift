import Coding
import Replication
import ServerStore
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Enrolment over HTTP", .timeLimit(.minutes(10)))
struct EnrolmentTests {
    @Test("a code works once")
    func once() throws {
        let server = try TestServer()
        let code = try server.issueCode().text
        #expect(try WireRequest.enrol(code: code, name: "a").send(to: server).status == 201)
        let again = try WireRequest.enrol(code: code, name: "b").send(to: server)
        #expect(again.status == 409)
        #expect(again.errorCode == "code_used")
    }

    @Test(
        "the answer says what the device is called: as the code was named, else as the device named itself",
        arguments: ["north 7", nil])
    func named(byCode name: String?) throws {
        let server = try TestServer()
        let code = try server.issueCode(name: name).text
        let answer = try WireRequest.enrol(code: code, name: "handheld").send(to: server)
        let given = try EnrollResponse(json: JSON.parse(answer.body))
        #expect(given.deviceName == name ?? "handheld")
        #expect(try server.store.device(id: given.deviceId)?.name == given.deviceName)
    }

    @Test("a code is typed as people type: lower case, blanks, O for 0")
    func typed() throws {
        let server = try TestServer()
        let code = try server.issueCode().text
        let typed = code.lowercased().replacing("-", with: " ").replacing("0", with: "o")
        #expect(try WireRequest.enrol(code: typed).send(to: server).status == 201)
    }

    @Test("a code is not spent by an enrolment that is answered 503")
    func notSpent() throws {
        let isBroken = Switch()
        let server = try TestServer { store in
            GuardedStore(store: store) { call in
                guard isBroken.isOn, call.hasPrefix("serverEpoch") else { return }
                throw GuardedStore.Fault()
            }
        }
        let code = try server.issueCode().text
        isBroken.isOn = true
        #expect(try WireRequest.enrol(code: code).send(to: server).status == 503)
        isBroken.isOn = false
        #expect(try WireRequest.enrol(code: code).send(to: server).status == 201)
    }

    /// What a test turns while a server runs.
    private final class Switch: Sendable {
        private let state = Atomic(false)

        var isOn: Bool {
            get { state.load(ordering: .sequentiallyConsistent) }
            set { state.store(newValue, ordering: .sequentiallyConsistent) }
        }
    }

    @Test("no device enrols as a supervisor")
    func portalNode() throws {
        let server = try TestServer()
        let request = EnrollRequest(
            code: try server.issueCode().text, deviceName: "x", nodeId: "portal:boss",
            publicKey: "")
        let answer = try WireRequest(
            "POST", "/api/v1/enroll", json: request.json.serialized()
        ).send(to: server)
        #expect(answer.status == 400)
        #expect(answer.errorCode == "refused")
    }

    @Test(
        "T86 a device that enrols again with a code of another team is refused, and the code is not spent"
    )
    func otherTeam() throws {
        let server = try TestServer()
        let north = try #require(try server.store.teams().first { $0.name == "north" })
        let south = try server.store.addTeam(named: "south")
        let code = try server.issueCode().text
        var number = 0
        func status(_ former: FormerTeam) throws -> (status: Int, code: String?) {
            number += 1
            let request = EnrollRequest(
                code: code, deviceName: "x", nodeId: NodeID("n\(number)"), publicKey: "",
                formerTeam: former)
            let answer = try WireRequest(
                "POST", "/api/v1/enroll", json: request.json.serialized()
            ).send(to: server)
            return (answer.status, answer.errorCode)
        }
        for former in [
            FormerTeam(id: south.id, name: "north"), FormerTeam(id: nil, name: "south"),
            FormerTeam(id: "gone", name: "south"),
        ] {
            let answer = try status(former)
            #expect(answer.status == 409 && answer.code == "other_team", "\(former)")
        }
        // The backup may have another name for it.
        #expect(try status(FormerTeam(id: north.id, name: "renamed since")).status == 201)
    }

    @Test("T86 a device whose team was made anew under its name enrols again")
    func sameName() throws {
        let server = try TestServer()
        for (number, id) in [nil, "gone"].enumerated() {
            let request = EnrollRequest(
                code: try server.issueCode().text, deviceName: "x", nodeId: NodeID("n\(number)"),
                publicKey: "", formerTeam: FormerTeam(id: id, name: "north"))
            let answer = try WireRequest(
                "POST", "/api/v1/enroll", json: request.json.serialized()
            ).send(to: server)
            #expect(answer.status == 201)
        }
    }

    @Test("a code ends with its time")
    func expired() throws {
        let server = try TestServer()
        let code = try server.issueCode(validFor: 600_000).text
        server.clock.advance(milliseconds: 600_001)
        let answer = try WireRequest.enrol(code: code).send(to: server)
        #expect(answer.status == 410)
        #expect(answer.errorCode == "code_expired")
    }

    @Test("an unknown code is refused, another server's is named as such, nonsense too")
    func wrongCodes() throws {
        let server = try TestServer()
        let unknown = EnrollmentCode(
            secret: [UInt8](repeating: 7, count: 16), caCertificate: TestServer.authority)
        let foreign = EnrollmentCode(
            secret: [UInt8](repeating: 7, count: 16), caCertificate: [1, 2, 3])
        let answers = try [unknown.text, foreign.text, "hello", ""].map { code in
            try WireRequest.enrol(code: code).send(to: server)
        }
        #expect(answers.map(\.status) == [401, 400, 400, 400])
        #expect(
            answers.map(\.errorCode) == ["code_unknown", "wrong_server", "bad_code", "bad_code"])
    }

    @Test("guessing codes is slowed, enrolling many devices is not")
    func guessing() throws {
        var rates = Rates()
        rates.failedEnrolment = Rates.Rate(burst: 2, perSecond: 0.01)
        let server = try TestServer(rates: rates)
        for number in 0..<5 { _ = try server.enrol("device\(number)") }
        let unknown = EnrollmentCode(
            secret: [UInt8](repeating: 7, count: 16), caCertificate: TestServer.authority)
        let statuses = try (0..<3).map { _ in
            try WireRequest.enrol(code: unknown.text).send(to: server).status
        }
        #expect(statuses == [401, 401, 429])
    }

    @Test("fifty devices with one code: one enrols")
    func race() throws {
        let server = try TestServer()
        let code = try server.issueCode().text
        let connections = try (0..<50).map { _ in try server.connect() }
        for (number, connection) in connections.enumerated() {
            try connection.send(WireRequest.enrol(code: code, name: "d\(number)").bytes)
        }
        let statuses = connections.map { $0.readAnswer()?.status }
        #expect(statuses.count { $0 == 201 } == 1)
        #expect(statuses.count { $0 == 409 } == 49)
    }
}
