import Arguments
import CSystem

#if canImport(Glibc)
    import Glibc
#endif

/// What a command prints, caught in memory instead of on a terminal.
enum Captured {
    static func run(_ body: (Console) -> Int32) -> ControlReply {
        let output = walkdown_memory_file("output")
        let messages = walkdown_memory_file("messages")
        defer {
            if output >= 0 { close(output) }
            if messages >= 0 { close(messages) }
        }
        let status = body(Console(output: output, messages: messages))
        return ControlReply(status: status, output: text(output), messages: text(messages))
    }

    private static func text(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
