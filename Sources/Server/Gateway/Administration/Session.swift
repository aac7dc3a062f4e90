import Arguments
import Coding
import Replication
import ServerStore

/// What an administration command works with, whether it runs in the serving process or alone.
struct Session: Sendable {
    var store: any Store
    var folder: DataFolder
    /// The authority's certificate, whose fingerprint enrolment codes carry. Asked for only by who
    /// needs it, so that a folder without one can still be looked at.
    var authority: @Sendable () throws -> [UInt8]
    /// Milliseconds since 1970, UTC.
    var now: @Sendable () -> Int64
    /// Reads a file that the command line names; beside a running server, one that came with it.
    var read: @Sendable (String) throws -> String
    /// The same for a file that is no text.
    var readBytes: @Sendable (String) throws -> [UInt8] = {
        try SmallFile.read($0, limit: SmallFile.bundleLimit)
    }
    /// True inside the serving process.
    var isServing: Bool

    var supervisor: Supervisor {
        Supervisor(name: Administrator.name(in: folder) ?? "admin")
    }
}

/// Finds or makes the session of a command.
protocol SessionSource: Sendable {
    func run(
        _ invocation: Invocation, _ console: Console,
        _ perform: (Session, Invocation, Console) throws -> ExitCode
    ) throws -> ExitCode
}

/// Inside the server: the session is there.
struct ServingSource: SessionSource {
    var session: Session

    func run(
        _ invocation: Invocation, _ console: Console,
        _ perform: (Session, Invocation, Console) throws -> ExitCode
    ) throws -> ExitCode {
        try perform(session, invocation, console)
    }
}
