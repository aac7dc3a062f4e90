import Arguments
import CSystem
import Dispatch
import HTTP
import ServerStore
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// `walkdownd serve`: runs until SIGTERM, SIGINT or SIGHUP, then drains.
struct Serve {
    static let usualAddress = "127.0.0.1:8443"
    /// How long running requests may take to end.
    static let drainTime = Duration.seconds(8)

    static let options = [
        Option(
            "listen", value: "ADDR:PORT",
            help: "Where to listen; \(usualAddress) unless given. Port 0 takes any free port."),
        Option("insecure-loopback", help: "Speak plain HTTP, on a loopback address only."),
    ]

    static func run(
        _ invocation: Invocation, _ console: Console, environment: (String) -> String?
    ) throws -> ExitCode {
        let address: ListenAddress
        do {
            address = try ListenAddress(invocation.value("listen") ?? usualAddress)
        } catch {
            throw Failure(.usage, error.message)
        }
        let isPlain = invocation.has("insecure-loopback")
        guard !isPlain || address.isLoopback else {
            throw Failure(.usage, "--insecure-loopback is for loopback addresses only")
        }
        let folder = try DataFolder(option: invocation.value("data"), environment: environment)
        try folder.requireThere()
        let signals = EndSignals()
        let lock = try FolderLock(folder)
        defer { withExtendedLifetime(lock) {} }
        allowManyDescriptors()
        returnLargeBlocks()
        let disk = DiskWatch()
        let store = try SQLiteStore.open(at: folder.database, disk.environment)
        let log = Log(now: SystemTime.milliseconds) { console.say($0) }
        let authority = try Authority.der(in: folder)
        let session = Session(
            store: store, folder: folder, authority: { authority },
            now: SystemTime.milliseconds, read: { try SmallFile.readText($0) }, isServing: true)
        var rates = Rates()
        rates.threads = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let gateway = Gateway(
            store: store, identity: try Authority.identity(in: folder), log: log, rates: rates)
        let listener = try Listener(
            address, identity: isPlain ? nil : try Authority.serverIdentity(in: folder),
            handler: gateway)
        let control = try ControlServer(
            session: session, runtime: environment("XDG_RUNTIME_DIR"), log: log)
        let pruning = DailyPruning(store, log: log)
        try console.writeLine("listening \(isPlain ? "http" : "https")://\(listener.address)")
        log.event("started")
        signals.wait()
        log.event("stopping")
        listener.stop(patience: drainTime)
        control.stop()
        pruning.stop()
        // Closing would ask the disk once more.
        guard !disk.hasFailed else {
            throw Failure(
                .failed, "the disk did not keep what was written: the server has stopped",
                advice: "Nothing of it was called accepted. Look at the disk, then start again.")
        }
        try store.close()
        log.event("stopped")
        return .done
    }

    /// glibc raises this threshold with each large block that is freed, and keeps what lies below
    /// it: after a burst of large bodies the server would stay as big as it was then.
    private static func returnLargeBlocks() {
        _ = walkdown_return_blocks_from(256 << 10)
    }

    /// A connection is a descriptor; the usual limit of 1024 leaves too few.
    private static func allowManyDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 8192)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// Ends the server when its disk fails: the next one begins with what is really there.
private final class DiskWatch: Sendable {
    private let failed = Mutex(false)

    var hasFailed: Bool { failed.withLock { $0 } }

    var environment: SQLiteStore.Environment {
        var environment = SQLiteStore.Environment.live
        environment.diskFailed = { [self] in
            failed.withLock { $0 = true }
            // To this process, whose main thread waits for it.
            kill(getpid(), SIGTERM)
        }
        return environment
    }
}

/// SIGTERM, SIGINT and SIGHUP (the terminal is gone), kept from killing: blocked before any thread
/// starts, so that every thread inherits the mask, and waited for by the main thread.
private struct EndSignals {
    private var set = sigset_t()

    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        // Under nohup(1) it is to be ignored; a blocked signal would be waited for all the same.
        var hangUp = sigaction()
        let isIgnored =
            sigaction(SIGHUP, nil, &hangUp) == 0
            && unsafeBitCast(hangUp.__sigaction_handler.sa_handler, to: Int.self) == 1
        if !isIgnored { sigaddset(&set, SIGHUP) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    func wait() {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) == EINTR {}
    }
}
