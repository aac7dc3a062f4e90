#if canImport(Glibc)
    import Glibc
#endif

/// The processor time of this thread: a test that runs beside others on two cores waits for its turn,
/// and that wait says nothing about the input.
enum ThreadTime {
    static func measure(_ body: () -> Void) -> Duration {
        let start = now()
        body()
        return now() - start
    }

    private static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
