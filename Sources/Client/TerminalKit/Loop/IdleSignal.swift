internal import Glibc

/// Tells a test that everything is drained and painted: `idle <frame>` on the descriptor that
/// `WALKDOWN_TEST_FD` names, so that tests wait for it and never for time.
package struct IdleSignal: Sendable {
    private let descriptor: Int32

    /// nil when the variable names no open descriptor beyond the standard three.
    package init?(_ value: String?) {
        guard let value, let number = Int32(value), number > 2, fcntl(number, F_GETFD) >= 0 else {
            return nil
        }
        descriptor = number
        // Children (an editor, a pager) have no business with it.
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }

    package func send(frame: Int) {
        let line = Array("idle \(frame)\n".utf8)
        // A test that has gone away loses the line; the application goes on.
        _ = write(descriptor, line, line.count)
    }
}
