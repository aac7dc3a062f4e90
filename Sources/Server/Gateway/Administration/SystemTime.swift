import ServerStore

#if canImport(Glibc)
    import Glibc
#endif

/// The one place where the server reads a clock that can be set.
enum SystemTime {
    /// Milliseconds since 1970, UTC.
    static let milliseconds: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension SQLiteStore.Environment {
    static var live: SQLiteStore.Environment {
        SQLiteStore.Environment(now: SystemTime.milliseconds)
    }
}
