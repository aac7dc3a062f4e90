import Foundation

/// Runs a program to its end with its output in files. Pipes would be inherited by whatever daemon
/// the program leaves behind (a tmux server), and reading them would never end.
enum Spawn {
    static func run(_ arguments: [String], output: String, errors: String) throws -> Int32 {
        let pid = try start(arguments, output: output, errors: errors)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw HarnessError("waitpid: errno \(errno)") }
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    /// Whoever starts a program this way ends it and waits for it.
    static func start(_ arguments: [String], output: String, errors: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let create = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, create, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, create, 0o600)
        // The testing library's threads block signals, and a child inherits that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { words.forEach { free($0) } }
        words.append(nil)
        var pid = pid_t()
        let failure = posix_spawnp(&pid, arguments[0], &actions, &attributes, words, environ)
        guard failure == 0 else {
            throw HarnessError("cannot run \(arguments[0]): errno \(failure)")
        }
        return pid
    }
}
