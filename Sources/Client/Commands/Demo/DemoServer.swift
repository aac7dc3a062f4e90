internal import Arguments
internal import Glibc

/// A `walkdownd` of the demo's own: on loopback, any free port, with TLS, in a folder of its own.
///
/// It runs under a shell that waits for the end of its standard input, which we hold: however the
/// demo ends, by a signal or by `kill -9`, the shell stops the server and removes the folder.
final class DemoServer {
    let folder: String
    let url: String
    private let program: String
    private let guardian: ChildProcess

    /// - Parameters:
    ///   - folder: the server's data; must exist.
    ///   - removing: is removed when the demo ends; nil keeps everything.
    init(in folder: String, resources: ResourceFolder, today: String, removing: String?) throws {
        self.folder = folder
        program = try Self.findProgram()
        guardian = try ChildProcess(
            "/bin/sh",
            ["-c", Self.script, "walkdown-demo", program, folder, removing ?? ""],
            input: .pipe, output: .pipe, inOwnSession: true)
        do {
            try Self.fill(program, folder, resources, today)
            url = try Self.serve(guardian, folder)
        } catch {
            guardian.closeInput()
            guardian.wait()
            throw error
        }
    }

    private static func serve(_ guardian: ChildProcess, _ folder: String) throws -> String {
        guardian.writeLine("serve")
        guard let line = guardian.readLine(), line.hasPrefix("listening "),
            let url = line.split(separator: " ").last
        else {
            throw Failure(
                .failed, "walkdownd did not start", advice: "Its words are in \(log(of: folder)).")
        }
        return String(url)
    }

    private static let script = """
        read -r word || word=stop
        if [ "$word" = serve ]; then
            "$1" serve --data "$2" --listen 127.0.0.1:0 2>>"$2.log" &
            server=$!
            read -r word
            if [ -n "$3" ]; then kill -9 "$server"; else kill "$server"; fi
            wait "$server"
        fi
        if [ -n "$3" ]; then rm -rf -- "$3"; fi
        """

    /// Beside the data, which `init` wants to find empty.
    private static func log(of folder: String) -> String { folder + ".log" }

    /// Stops the server and waits until what was to be removed is gone.
    func stop() {
        guardian.closeInput()
        guardian.wait()
    }

    /// An administrator's command beside the running server.
    /// - Returns: what it wrote to standard output.
    @discardableResult
    func administer(_ words: [String]) throws -> String {
        try Self.run(program, words, in: folder)
    }

    func enrolmentCode(for name: String) throws -> String {
        let text = try administer(["device", "code", "--team", DemoData.team, "--name", name])
        return String(text.prefix { $0 != "\n" })
    }

    static func findProgram() throws -> String {
        let program = ProgramFolder.path + "/walkdownd"
        guard access(program, X_OK) == 0 else {
            throw Failure(
                .failed, "there is no walkdownd beside this program",
                advice: "'swift build' builds both; they stand in one folder.")
        }
        return program
    }

    private static func fill(
        _ program: String, _ folder: String, _ resources: ResourceFolder, _ today: String
    ) throws {
        // What it prints is the administrator's password: nobody needs it here.
        try run(program, ["init"], in: folder)
        try run(program, ["team", "add", DemoData.team], in: folder)
        try run(program, ["form", "publish", resources.file(DemoData.formFile)], in: folder)
        for (kind, rows) in [
            ("sites", DemoData.sites), ("assets", DemoData.assets),
            ("assignments", DemoData.assignments(due: today)),
        ] {
            let file = "\(folder)/\(kind).csv"
            try PrivateFile.write(rows, to: file)
            try run(program, ["import", kind, file], in: folder)
            unlink(file)
        }
    }

    @discardableResult
    private static func run(
        _ program: String, _ words: [String], in folder: String
    ) throws -> String {
        let log = Self.log(of: folder)
        let child = try ChildProcess(
            program, words + ["--data", folder], output: .pipe, errors: .file(log))
        let output = child.readAll()
        let status = child.wait()
        guard status == 0 else {
            throw Failure(
                .failed, "'walkdownd \(words[0])' ended with \(status)",
                advice: "Its words are in \(log).")
        }
        return output
    }
}

/// A small file that only its owner reads.
enum PrivateFile {
    static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(.failed, "cannot write \(path)") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Failure(.failed, "cannot write \(path)")
        }
    }
}
