internal import CTerminal
internal import Synchronization

/// Messages from workers to the screen. Any thread posts; the main thread sees `descriptor` become
/// readable in its poll(2) and takes them all.
package final class Mailbox<Message: Sendable>: Sendable {
    private let waiting = Mutex<[Message]>([])
    /// An eventfd(2); readable while messages wait.
    package let descriptor: Int32

    /// Throws `TerminalError.noDescriptor` when the process has no descriptor left.
    package init() throws(TerminalError) {
        descriptor = walkdown_mailbox_open()
        guard descriptor >= 0 else { throw .noDescriptor }
    }

    deinit { walkdown_mailbox_close(descriptor) }

    package func post(_ message: Message) {
        waiting.withLock { $0.append(message) }
        walkdown_mailbox_signal(descriptor)
    }

    /// Wakes the screen without a message: something that it asks about has changed.
    package func wake() { walkdown_mailbox_signal(descriptor) }

    /// Empties the mailbox. The signal is cleared first: a message posted meanwhile is either taken
    /// now or signalled again.
    package func take() -> [Message] {
        walkdown_mailbox_drain(descriptor)
        return waiting.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }

    package var isEmpty: Bool { waiting.withLock { $0.isEmpty } }
}
