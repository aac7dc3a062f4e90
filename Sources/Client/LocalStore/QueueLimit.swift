internal import SQLite

/// How many mutations may wait for the server (M06). The triggers ask for it with each edit.
extension DeviceStore {
    /// What a person may choose. Below one nothing could be entered; a million is more than a device
    /// collects in a year.
    package static let queueLimits: ClosedRange<Int64> = 1...1_000_000

    package func queueLimit() throws -> Int64 {
        try read { try $0.metadataInteger("queue_limit") ?? 0 }
    }

    /// What waits already stays, also where it is more than the new limit.
    ///
    /// - Precondition: the limit is one of `queueLimits`.
    package func setQueueLimit(_ limit: Int64) throws {
        precondition(Self.queueLimits.contains(limit), "no limit of a queue: \(limit)")
        try edit { try $0.setMetadata("queue_limit", .integer(limit)) }
    }

    /// Mutations that are PENDING or IN_FLIGHT, by the counter that the triggers keep: asked for with
    /// each batch, so it must not count rows.
    package func waiting() throws -> Int {
        try read { Int(try $0.metadataInteger("waiting") ?? 0) }
    }
}
