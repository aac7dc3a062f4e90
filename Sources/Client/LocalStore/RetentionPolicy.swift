/// How long what is settled stays on the device. What waits, was typed and not accepted, or is in
/// review stays whatever its age.
///
/// Ages are milliseconds of the *server's* clock, counted from when upkeep first saw a thing
/// settled: a device's own clock that jumps to the year 2106, or writes 1970 beside a reading,
/// makes nothing old.
package struct RetentionPolicy: Sendable, Equatable {
    package static let day: Int64 = 86_400_000

    /// Acknowledged mutations, for a server that is restored from an older backup.
    package var acknowledged = 30 * day
    /// Values that lost.
    package var history = 365 * day
    /// What support reads of synchronisation.
    package var log = 365 * day
    /// Records that a restored server no longer has.
    package var lostRecords = 365 * day
    /// Answers of complete and approved inspections; the server has them.
    package var finishedInspections = 365 * day
    /// Between two upkeeps, by the device's clock.
    package var interval = day

    package init() {}
}
