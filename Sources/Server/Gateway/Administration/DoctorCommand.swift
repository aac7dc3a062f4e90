import Arguments
import Coding
import HTTP

#if canImport(Glibc)
    import Glibc
#endif

/// Looks at the data folder and says what is wrong and what to do.
enum DoctorCommand {
    struct Finding {
        var isFault: Bool
        var text: String
    }

    static let entry = Administration(
        name: "doctor", summary: "Check the data folder."
    ) { session, invocation, console in
        let findings = try modes(session.folder) + keys(session.folder) + backup(session.folder)
        let isWell = !findings.contains(where: \.isFault)
        if invocation.has("json") {
            let document: JSON = [
                "ok": .bool(isWell), "findings": .array(findings.map { .string($0.text) }),
            ]
            try console.writeDocument(document.serialized())
        } else {
            for finding in findings { try console.writeLine(finding.text) }
            if isWell { try console.writeLine("the data folder is well") }
        }
        return isWell ? .done : .failed
    }

    private static func modes(_ folder: DataFolder) throws -> [Finding] {
        let guarded = [
            folder.path, folder.authorityKey, folder.key, folder.database, folder.administrator,
        ]
        return guarded.compactMap { path in
            var info = stat()
            guard stat(path, &info) == 0 else {
                return Finding(isFault: true, text: "\(path) is missing")
            }
            guard info.st_mode & 0o077 != 0 else { return nil }
            return Finding(
                isFault: true, text: "others can read \(path); chmod go-rwx makes it private")
        }
    }

    /// A certificate that is not this key's would show only when the server starts.
    private static func keys(_ folder: DataFolder) throws -> [Finding] {
        do {
            let pin = try PrivateKey(pem: SmallFile.readText(folder.key)).pin()
            let pins = try Authority.identity(in: folder).pins
            _ = try Certificate(pem: SmallFile.readText(folder.certificate))
            guard pins.first != pin else { return [] }
            return [Finding(isFault: true, text: "server-key.pem is not the key in 'pins'")]
        } catch {
            return [Finding(isFault: true, text: "\(error)")]
        }
    }

    private static func backup(_ folder: DataFolder) -> [Finding] {
        guard access(folder.backupKey, F_OK) == 0 else { return [] }
        return [
            Finding(
                isFault: false,
                text: "\(folder.backupKey) is still here; keep it off this machine")
        ]
    }
}
