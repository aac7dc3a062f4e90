package import LocalStore
package import Sync

/// The way to the server that enrolment named.
package enum Wire {
    package static func connect(_ store: DeviceStore) -> any Transport {
        do {
            return try store.transport()
        } catch {
            // Enrolment's data cannot be read or used: each cycle says so until it can.
            return DeadWire()
        }
    }

    private final class DeadWire: Transport {
        func send(_ call: WireCall) -> TransportOutcome { .fault(.misconfigured) }
        func cancel() {}
        func disconnect() {}
    }
}
