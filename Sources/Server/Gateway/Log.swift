import Coding
import HTTP
import Replication

/// One JSON line for each request and event on standard error. Never a token, a code, a query, a
/// body or an answer.
struct Log: Sendable {
    private let now: @Sendable () -> Int64
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - now: milliseconds since 1970, UTC.
    ///   - write: takes one line without its end.
    init(
        now: @escaping @Sendable () -> Int64, write: @escaping @Sendable (String) -> Void
    ) {
        self.now = now
        self.write = write
    }

    func event(_ name: String, level: String = "info", _ members: [String: JSON] = [:]) {
        var line = members
        line["time"] = .string(SyncTimestamp.text(now()))
        line["level"] = .string(level)
        line["event"] = .string(name)
        write(JSON.object(line).text())
    }

    func request(_ request: Request, _ response: Response, since began: ContinuousClock.Instant) {
        let took = (ContinuousClock.now - began) / .milliseconds(1)
        event(
            "request", level: response.status >= 500 ? "error" : "info",
            [
                "method": .string(request.head.method), "path": .string(request.head.path),
                "status": .integer(Int64(response.status)), "peer": .string(request.head.peer),
                "milliseconds": .double((took * 10).rounded() / 10),
                "bytesIn": .integer(Int64(request.body.count)),
                "bytesOut": .integer(Int64(response.body.count)),
            ])
    }

    /// What the client is told in general words only. Errors of our modules hold no values.
    func fault(_ error: any Error, _ head: RequestHead) {
        event("fault", level: "error", ["path": .string(head.path), "reason": .string("\(error)")])
    }
}
