package import Forms
import Glibc
import TerminalKit

/// The device's clocks, read once for each event.
package enum DeviceClock {
    /// Uptime counts while the device sleeps; the wall clock and its zone are only shown.
    package static func moment() -> Moment {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        var local = tm()
        var seconds = time.tv_sec
        // Fails for years that do not fit an int; then the day is unknown and nothing is shown of it.
        let known = localtime_r(&seconds, &local) != nil
        return Moment(
            uptime: BootClock.milliseconds(),
            wall: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000,
            today: known
                ? CivilDate(
                    year: Int(local.tm_year) + 1_900, month: Int(local.tm_mon) + 1,
                    day: Int(local.tm_mday)) : nil,
            zone: known ? Int(local.tm_gmtoff) : 0)
    }

    /// Where the device is, for a form's dates.
    package static let zone = ExpressionZone { seconds in
        var local = tm()
        var seconds = time_t(seconds)
        // Fails for years that do not fit an int, which no form reckons with.
        guard localtime_r(&seconds, &local) != nil else { return 0 }
        return Int(local.tm_gmtoff)
    }
}
