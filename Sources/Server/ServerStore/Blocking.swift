internal import Dispatch
package import Replication
internal import Synchronization

extension Store {
    /// Pushes and waits for the answer: for commands and tests, never for a request's thread.
    package func push(
        _ request: PushRequest, from device: Device, idempotencyKey: String? = nil
    ) throws -> PushResponse {
        let answer = Answer()
        push(request, from: device, idempotencyKey: idempotencyKey) { answer.give($0) }
        return try answer.wait().get()
    }
}

/// One result that another thread will give.
private final class Answer: Sendable {
    private let result = Mutex<Result<PushResponse, any Error>?>(nil)
    private let given = DispatchSemaphore(value: 0)

    func give(_ result: Result<PushResponse, any Error>) {
        self.result.withLock { $0 = result }
        given.signal()
    }

    func wait() -> Result<PushResponse, any Error> {
        given.wait()
        guard let result = result.withLock({ $0 }) else {
            preconditionFailure("signalled before the result stood")
        }
        return result
    }
}
