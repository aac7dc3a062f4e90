package import Forms

/// What the clocks say when something happens. The reducer reads no clock; the run loop does.
package struct Moment: Hashable, Sendable {
    /// Milliseconds of a clock that never goes back and also counts while the device sleeps
    /// (CLOCK_BOOTTIME): for the lock and for drafts.
    package var uptime: Int64
    /// Milliseconds since 1970, UTC; only to be shown, as a device's wall clock may be wrong.
    package var wall: Int64
    /// The day where the device stands.
    package var today: CivilDate?

    /// Seconds that local time is ahead of UTC, for times that are shown.
    package var zone: Int

    package init(uptime: Int64, wall: Int64, today: CivilDate?, zone: Int = 0) {
        self.zone = zone
        self.uptime = uptime
        self.wall = wall
        self.today = today
    }
}
