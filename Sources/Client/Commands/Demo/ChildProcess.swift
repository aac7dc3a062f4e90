internal import CSystem
internal import Glibc

/// A program that the demo starts. Not Foundation's `Process`: that one hands down the signal mask
/// of whatever thread starts it, and a child with SIGTERM blocked cannot be told to stop.
final class ChildProcess {
    /// What becomes of a standard stream.
    enum Stream {
        case nothing
        /// Ours to read or write.
        case pipe
        case inherited
        /// Added to the end of a file.
        case file(String)
    }

    struct StartFailure: Error {
        let program: String
        let code: Int32
    }

    let pid: pid_t
    private var input: Int32?
    private var output: Int32?
    private var buffered: [UInt8] = []
    private var status: Int32?

    init(
        _ program: String, _ arguments: [String], input: Stream = .nothing,
        output: Stream = .nothing, errors: Stream = .nothing, inOwnSession: Bool = false
    ) throws {
        let toChild = try Self.makePipe(for: input)
        let fromChild = try Self.makePipe(for: output)
        defer {
            if let toChild { close(toChild.reading) }
            if let fromChild { close(fromChild.writing) }
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        Self.connect(input, STDIN_FILENO, toChild?.reading, &actions)
        Self.connect(output, STDOUT_FILENO, fromChild?.writing, &actions)
        Self.connect(errors, STDERR_FILENO, nil, &actions)
        pid = try Self.spawn(program, arguments, &actions, inOwnSession)
        self.input = toChild?.writing
        self.output = fromChild?.reading
    }

    deinit {
        closeInput()
        if let output { close(output) }
    }

    /// The first line that comes; nil when the stream ends without one.
    func readLine() -> String? {
        while true {
            if let end = buffered.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffered[..<end], as: UTF8.self)
                buffered.removeFirst(end + 1)
                return line
            }
            guard readMore() else { return nil }
        }
    }

    /// Everything up to the end of the stream.
    func readAll() -> String {
        while readMore() {}
        defer { buffered = [] }
        return String(decoding: buffered, as: UTF8.self)
    }

    private func readMore() -> Bool {
        guard let output else { return false }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var count = read(output, &chunk, chunk.count)
        while count < 0, errno == EINTR { count = read(output, &chunk, chunk.count) }
        guard count > 0 else { return false }
        buffered += chunk[..<count]
        return true
    }

    /// A word for the child; one that has ended does not hear it.
    func writeLine(_ text: String) {
        guard let input else { return }
        let bytes = Array((text + "\n").utf8)
        write(input, bytes, bytes.count)
    }

    /// For the child the end of its standard input.
    func closeInput() {
        if let input { close(input) }
        input = nil
    }

    func send(_ signal: Int32) {
        guard status == nil else { return }
        kill(pid, signal)
    }

    /// Waits for the end; the exit status, or 128 and the signal as shells count.
    @discardableResult
    func wait() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(pid, &raw, 0) < 0, errno == EINTR {}
        let signal = raw & 0x7F
        let ended = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
        status = ended
        return ended
    }

    private static func makePipe(
        for stream: Stream
    ) throws -> (reading: Int32, writing: Int32)? {
        guard case .pipe = stream else { return nil }
        var ends: [Int32] = [-1, -1]
        guard walkdown_pipe(&ends) == 0 else {
            throw StartFailure(program: "pipe", code: errno)
        }
        return (ends[0], ends[1])
    }

    private static func connect(
        _ stream: Stream, _ number: Int32, _ end: Int32?,
        _ actions: inout posix_spawn_file_actions_t
    ) {
        switch stream {
        case .inherited: break
        case .nothing:
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        case .file(let path):
            posix_spawn_file_actions_addopen(
                &actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        case .pipe:
            if let end { posix_spawn_file_actions_adddup2(&actions, end, number) }
        }
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ actions: inout posix_spawn_file_actions_t,
        _ inOwnSession: Bool
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // No signal blocked and none ignored, whatever this thread does.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(
            &attributes, inOwnSession ? flags | walkdown_spawn_in_own_session : flags)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, program, &actions, &attributes, words, environ)
        guard code == 0 else { throw StartFailure(program: program, code: code) }
        return pid
    }
}
