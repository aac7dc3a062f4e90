import Arguments
import CSystem
import Coding
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The serving process's side of the control socket: runs one command line after the other, with
/// the store that is open already.
final class ControlServer: Sendable {
    /// Seconds that a silent client may hold the socket.
    static let patience = 30

    private let socket: Int32
    private let path: String
    private let session: Session
    private let queue = DispatchQueue(label: "walkdown.control")
    private let stopped = Mutex(false)

    init(session: Session, runtime: String?) throws(Failure) {
        self.session = session
        path = try ControlSocket.place(session.folder, runtime: runtime)
        socket = try ControlSocket.listen(path)
        queue.async { [self] in accept() }
    }

    /// No further command is begun; the running one ends first.
    func stop() {
        stopped.withLock { $0 = true }
        shutdown(socket, Int32(SHUT_RDWR))
        queue.sync {}
        close(socket)
        unlink(path)
    }

    private func accept() {
        while !stopped.withLock({ $0 }) {
            let client = walkdown_accept(socket)
            guard client >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                // Out of descriptors: wait for some to come free rather than spin.
                if errno == EMFILE || errno == ENFILE {
                    usleep(100_000)
                    continue
                }
                return
            }
            serve(client)
            close(client)
        }
    }

    private func serve(_ client: Int32) {
        ControlSocket.setPatience(Self.patience, of: client)
        do {
            let limits = ControlRequest.limits
            let bytes = try ControlSocket.receive(from: client, limit: limits.bytes)
            guard !bytes.isEmpty else { return }
            let request = try ControlRequest(json: JSON.parse(bytes, limits: limits))
            try ControlSocket.send(reply(to: request).json.serialized(), to: client)
        } catch {
            // A client that went away, or that is none of ours: there is nobody to answer.
            return
        }
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
        let program = Walkdownd.program(ServingSource(session: session))
        return Captured.run { console in
            program.run(request.words, console: console, renderer: Walkdownd.renderer)
        }
    }
}
