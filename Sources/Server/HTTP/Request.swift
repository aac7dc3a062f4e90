/// Request line and header of one request: what can be judged before a body is read.
package struct RequestHead: Sendable {
    /// As it came, upper case by the rules of HTTP: `GET`, `POST`, ….
    package var method: String
    /// Percent escapes decoded; begins with `/`.
    package var path: String
    package var query: [String: String]
    /// Names in lower case. A name that may stand twice has its values joined by `, `.
    package var headers: [String: String]
    /// The peer's address as text, without the port.
    package var peer: String

    package init(
        method: String, path: String, query: [String: String] = [:],
        headers: [String: String] = [:], peer: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.peer = peer
    }

    /// - Parameter name: in lower case.
    package subscript(_ name: String) -> String? { headers[name] }
}

/// A whole request, its body within the limits.
package struct Request: Sendable {
    package var head: RequestHead
    package var body: [UInt8]

    package init(head: RequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}
