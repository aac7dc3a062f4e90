import Arguments
import CSystem
import Coding
import Crypto
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The serving process's side of the control socket: runs one command line after the other, with
/// the store that is open already.
final class ControlServer: Sendable {
    struct Settings: Sendable {
        /// What a client gets to say what it wants, and again to take its answer. The commands that
        /// wait behind it wait no longer than that.
        var patience = Duration.seconds(2)
        /// Bytes of an answer.
        var longestReply = ControlRequest.limits.bytes
        /// accept4(2): a descriptor, or -1 with `errno`.
        var accept: @Sendable (Int32) -> Int32 = { walkdown_accept($0) }

        init() {}
    }

    private struct State {
        var isStopped = false
        /// False once the socket is closed.
        var isListening = true
        /// A client that has not said everything yet.
        var speaking: Int32?
    }

    private let socket: Int32
    private let path: String
    private let session: Session
    private let log: Log
    private let settings: Settings
    private let queue = DispatchQueue(label: "walkdown.control")
    private let state = Mutex(State())

    init(
        session: Session, runtime: String?, log: Log, settings: Settings = Settings()
    ) throws(Failure) {
        self.session = session
        self.log = log
        self.settings = settings
        path = try ControlSocket.place(session.folder, runtime: runtime)
        socket = try ControlSocket.listen(path)
        queue.async { [self] in accept() }
    }

    /// No further command is begun; the running one ends first. A client that has not said what it
    /// wants is not waited for.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let client = state.speaking { shutdown(client, Int32(SHUT_RD)) }
            if state.isListening { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        queue.sync {}
        closeListener()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Where nobody listens, a command is told so at once instead of waiting for ever.
    private func closeListener() {
        state.withLock { state in
            guard state.isListening else { return }
            state.isListening = false
            close(socket)
            unlink(path)
        }
    }

    private func accept() {
        while !isStopped {
            let client = settings.accept(socket)
            let code = errno
            if client >= 0 {
                serve(client)
                continue
            }
            switch code {
            case EINTR, ECONNABORTED: continue
            // Out of descriptors or memory: wait for some to come free rather than spin.
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(100_000)
            default:
                guard !isStopped else { return }
                closeListener()
                log.event(
                    "control_lost", level: "error",
                    ["reason": .string(String(cString: strerror(code)))])
                return
            }
        }
    }

    private func serve(_ client: Int32) {
        let isLate = state.withLock { state in
            if !state.isStopped { state.speaking = client }
            return state.isStopped
        }
        defer { close(client) }
        guard !isLate else { return }
        do {
            let limits = ControlRequest.limits
            let bytes = try heard(from: client, limits.bytes)
            guard !bytes.isEmpty else { return }
            let request = try ControlRequest(json: JSON.parse(bytes, limits: limits))
            try ControlSocket.send(
                document(of: reply(to: request), to: request), to: client,
                until: .now + settings.patience)
        } catch {
            // A client that went away or says nothing, or that is none of ours: there is nobody
            // to answer.
            return
        }
    }

    private func heard(from client: Int32, _ limit: Int) throws -> [UInt8] {
        defer { state.withLock { $0.speaking = nil } }
        return try ControlSocket.receive(
            from: client, limit: limit, until: .now + settings.patience)
    }

    private func document(of reply: ControlReply, to request: ControlRequest) -> [UInt8] {
        let bytes = reply.json.serialized()
        guard bytes.count > settings.longestReply else { return bytes }
        let failure = Failure(
            .failed,
            "the answer is larger than the \(settings.longestReply >> 20) MiB that a running server "
                + "hands out",
            advice: "Ask for less (export --form F), or ask while the server is stopped.")
        let refusal = Captured.run { console in
            Walkdownd.renderer.tell(failure, on: console, asked: request.words)
        }
        return refusal.json.serialized()
    }

    private func reply(to request: ControlRequest) -> ControlReply {
        var session = session
        let files = request.files
        session.read = { path in
            guard let text = files[path] else {
                throw Failure(.failed, "\(path) did not come with the command")
            }
            return text
        }
        session.readBytes = { [read = session.read] path in try Base64.decode(read(path)) }
        let program = Walkdownd.program(ServingSource(session: session))
        return Captured.run { console in
            program.run(request.words, console: console, renderer: Walkdownd.renderer)
        }
    }
}
