import Coding
import HTTP
import ServerStore

/// One entry of the route table. Nothing is reachable that does not stand in it, and each entry
/// says who may come.
struct Route: Sendable {
    enum Access: Sendable {
        /// No token: what a device needs before it has one, and health.
        case anyone
        /// The bearer token of an active device.
        case device
    }

    enum Body: Sendable, Equatable {
        case none
        /// JSON of at most that many bytes as it arrives.
        case json(limit: Int)

        /// What it may become when it is unpacked.
        var unpackedLimit: Int {
            switch self {
            case .none: 0
            case .json(let limit): 2 * limit
            }
        }
    }

    /// How the answer comes.
    enum Action: Sendable {
        case now(@Sendable (Gateway, Call) throws -> Response)
        /// From another queue, after the database has committed.
        case later(
            @Sendable (
                Gateway, Call, @escaping @Sendable (Result<Response, any Error>) -> Void
            ) throws -> Void)
    }

    var method: String
    /// With `{name}` for a segment that may be anything.
    var pattern: String
    var access: Access
    var body = Body.none
    var action: Action

    /// The values of the pattern's variable segments, nil when the path is another.
    func match(_ path: String) -> [String]? {
        let wanted = pattern.split(separator: "/", omittingEmptySubsequences: false)
        let found = path.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == found.count else { return nil }
        var values: [String] = []
        for (want, segment) in zip(wanted, found) {
            if want.first == "{" {
                guard !segment.isEmpty else { return nil }
                values.append(String(segment))
            } else if want != segment {
                return nil
            }
        }
        return values
    }
}

/// A request on its way through an endpoint: judged, authenticated, unpacked.
struct Call: Sendable {
    var head: RequestHead
    /// What stood in the pattern's variable segments.
    var segments: [String]
    /// Nil only on routes for anyone.
    var device: Device?
    /// Unpacked.
    var body: [UInt8]

    func json() throws(CodingError) -> JSON {
        try JSON.parse(body)
    }

    /// - Throws: on a route for anyone.
    func requireDevice() throws(Refusal) -> Device {
        guard let device else { throw .unauthorized }
        return device
    }
}
