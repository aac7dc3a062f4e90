internal import Glibc
internal import Synchronization

/// A write to standard output that did not reach its reader.
package struct OutputError: Error, Equatable {
    /// `errno` of write(2).
    package let code: Int32

    /// The reader has gone, as with `| head`: no fault, and nobody is left to tell.
    package var isBrokenPipe: Bool { code == EPIPE }

    var reason: String { String(cString: strerror(code)) }
}

/// Where words go: results to standard output, messages for people to standard error.
///
/// Results are written at once and in full (no buffer that an exit could lose), and a failure is an
/// error: a script that fills its disk with `> list.json` must see it.
package struct Console: Sendable {
    let output: Int32
    let messages: Int32
    private let documents = DocumentNote()

    package init(output: Int32 = STDOUT_FILENO, messages: Int32 = STDERR_FILENO) {
        self.output = output
        self.messages = messages
    }

    package var outputIsTerminal: Bool { isatty(output) == 1 }

    /// Text to standard output, as it is.
    package func write(_ text: String) throws(OutputError) {
        try Console.writeAll(Array(text.utf8), to: output)
    }

    package func writeLine(_ text: String) throws(OutputError) {
        try write(text + "\n")
    }

    /// The one JSON document of a command that was asked for `--json`.
    package func writeDocument(_ json: [UInt8]) throws(OutputError) {
        documents.isWritten.store(true, ordering: .relaxed)
        try Console.writeAll(json + [UInt8(ascii: "\n")], to: output)
    }

    /// Whether a document was begun: a second one would make both unreadable.
    var hasDocument: Bool { documents.isWritten.load(ordering: .relaxed) }

    /// A message for people; whatever is quoted in it, nothing reaches the terminal but text.
    package func say(_ text: String) {
        do {
            let safe = terminalSafe(text, keepingLines: true)
            try Console.writeAll(Array((safe + "\n").utf8), to: messages)
        } catch {
            // Nothing is lost: standard error is the last place that there is to complain to.
        }
    }

    /// write(2) until all is written; a signal or a full pipe only delays it.
    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress! + written, bytes.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                throw OutputError(code: errno)
            }
        }
    }
}

/// Shared by the copies of a console.
private final class DocumentNote: Sendable {
    let isWritten = Atomic(false)
}
