package import Coding
internal import Forms
internal import Replication

/// An outcome of the transport, read for what it means. Every status and every fault has exactly
/// one class (SYNC, *The worker* 4); what a class leads to is the machine's to say.
package enum Reply<Body: Sendable>: Sendable {
    case accepted(Body)
    /// 202: taken into a queue; the verdicts come with a pull.
    case queued
    case refused(Refusal)
}

extension Reply: Equatable where Body: Equatable {}

package struct Refusal: Error, Equatable, Sendable {
    package enum Class: String, Sendable, CaseIterable {
        /// No answer, or one that is not our server's: no network, captive portal.
        case offline
        /// 408, 425, 429: come again later.
        case busy
        /// 5xx: the server broke or is overloaded, perhaps over this batch.
        case broken
        /// 400, 422: our server says that this very request is wrong.
        case unacceptable
        /// 413, from the server or from something before it.
        case oversized
        /// 401: the token is not known (any more).
        case unauthorised
        /// 403 in plain words, as any proxy sends.
        case forbidden
        /// 403 from our server, with the code `revoked`.
        case revoked
        /// 409 with the code `forked`: this device's past was lived twice.
        case forked
        /// 410, or 400 with the code `bad_cursor`: what the cursor points at is no longer kept.
        case cursorExpired
        /// 426: client and server are too far apart.
        case upgradeNeeded
        /// 3xx, 404, 405, 406, 415 and all the rest: not this device's doing.
        case serverFault
        case cancelled
    }

    package var kind: Class
    /// 0 when no answer came.
    package var status: Int
    package var fault: TransportFault?
    package var retryAfterSeconds: Int64?
    /// The server's code, such as `token_unknown`; empty when the answer was not our server's.
    package var code: String
    /// Not an answer of our server, but of something before it or in its place.
    package var isForeign: Bool { code.isEmpty }
    /// The server's sentence, for people: bounded, and without what would steer a terminal.
    package var message: String

    package init(
        _ kind: Class, status: Int = 0, fault: TransportFault? = nil,
        retryAfterSeconds: Int64? = nil, code: String = "", message: String = ""
    ) {
        self.kind = kind
        self.status = status
        self.fault = fault
        self.retryAfterSeconds = retryAfterSeconds
        self.code = code
        self.message = message
    }
}

extension TransportOutcome {
    /// - Parameter read: makes the body of a 200 or 201, and throws where it is not ours. A page
    ///   that a captive portal sends with 200 ends here as `.offline`.
    package func reply<Body: Sendable>(
        _ read: (JSON) throws -> Body
    ) -> Reply<Body> {
        switch self {
        case .fault(.cancelled): .refused(Refusal(.cancelled, fault: .cancelled))
        case .fault(let fault): .refused(Refusal(.offline, fault: fault))
        case .answer(let answer): answer.reply(read)
        }
    }
}

extension WireAnswer {
    fileprivate func reply<Body: Sendable>(_ read: (JSON) throws -> Body) -> Reply<Body> {
        guard (200...202).contains(status) else { return .refused(refusal) }
        do {
            let json = try document()
            guard status == 202 else { return .accepted(try read(json)) }
            _ = try PushTicket(json: json)
            return .queued
        } catch {
            // Not ours, so what it says is not repeated.
            return .refused(Refusal(.offline, status: status))
        }
    }

    private func document() throws -> JSON {
        guard contentType == "application/json" else {
            throw CodingError(.unexpected, "expected JSON")
        }
        return try JSON.parse(body)
    }

    private var refusal: Refusal {
        // Proxies answer errors too, in HTML: then there is a status and nothing else.
        let failure = try? WireFailure(json: document())
        let error = failure?.error.code.isEmpty == false ? failure?.error : nil
        return Refusal(
            kind(code: error?.code), status: status,
            retryAfterSeconds: patience(isOurs: error != nil), code: error?.code ?? "",
            message: String(ShownText.clean(error?.message ?? "").prefix(300)))
    }

    /// What `Retry-After` counts for. Beside a redirect or a refusal it tells of the page of a portal,
    /// and what stands before the server may be asked again as soon as after any failure.
    private func patience(isOurs: Bool) -> Int64? {
        switch status {
        case 408, 425, 429, 500...599:
            isOurs ? retryAfterSeconds : retryAfterSeconds.map { min($0, Backoff.ceiling / 1000) }
        default: nil
        }
    }

    /// - Parameter code: nil when the answer is not our server's.
    private func kind(code: String?) -> Refusal.Class {
        switch status {
        // A cursor that it cannot read is as good as one that it does not keep any more.
        case 400 where code == "bad_cursor": .cursorExpired
        case 400, 422: code == nil ? .serverFault : .unacceptable
        case 401: .unauthorised
        case 403: code == "revoked" ? .revoked : .forbidden
        case 408, 425, 429: .busy
        case 409: code == "forked" ? .forked : .serverFault
        case 410: code == "cursor_expired" ? .cursorExpired : .serverFault
        case 413: .oversized
        case 426: .upgradeNeeded
        case 500...599: .broken
        default: .serverFault
        }
    }
}
