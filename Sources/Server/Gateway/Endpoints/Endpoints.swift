import Coding
import HTTP
import ServerStore

/// What each route does. They only translate: the rules of the data stand in ServerStore.
enum Endpoints {
    static func health(_ gateway: Gateway, _ call: Call) throws -> Response {
        _ = try gateway.store.serverEpoch()
        return .json(["status": "ok"])
    }

    static func authority(_ gateway: Gateway, _ call: Call) throws -> Response {
        Response(
            status: 200, contentType: "application/x-pem-file",
            body: Array(gateway.identity.authority.utf8))
    }
}

extension Response {
    static func json(_ document: JSON, status: Int = 200) -> Response {
        Response(status: status, body: document.serialized())
    }
}
