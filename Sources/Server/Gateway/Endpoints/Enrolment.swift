import Coding
import Crypto
import HTTP
import Replication
import ServerStore

extension Endpoints {
    /// A device shows its one-time code and gets a token. Codes have 128 random bits; the limit on
    /// wrong ones keeps a guesser from filling the log and the database.
    static func enrol(_ gateway: Gateway, _ call: Call) throws -> Response {
        let peer = call.head.peer
        if let wait = gateway.enrolmentRate.look(peer) { throw Refusal.tooMany(retryAfter: wait) }
        do {
            return try enrolled(gateway, EnrollRequest(json: call.json()))
        } catch let error as ServerStoreError where error.code == .codeUnknown {
            _ = gateway.enrolmentRate.take(peer)
            throw error
        }
    }

    private static func enrolled(
        _ gateway: Gateway, _ request: EnrollRequest
    ) throws -> Response {
        let code = try code(request.code, of: gateway)
        // Whatever may fail comes before the code is spent: a device that is answered 503 tries
        // the same code again.
        let epoch = try gateway.store.serverEpoch()
        let token = BearerToken(random: Crypto.random(BearerToken.byteCount))
        let device = try gateway.store.enrol(
            Enrolment(
                secretHash: code.secretHash, deviceName: request.deviceName,
                node: request.nodeId, publicKey: request.publicKey, tokenHash: token.hash,
                formerTeam: request.formerTeam))
        gateway.log.event("enrolled", ["device": .string(device.id)])
        let answer = EnrollResponse(
            deviceId: device.id, deviceName: device.name, token: token.text, team: device.team.name,
            teamId: device.team.id, caPem: gateway.identity.authority, pins: gateway.identity.pins,
            serverEpoch: epoch)
        return .json(answer.json, status: 201)
    }

    private static func code(
        _ text: String, of gateway: Gateway
    ) throws(Refusal) -> EnrollmentCode {
        guard let code = try? EnrollmentCode(parsing: text) else {
            throw .bad("bad_code", "This is no enrolment code.")
        }
        guard code.fingerprint == gateway.identity.fingerprint else {
            throw .bad("wrong_server", "The enrolment code is for another server.")
        }
        return code
    }
}
