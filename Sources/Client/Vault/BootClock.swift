internal import Glibc

/// Time since the machine started, in milliseconds, with the time that it was suspended. Nobody can
/// set it, unlike the time of day.
package enum BootClock {
    /// `CLOCK_BOOTTIME` (clock_gettime(2)).
    package static let now: @Sendable () -> Int64 = {
        var time = timespec()
        // Cannot fail: the clock exists since Linux 2.6.39 and the address is ours.
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// A point on the boot clock that can be compared after a restart.
package struct BootInstant: Equatable, Sendable {
    /// Which start of the machine: `/proc/sys/kernel/random/boot_id`.
    package var boot: [UInt8]
    package var milliseconds: Int64

    package init(boot: [UInt8], milliseconds: Int64) {
        self.boot = boot
        self.milliseconds = milliseconds
    }

    /// From the kernel's own files: libraries that pretend another time to a process change what
    /// clock_gettime(2) answers, not what stands there.
    package static let current: @Sendable () throws(VaultError) -> BootInstant = {
        () throws(VaultError) in
        let boot = try Descriptor("/proc/sys/kernel/random/boot_id", O_RDONLY).readAll(limit: 64)
        let path = "/proc/uptime"
        let uptime = try Descriptor(path, O_RDONLY).readAll(limit: 64)
        let text = String(decoding: uptime, as: UTF8.self)
        guard let first = text.split(separator: " ").first, let seconds = Double(first) else {
            throw .system(operation: "understand", path: path, code: EINVAL)
        }
        return BootInstant(
            boot: Array(boot.filter { $0 != UInt8(ascii: "\n") }.prefix(36)),
            milliseconds: Int64(seconds * 1000))
    }

    /// Milliseconds that have passed at least since `earlier`: after a restart of the machine only
    /// those since the restart are certain.
    package func elapsed(since earlier: BootInstant) -> Int64 {
        let sameBoot = boot == earlier.boot && milliseconds >= earlier.milliseconds
        return sameBoot ? milliseconds - earlier.milliseconds : milliseconds
    }
}
