internal import CTerminal
internal import Dispatch
internal import Glibc

/// Another program on our terminal, until it ends: the person's text editor.
package struct OtherProgram: Equatable, Sendable {
    /// The program's path and what it is given.
    package let words: [String]

    package init(words: [String]) { self.words = words }

    package enum End: Equatable, Sendable {
        /// It ended by itself, with this status.
        case status(Int32)
        case signal(Int32)
        /// It could not be started.
        case failed(errno: Int32)
    }

    /// Whether what it is given in a file of this folder never stands on a disk.
    package static func isInMemory(_ folder: String) -> Bool {
        walkdown_folder_in_memory(folder) == 1
    }

    /// How long it has to save what it holds when this process is asked to end.
    private static let farewell: Int64 = 2_000

    /// Runs it in the foreground. The terminal must have been given back before.
    /// - Parameters:
    ///   - errors: its standard error.
    ///   - wake: readable when this process is asked to end: the program is told to end too.
    func run(errors: Int32, wake: Int32) -> End {
        let pid: pid_t
        switch start(errors: errors) {
        case .success(let started): pid = started
        case .failure(let failure): return .failed(errno: failure.code)
        }
        // Without a descriptor left its end is all that can be waited for.
        guard let ends = try? Mailbox<Int32>() else { return Self.end(Self.wait(for: pid)) }
        DispatchQueue.global().async {
            while true {
                let status = Self.wait(for: pid)
                ends.post(status)
                if !Self.isStopped(status) { return }
            }
        }
        return watch(pid, ends, wake)
    }

    private func watch(_ pid: pid_t, _ ends: Mailbox<Int32>, _ wake: Int32) -> End {
        var deadline: Int64?
        var hasSignals = false
        // What came meanwhile is looked at by the loop.
        defer { if hasSignals { walkdown_mailbox_signal(wake) } }
        while true {
            var watched = [ends.descriptor, wake].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let left = deadline.map { Int32(clamping: max(0, $0 - BootClock.milliseconds())) }
            _ = poll(&watched, nfds_t(watched.count), left ?? -1)
            for status in ends.take() {
                guard Self.isStopped(status) else { return Self.end(status) }
                // Ctrl-Z in it: the shell waits for this process, which stops with it.
                CrashGuard.stopProcess()
                kill(pid, SIGCONT)
            }
            if watched[1].revents != 0 {
                walkdown_mailbox_drain(wake)
                hasSignals = true
            }
            if let due = deadline {
                if BootClock.milliseconds() >= due { kill(pid, SIGKILL) }
            } else if CrashGuard.isEndAsked {
                // What an editor saves is saved at a hang-up.
                kill(pid, SIGHUP)
                deadline = BootClock.milliseconds() + Self.farewell
            }
        }
    }

    private static func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, WUNTRACED) < 0 {
            // Only this process waits for it, so nothing but a signal of ours ends the wait.
            guard errno == EINTR else { return 0 }
        }
        return status
    }

    private static func isStopped(_ status: Int32) -> Bool { status & 0xFF == 0x7F }

    private static func end(_ status: Int32) -> End {
        status & 0x7F == 0 ? .status((status >> 8) & 0xFF) : .signal(status & 0x7F)
    }

    private struct StartFailure: Error { let code: Int32 }

    private func start(errors: Int32) -> Result<pid_t, StartFailure> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { arguments.forEach { free($0) } }
        arguments.append(nil)
        var pid = pid_t()
        let code = posix_spawn(&pid, words[0], &actions, &attributes, arguments, environ)
        return code == 0 ? .success(pid) : .failure(StartFailure(code: code))
    }
}
