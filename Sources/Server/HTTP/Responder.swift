import CMicrohttpd
import Synchronization

/// The way back to one suspended connection. Any thread may answer, once.
///
/// `@unchecked Sendable`: `connection` is set at creation and used only under `state`'s lock; the
/// library keeps it alive while it is suspended, and the handler of its thread keeps it alive else.
package final class Responder: @unchecked Sendable {
    private enum State {
        /// The handler has not returned yet; the connection is not suspended.
        case running
        case suspended
        case answered(Response)
        case taken
    }

    private let connection: OpaquePointer
    private let state = Mutex(State.running)

    init(connection: OpaquePointer) {
        self.connection = connection
    }

    /// Gives the answer. Of several, the first counts.
    package func answer(_ response: Response) {
        state.withLock { state in
            switch state {
            case .running: state = .answered(response)
            case .suspended:
                state = .answered(response)
                MHD_resume_connection(connection)
            case .answered, .taken: break
            }
        }
    }

    /// On the connection's thread, after the handler returned: the answer, or the connection
    /// suspended until it comes.
    func answerOrSuspend() -> Response? {
        state.withLock { state in
            if case .answered(let response) = state {
                state = .taken
                return response
            }
            if case .running = state {
                MHD_suspend_connection(connection)
                state = .suspended
            }
            return nil
        }
    }
}
