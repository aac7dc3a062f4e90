import Arguments
import Coding
import Crypto
import HTTP
import ServerStore

#if canImport(Glibc)
    import Glibc
#endif

/// On the command line: goes to the running server, and opens the store itself only when it is
/// down.
struct FolderSource: SessionSource {
    /// The words after the program's name, to be said again to the server.
    var words: [String]
    var environment: @Sendable (String) -> String?

    /// How long a server may take to start or to stop before its folder counts as held.
    static let patience = Duration.seconds(5)
    /// How long a server may take to answer: commands are carried out one after the other, and a
    /// large import takes minutes.
    static let answerPatience = Duration.seconds(900)

    func run(
        _ invocation: Invocation, _ console: Console,
        _ perform: (Session, Invocation, Console) throws -> ExitCode
    ) throws -> ExitCode {
        let folder = try DataFolder(option: invocation.value("data"), environment: environment)
        try folder.requireThere()
        let end = ContinuousClock.now + Self.patience
        while true {
            if let reply = try ask(folder, invocation) { return try repeated(reply, on: console) }
            do {
                let lock = try FolderLock(folder)
                defer { withExtendedLifetime(lock) {} }
                return try alone(folder, invocation, console, perform)
            } catch let failure as Failure where failure.exitCode == .locked {
                guard ContinuousClock.now < end else { throw failure }
                usleep(50_000)
            }
        }
    }

    /// - Returns: nil when no server listens.
    private func ask(_ folder: DataFolder, _ invocation: Invocation) throws -> ControlReply? {
        guard let path = ControlSocket.find(folder), let socket = ControlSocket.connect(path)
        else { return nil }
        defer { close(socket) }
        let request = ControlRequest(words: words, files: try files(of: invocation))
        do {
            let end = ContinuousClock.now + Self.answerPatience
            try ControlSocket.send(request.json.serialized(), to: socket, until: end)
            let limits = ControlRequest.limits
            let bytes = try ControlSocket.receive(from: socket, limit: limits.bytes, until: end)
            return try ControlReply(json: JSON.parse(bytes, limits: limits))
        } catch {
            let isSlow = error as? ControlSocket.Interruption == .tooSlow
            let minutes = Self.answerPatience.components.seconds / 60
            throw Failure(
                .syncIncomplete,
                isSlow
                    ? "the server did not answer within \(minutes) minutes"
                    : "the server ended while it was being asked",
                advice: "The command may have been carried out; look before repeating it.")
        }
    }

    private func files(of invocation: Invocation) throws -> [String: String] {
        var files: [String: String] = [:]
        let (paths, kind) = Walkdownd.files(of: invocation)
        for path in paths {
            files[path] =
                switch kind {
                case .text: try SmallFile.readText(path)
                case .bytes: Base64.encode(try SmallFile.read(path, limit: SmallFile.bundleLimit))
                }
        }
        return files
    }

    private func repeated(_ reply: ControlReply, on console: Console) throws -> ExitCode {
        try console.write(reply.output)
        // `say` ends the line itself.
        var messages = reply.messages[...]
        if messages.hasSuffix("\n") { messages.removeLast() }
        if !messages.isEmpty { console.say(String(messages)) }
        return ExitCode(rawValue: reply.status) ?? .failed
    }

    private func alone(
        _ folder: DataFolder, _ invocation: Invocation, _ console: Console,
        _ perform: (Session, Invocation, Console) throws -> ExitCode
    ) throws -> ExitCode {
        let store = try SQLiteStore.open(at: folder.database, .live)
        let session = Session(
            store: store, folder: folder, authority: { try Authority.der(in: folder) },
            now: SystemTime.milliseconds, read: { try SmallFile.readText($0) }, isServing: false)
        let result = Result { try perform(session, invocation, console) }
        try store.close()
        return try result.get()
    }
}
