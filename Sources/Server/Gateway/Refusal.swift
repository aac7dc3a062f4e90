import Coding
import HTTP
import Replication
import ServerStore

/// Why a request is not done: status, the code that programs compare, the sentence for people.
struct Refusal: Error, Equatable {
    var status: Int
    var code: String
    var message: String
    var retryAfter: Int?
    var allow: [String] = []

    init(_ status: Int, _ code: String, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    var response: Response {
        var response = Response.error(status, code, message)
        if let retryAfter { response = response.with("Retry-After", String(retryAfter)) }
        if !allow.isEmpty { response = response.with("Allow", allow.joined(separator: ", ")) }
        if status == 401 { response = response.with("WWW-Authenticate", "Bearer") }
        return response
    }

    static let unauthorized = Refusal(401, "unauthorized", "A valid token is needed.")
    static let revoked = Refusal(403, "revoked", "This device was revoked.")
    static let wrongNode = Refusal(
        403, "wrong_node", "The node is another device's.")
    static let unknownRoute = Refusal(404, "not_found", "There is nothing at this path.")
    static let unpackedTooLarge = Refusal(
        413, "body_too_large", "The body is larger than the server takes, unpacked.")
    static let badContentType = Refusal(
        415, "unsupported_media_type", "The body must be application/json.")
    static let badEncoding = Refusal(
        415, "unsupported_encoding", "The body may be packed with gzip only.")
    static let overloaded = Refusal(
        503, "overloaded", "The server is busy; try again.", retryAfter: 2)
    static let unavailable = Refusal(
        503, "unavailable", "The server cannot reach its store; try again.", retryAfter: 5)

    static func methodNotAllowed(_ allowed: [String]) -> Refusal {
        var refusal = Refusal(405, "method_not_allowed", "This path has another method.")
        refusal.allow = allowed
        return refusal
    }

    static func tooMany(retryAfter: Int) -> Refusal {
        Refusal(429, "too_many_requests", "Too many requests; try later.", retryAfter: retryAfter)
    }

    static func bad(_ code: String, _ message: String) -> Refusal { Refusal(400, code, message) }
}

extension Refusal {
    /// The one place where an error becomes a status.
    ///
    /// What is none of ours is a failure of the database, by the store's contract: 503, so that no
    /// client reads it as *revoked* or *unknown*.
    init(_ error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let error as CodingError: self = Self.words(for: error)
        case let error as ReplicationError: self = .bad("bad_request", "\(error)")
        case let error as ServerStoreError: self = Self.words(for: error)
        default: self = .unavailable
        }
    }

    private static func words(for error: CodingError) -> Refusal {
        switch error.code {
        case .malformed, .duplicateKey, .numberRange: .bad("bad_json", error.description)
        case .tooLarge where error.path == "mutations":
            Refusal(413, "too_many_mutations", error.description)
        case .tooLarge where error.path == "records":
            Refusal(413, "too_many_records", error.description)
        case .tooLarge: .bad("too_complex", error.description)
        case .missing, .unexpected: .bad("bad_request", error.description)
        case .damagedGzip: .bad("bad_gzip", "The gzip stream is damaged.")
        }
    }

    private static func words(for error: ServerStoreError) -> Refusal {
        switch error.code {
        case .overloaded: .overloaded
        case .cursorExpired: Refusal(410, "cursor_expired", error.message)
        case .badCursor: .bad("bad_cursor", error.message)
        case .wrongNode: Refusal(403, "wrong_node", error.message)
        case .forked: Refusal(409, "forked", error.message)
        case .keyReused: Refusal(422, "idempotency_key_reused", error.message)
        case .tooManyMutations: Refusal(413, "too_many_mutations", error.message)
        case .peerTooNew: Refusal(426, "upgrade_needed", error.message)
        case .codeUnknown: Refusal(401, "code_unknown", error.message)
        case .codeUsed: Refusal(409, "code_used", error.message)
        case .codeExpired: Refusal(410, "code_expired", error.message)
        case .nodeTaken: Refusal(409, "node_taken", error.message)
        case .otherTeam: Refusal(409, "other_team", error.message)
        case .unknownDevice: .revoked
        case .unknownForm: Refusal(404, "unknown_form", error.message)
        case .badName, .nameTaken, .unknownTeam, .formDiffers, .badForm, .unknownRecord,
            .unknownReviewItem, .alreadyDecided, .stateRefused, .valueRefused, .importRefused,
            .notAStore, .damaged, .clockDoubted:
            .bad("refused", error.message)
        }
    }
}
