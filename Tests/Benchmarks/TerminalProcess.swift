import CPseudoTerminal
import Foundation

/// A program on a terminal of its own: keys go in, painted bytes come out, and the program says on
/// a second channel when it has nothing left to do (`WALKDOWN_TEST_FD`).
final class TerminalProcess {
    private let pid: pid_t
    private let controller: Int32
    private let idle: Int32?
    private var ended = false

    /// - Parameter saysIdle: whether the program writes `idle <frame>` lines to descriptor 3.
    init(
        _ program: String, _ arguments: [String], rows: Int32 = 24, columns: Int32 = 80,
        saysIdle: Bool = true, environment extra: [String: String] = [:]
    ) throws {
        var pipes: [Int32] = [-1, -1]
        if saysIdle, pipe(&pipes) != 0 { throw BenchFailure.system("pipe", errno) }
        var environment = ["TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": "/nonexistent"]
        if saysIdle { environment["WALKDOWN_TEST_FD"] = "3" }
        environment.merge(extra) { $1 }
        let words = CStrings([program] + arguments)
        let variables = CStrings(environment.map { "\($0)=\($1)" })
        var controller: Int32 = -1
        pid = walkdown_spawn_on_terminal(
            program, words.pointers, variables.pointers, rows, columns, pipes[1], &controller)
        guard pid > 0 else { throw BenchFailure.system("forkpty", errno) }
        self.controller = controller
        idle = saysIdle ? pipes[0] : nil
        if saysIdle { close(pipes[1]) }
    }

    func type(_ keys: String) {
        var bytes = Array(keys.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(controller, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Bytes painted since the last call, waiting up to `milliseconds` for the first of them.
    func painted(within milliseconds: Int32) -> [UInt8] {
        guard isReadable(controller, milliseconds) else { return [] }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = buffer.withUnsafeMutableBytes { read(controller, $0.baseAddress, $0.count) }
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// Waits until the program has drained its input, timers and mailbox, and lets what it painted
    /// go. False where that took longer than `seconds` or the program ended.
    func waitUntilIdle(seconds: Double) -> Bool {
        guard let idle else { return false }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        while clock.now < end {
            _ = painted(within: 0)
            if isReadable(idle, 20) { return drainIdle(idle) }
        }
        return false
    }

    /// Waits until these bytes stand in what was painted since the call.
    func waitUntilPainted(_ text: String, seconds: Double) -> Bool {
        let wanted = Array(text.utf8)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        var bytes: [UInt8] = []
        while clock.now < end {
            bytes += painted(within: 20)
            if bytes.firstRange(of: wanted) != nil { return true }
        }
        return false
    }

    private func drainIdle(_ idle: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        return buffer.withUnsafeMutableBytes { read(idle, $0.baseAddress, $0.count) } > 0
    }

    private func isReadable(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Foundation.poll(&poll, 1, milliseconds) == 1
    }

    /// Ends the program and waits for it, taking what it still paints so that it cannot block.
    func end() {
        guard !ended else { return }
        ended = true
        kill(pid, SIGTERM)
        var status: Int32 = 0
        for _ in 0..<200 {
            if waitpid(pid, &status, WNOHANG) != 0 { break }
            _ = painted(within: 10)
        }
        kill(pid, SIGKILL)
        waitpid(pid, &status, WNOHANG)
        close(controller)
        if let idle { close(idle) }
    }

    deinit {
        end()
    }
}

enum BenchFailure: Error, CustomStringConvertible {
    case system(String, Int32)
    case program(String)

    var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        case .program(let words): words
        }
    }
}

/// An array of C strings that ends with NULL, as exec(3) wants it.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { pointers[index] = strdup(text) }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
