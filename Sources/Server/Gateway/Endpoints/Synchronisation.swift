import Coding
import HTTP
import Replication
import ServerStore

extension Endpoints {
    static func push(
        _ gateway: Gateway, _ call: Call,
        _ done: @escaping @Sendable (Result<Response, any Error>) -> Void
    ) throws {
        let device = try call.requireDevice()
        let request = try PushRequest(json: call.json())
        if call.head["x-client-node-id"] != nil, request.clientNodeId != device.node {
            throw Refusal.wrongNode
        }
        gateway.store.push(
            request, from: device, idempotencyKey: try idempotencyKey(call.head)
        ) { result in
            if case .failure(let error as ServerStoreError) = result, error.code == .forked {
                gateway.log.event(
                    "forked", level: "warning",
                    ["device": .string(device.id), "node": request.clientNodeId.json])
            }
            done(result.map { .json($0.json) })
        }
    }

    static func pull(_ gateway: Gateway, _ call: Call) throws -> Response {
        let page = try gateway.store.pull(
            PullRequest(query: call.head.query), by: call.requireDevice())
        return .json(page.json)
    }

    static func copies(_ gateway: Gateway, _ call: Call) throws -> Response {
        let device = try call.requireDevice()
        let request = try CopyRequest(json: call.json())
        if call.head["x-client-node-id"] != nil, request.clientNodeId != device.node {
            throw Refusal.wrongNode
        }
        return .json(try gateway.store.takeCopies(request, from: device).json)
    }

    static func heartbeat(_ gateway: Gateway, _ call: Call) throws -> Response {
        let device = try call.requireDevice()
        return .json(try gateway.store.note(DeviceReport(json: call.json()), of: device).json)
    }

    /// Visible ASCII, at most 200 of it; nil where the client sent none.
    private static func idempotencyKey(_ head: RequestHead) throws(Refusal) -> String? {
        guard let key = head["idempotency-key"] else { return nil }
        let isVisible = key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isVisible, (1...200).contains(key.utf8.count) else {
            throw .bad("bad_idempotency_key", "The idempotency key cannot be read.")
        }
        return key
    }
}
