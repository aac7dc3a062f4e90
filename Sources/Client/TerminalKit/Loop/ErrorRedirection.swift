internal import Glibc

/// Standard error goes to a file while the screen is up: a library's warning would be painted into
/// it. Main thread only.
package final class ErrorRedirection {
    /// The real standard error, for the crash guard's farewell.
    package let real: Int32

    /// `path` is appended to, mode 0600. Where it cannot be opened, warnings are dropped: a full disk
    /// must not keep the screen from starting.
    package init(to path: String) throws(TerminalError) {
        real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        guard real >= 0 else { throw .noDescriptor }
        var log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if log < 0 { log = open("/dev/null", O_WRONLY | O_CLOEXEC) }
        guard log >= 0 else { return }
        dup2(log, STDERR_FILENO)
        close(log)
    }

    deinit {
        dup2(real, STDERR_FILENO)
        close(real)
    }
}
