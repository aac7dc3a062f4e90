internal import Glibc

/// What was typed on a terminal before Enter. The terminal keeps it to itself until then, and would give it
/// to the shell behind us, which must neither run nor show an answer.
enum HalfLine {
    /// - Returns: up to the first line end; nothing where `terminal` is none, or another job has it.
    static func taken(from terminal: Int32) -> [UInt8] {
        // In the background the settings of the terminal would stop us.
        guard isatty(terminal) == 1, tcgetpgrp(terminal) == getpgrp() else { return [] }
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { return [] }
        var before = settings
        settings.c_lflag &= ~tcflag_t(ICANON)
        // VMIN and VTIME: a read returns at once with what there is.
        withUnsafeMutableBytes(of: &settings.c_cc) { keys in
            keys[Int(VMIN)] = 0
            keys[Int(VTIME)] = 0
        }
        guard tcsetattr(terminal, TCSANOW, &settings) == 0 else { return [] }
        // What comes until then, and what stands behind the first line, goes.
        defer { tcsetattr(terminal, TCSAFLUSH, &before) }
        return Array(all(from: terminal).prefix { $0 != UInt8(ascii: "\n") })
    }

    private static func all(from terminal: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(terminal, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }
}
