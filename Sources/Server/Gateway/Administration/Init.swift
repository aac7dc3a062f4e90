import Arguments
import Coding
import Crypto
import HTTP
import ServerStore

#if canImport(Glibc)
    import Glibc
#endif

/// `walkdownd init`: authority, server certificate, administrator, empty store. Never overwrites.
///
/// All is made in a folder beside the wanted one and renamed into place, so that a crash leaves
/// either nothing or a whole server.
struct Init {
    /// What the administrator's password costs to try: OWASP's figures for Argon2id.
    static let passwordCost = Argon2id.Cost(passes: 3, memory: 64 << 20)

    let folder: DataFolder
    let hosts: [String]
    let administrator: String
    let console: Console

    static let options = [
        Option("admin", value: "NAME", help: "The administrator's name; admin unless given."),
        Option(
            "host", value: "NAME", isRepeatable: true,
            help: "A name or address of the server, for its certificate."),
    ]

    static func run(
        _ invocation: Invocation, _ console: Console, environment: (String) -> String?
    ) throws -> ExitCode {
        let folder = try DataFolder(option: invocation.value("data"), environment: environment)
        let hosts = invocation.values("host")
        let initial = Init(
            folder: folder, hosts: hosts.isEmpty ? usualHosts() : hosts,
            administrator: invocation.value("admin") ?? "admin", console: console)
        return try initial.run(json: invocation.has("json"))
    }

    private func run(json: Bool) throws -> ExitCode {
        try refuseBadName()
        try refuseUsedFolder()
        let password = Administrator.newPassword()
        let building = DataFolder(
            "\(trimmedPath).new-\(Hexadecimal.encode(Crypto.random(4)))")
        guard mkdir(building.path, 0o700) == 0 else {
            throw SmallFile.failed("make", building.path)
        }
        do {
            try fill(building, password)
            guard rename(building.path, trimmedPath) == 0 else {
                throw errno == ENOTEMPTY || errno == EEXIST
                    ? inUse : SmallFile.failed("make", folder.path)
            }
        } catch {
            remove(building)
            throw error
        }
        try report(password, json: json)
        return .done
    }

    /// Without slashes at its end, and its parents made.
    private var trimmedPath: String {
        var path = folder.path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    private func refuseBadName() throws(Failure) {
        guard (1...64).contains(administrator.count),
            !administrator.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw Failure(.validation, "the administrator's name has 1 to 64 characters") }
    }

    private var inUse: Failure {
        folder.isThere
            ? Failure(.failed, "there is a server in \(folder.path) already; nothing was changed")
            : Failure(.failed, "\(folder.path) is not empty; nothing was changed")
    }

    private func refuseUsedFolder() throws(Failure) {
        if folder.isThere { throw inUse }
        var path = ""
        for part in trimmedPath.split(separator: "/").dropLast() {
            path += (path.isEmpty && !trimmedPath.hasPrefix("/") ? "" : "/") + part
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw SmallFile.failed("make", path)
            }
        }
    }

    private func fill(_ folder: DataFolder, _ password: String) throws {
        let now = SystemTime.milliseconds()
        do {
            try Authority.make(in: folder, hosts: hosts, now: now / 1000)
        } catch let error as HTTPError where error.code == .badHost {
            throw Failure(.validation, error.message)
        }
        try Administrator.write(
            name: administrator, password: password, to: folder, cost: Self.passwordCost)
        try SQLiteStore.create(at: folder.database, .live).close()
    }

    /// Only what this run has made.
    private func remove(_ folder: DataFolder) {
        let files = [
            folder.authority, folder.authorityKey, folder.certificate, folder.key,
            folder.backupKey, folder.pins, folder.administrator, folder.database,
            folder.database + "-wal", folder.database + "-shm",
        ]
        for file in files { unlink(file) }
        rmdir(folder.path)
    }

    private func report(_ password: String, json: Bool) throws {
        if json {
            let document: JSON = [
                "data": .string(folder.path), "administrator": .string(administrator),
                "password": .string(password), "backupKey": .string(folder.backupKey),
                "hosts": .array(hosts.map { .string($0) }),
            ]
            try console.writeDocument(document.serialized())
        } else {
            try console.write(
                """
                administrator: \(administrator)
                one-time password: \(password)

                """)
        }
        console.say("The server is in \(folder.path), for \(hosts.joined(separator: ", ")).")
        console.say(
            "Move \(folder.backupKey) to a safe place off this machine: with it the devices still "
                + "trust you when this machine is lost.")
    }

    private static func usualHosts() -> [String] {
        var buffer = [UInt8](repeating: 0, count: 256)
        let result = buffer.withUnsafeMutableBytes {
            gethostname($0.assumingMemoryBound(to: CChar.self).baseAddress!, $0.count - 1)
        }
        let name = String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
        let own = result == 0 && !name.isEmpty && name != "localhost" ? [name] : []
        return ["localhost", "127.0.0.1", "::1"] + own
    }
}
