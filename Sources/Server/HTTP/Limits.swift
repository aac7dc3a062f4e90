/// The bounds that every connection meets before anything else looks at it.
package struct Limits: Sendable {
    /// Most bytes of a body (packed, as it arrives). One more answers 413.
    package var body = 4 << 20
    /// Most bytes of request line and header together. One more answers 431.
    package var header = 16 << 10
    /// Bytes of all the bodies that stand in memory at one time. Beyond it a request answers 503.
    package var bodiesInMemory = 16 << 20
    /// Connections at one time; more wait in the kernel's queue.
    package var connections = 512
    /// Connections of one address at one time, 0 for any number (devices behind one NAT).
    package var connectionsPerAddress = 0
    /// Threads that read and write connections.
    package var threads = 2
    /// From accepting to the end of the first header, TLS handshake included.
    package var headerTime = Duration.seconds(5)
    /// From one answer to the next request line on the same connection.
    package var idleTime = Duration.seconds(30)
    /// For a body or an answer, in addition to one second a kilobyte that was really moved.
    package var transferTime = Duration.seconds(30)

    package init() {}

    /// A body that is refused is still read this far, so that the client gets to read the answer
    /// instead of a reset connection.
    var discarded: Int { 4 * body }

    /// The time a transfer of `bytes` may have taken in all: 30 s and 1 s a kilobyte.
    func time(forTransferring bytes: Int) -> Duration {
        transferTime + .seconds(bytes / 1024)
    }
}
