/// What a pruning did, and what it had to leave.
package struct PruneReport: Sendable, Equatable {
    /// Tombstones that are gone now.
    package let pruned: Int64
    /// Tombstones that are old enough and had to stay: a device has not heard of them, something
    /// stands under them, or a person has to decide.
    package let waiting: Int64
    /// Ids of the devices that are waited for.
    package let waitsFor: [String]

    package init(pruned: Int64, waiting: Int64, waitsFor: [String]) {
        self.pruned = pruned
        self.waiting = waiting
        self.waitsFor = waitsFor
    }
}

/// How long things are kept, in milliseconds.
enum Retention {
    private static let day: Int64 = 86_400_000
    /// Tombstones, at the least.
    static let tombstones = 30 * day
    /// Silence after which a device is not waited for.
    static let liveDevice = 60 * day
    /// Decisions for devices, and keys of batches.
    static let deliveries = 60 * day
    /// Verdicts that their devices have heard.
    static let verdicts = year
    /// Values that lost, and what people decided.
    static let history = year
    /// Epochs that devices may still come from.
    static let epochs = year
    /// Silence after which the clock is doubted. Longer than a year: a server that was put away for
    /// one goes on by itself.
    static let longestPause = 400 * day
    private static let year = 365 * day
}
