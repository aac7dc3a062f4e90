internal import Coding
internal import Crypto
package import Replication

/// How a device becomes known to a server: it fetches the authority's certificate from whoever
/// answers, without saying anything secret; compares it with the fingerprint in the enrolment code;
/// and only then, over a connection that this authority vouches for, sends the code.
package struct Enrolment: Sendable {
    private let address: ServerAddress
    private let code: EnrollmentCode
    private let connect: @Sendable (ServerTrust) -> any Transport

    package init(
        at address: ServerAddress, with code: EnrollmentCode,
        connect: (@Sendable (ServerTrust) -> any Transport)? = nil
    ) {
        self.address = address
        self.code = code
        self.connect =
            connect ?? { trust in CurlTransport(address: address, trust: trust) }
    }

    /// - Parameters:
    ///   - given: the authority's certificate where the person has it as a file; else it is
    ///     fetched.
    ///   - publicKey: the device's Ed25519 key.
    ///   - former: the team of a device that enrols again. A code of another one is refused, and not
    ///     spent.
    /// - Throws: `SyncError`.
    package func enrol(
        name: String, node: NodeID, publicKey: [UInt8], of former: FormerTeam? = nil,
        authority given: [UInt8]? = nil
    ) throws(SyncError) -> EnrollResponse {
        // Not `??`: its autoclosure would lose the type of what is thrown.
        let authority = if let given { try vouched(given) } else { try vouched(fetchAuthority()) }
        let request = EnrollRequest(
            code: code.text, deviceName: name, nodeId: node, publicKey: Base64.encode(publicKey),
            formerTeam: former)
        let call = WireCall(
            method: .post, path: "/api/v1/enroll", body: request.json.serialized(),
            isAuthenticated: false)
        let outcome = send(call, trust: .authority(pem: authority))
        let response = try accepted(outcome.reply(EnrollResponse.init(json:)))
        try check(response)
        return response
    }

    private func send(_ call: WireCall, trust: ServerTrust) -> TransportOutcome {
        let transport = connect(trust)
        defer { transport.disconnect() }
        return transport.send(call)
    }

    private func fetchAuthority() throws(SyncError) -> [UInt8] {
        let call = WireCall(path: "/api/v1/ca", isAuthenticated: false)
        switch send(call, trust: .anyone) {
        case .answer(let answer) where answer.status == 200: return answer.body
        case .answer(let answer):
            throw SyncError(
                .unreachable, "no Walkdown server answers there (status \(answer.status))")
        case .fault(let fault): throw SyncError(.unreachable, Self.words(fault))
        }
    }

    /// What a file or an answer is that should be the authority's certificate.
    package enum Authority: Equatable, Sendable {
        /// The certificate that the code names.
        case named
        /// No certificate, or several.
        case notOne
        case another
    }

    package static func judge(authority pem: [UInt8], by code: EnrollmentCode) -> Authority {
        guard let der = CertificateText.onlyCertificate(in: pem) else { return .notOne }
        return code.names(caCertificate: der) ? .named : .another
    }

    /// The one certificate in it, written anew: a second one beside it would be trusted as well.
    private func vouched(_ pem: [UInt8]) throws(SyncError) -> [UInt8] {
        guard let der = CertificateText.onlyCertificate(in: pem) else {
            throw SyncError(.unreachable, "the server did not send a certificate authority")
        }
        guard code.names(caCertificate: der) else {
            throw SyncError(
                .wrongServer, "this is not the server that the enrolment code was made on")
        }
        return CertificateText.pem(der)
    }

    private func accepted(_ reply: Reply<EnrollResponse>) throws(SyncError) -> EnrollResponse {
        switch reply {
        case .accepted(let response): return response
        case .queued: throw SyncError(.refused, "the server did not decide")
        case .refused(let refusal): throw Self.error(refusal)
        }
    }

    private static func error(_ refusal: Refusal) -> SyncError {
        switch refusal.kind {
        case .offline, .cancelled:
            SyncError(.unreachable, refusal.fault.map(words) ?? notOurs(refusal))
        case .busy, .broken:
            SyncError(
                .unreachable,
                "the server is busy"
                    + (refusal.retryAfterSeconds.map { "; it asks to wait \($0) s" } ?? ""))
        // Some proxy's or portal's own refusal.
        case _ where refusal.code.isEmpty: SyncError(.unreachable, notOurs(refusal))
        default: error(ofServer: refusal)
        }
    }

    private static func notOurs(_ refusal: Refusal) -> String {
        "what answers there is not a Walkdown server (status \(refusal.status))"
    }

    private static func error(ofServer refusal: Refusal) -> SyncError {
        switch refusal.code {
        case "code_used": SyncError(.codeUsed, "this enrolment code was used before")
        case "other_team": SyncError(.otherTeam, refusal.message)
        case "code_expired": SyncError(.codeExpired, "this enrolment code has expired")
        default:
            SyncError(
                .refused,
                "the server refused: "
                    + (refusal.message.isEmpty ? "status \(refusal.status)" : refusal.message))
        }
    }

    /// What would lock this device out later is refused now, while a person is there.
    private func check(_ response: EnrollResponse) throws(SyncError) {
        guard let der = CertificateText.onlyCertificate(in: Array(response.caPem.utf8)),
            code.names(caCertificate: der)
        else {
            throw SyncError(.wrongServer, "the server names another certificate authority")
        }
        let trust = ServerTrust.pinned(pem: Array(response.caPem.utf8), pins: response.pins)
        // The key in use and the one in reserve: with one alone, a lost key would lock out everybody.
        let hasPins = trust.arePinsValid && Set(response.pins).count >= 2
        guard hasPins || !address.isEncrypted else {
            throw SyncError(.refused, "the server sent no usable pins")
        }
        // It stands in a header of every later call.
        guard (16...256).contains(response.token.utf8.count),
            response.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            UUIDText.isWellFormed(response.deviceId)
        else {
            throw SyncError(.refused, "the server sent no usable token or device id")
        }
    }

    /// What a person can do about it, per fault.
    package static func words(_ fault: TransportFault) -> String {
        switch fault {
        case .unreachable: "the server cannot be reached"
        case .interrupted: "the connection broke"
        case .timedOut: "the server does not answer in time"
        case .handshake: "the server does not speak TLS 1.3"
        case .untrusted: "the server's certificate is not signed by its authority"
        case .clock: "the certificate is not valid at this device's time; check the clock"
        case .wrongPin: "the server's key is not one that was delivered at enrolment"
        case .tooLarge: "the answer is larger than any that Walkdown sends"
        case .malformed: "what answers there is not a Walkdown server"
        case .cancelled: "stopped"
        case .misconfigured: "the connection could not be set up"
        }
    }
}

/// PEM (RFC 7468), as far as one certificate goes.
enum CertificateText {
    private static let head = "-----BEGIN CERTIFICATE-----"
    private static let foot = "-----END CERTIFICATE-----"

    /// The DER of the only certificate; nil where there is none or more than one.
    static func onlyCertificate(in pem: [UInt8]) -> [UInt8]? {
        guard pem.count < 1 << 16 else { return nil }
        let text = String(decoding: pem, as: UTF8.self)
        let heads = text.ranges(of: head)
        let feet = text.ranges(of: foot)
        guard heads.count == 1, feet.count == 1, heads[0].upperBound <= feet[0].lowerBound else {
            return nil
        }
        let body = text[heads[0].upperBound..<feet[0].lowerBound].filter { !$0.isWhitespace }
        guard let der = try? Base64.decode(String(body)), !der.isEmpty else { return nil }
        return der
    }

    static func pem(_ der: [UInt8]) -> [UInt8] {
        let digits = Array(Base64.encode(der).utf8)
        let lines = stride(from: 0, to: digits.count, by: 64).map { start in
            String(decoding: digits[start..<min(start + 64, digits.count)], as: UTF8.self)
        }
        return Array(([head] + lines + [foot, ""]).joined(separator: "\n").utf8)
    }
}
