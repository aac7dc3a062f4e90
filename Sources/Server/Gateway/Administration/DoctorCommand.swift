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

        static func fault(_ text: String) -> Finding { Finding(isFault: true, text: text) }
        static func note(_ text: String) -> Finding { Finding(isFault: false, text: text) }
    }

    /// A certificate that ends within this many seconds is spoken of: devices do not connect to one
    /// that has ended, and a new one takes time to hand out.
    static let expiryNotice: Int64 = 60 * 86_400

    static let entry = Administration(
        name: "doctor", summary: "Check the data folder."
    ) { session, invocation, console in
        let folder = session.folder
        let findings =
            modes(folder) + certificates(folder, now: session.now() / 1000)
            + backup(folder)
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

    // MARK: Modes

    private static func modes(_ folder: DataFolder) -> [Finding] {
        let needed = [
            folder.path, folder.authorityKey, folder.key, folder.database, folder.administrator,
        ]
        let possible = [
            folder.database + "-wal", folder.database + "-shm", folder.backupKey, folder.lock,
            folder.socket,
        ]
        // What devices believe: others may read it, never change it.
        let trusted = [folder.authority, folder.certificate, folder.pins]
        return needed.compactMap { finding($0, isNeeded: true, forbidden: 0o077) }
            + possible.compactMap { finding($0, isNeeded: false, forbidden: 0o077) }
            + trusted.compactMap { finding($0, isNeeded: true, forbidden: 0o022) }
    }

    private static func finding(
        _ path: String, isNeeded: Bool, forbidden: mode_t
    ) -> Finding? {
        var info = stat()
        guard stat(path, &info) == 0 else {
            return isNeeded ? .fault("\(path) is missing") : nil
        }
        guard info.st_mode & forbidden != 0 else { return nil }
        return forbidden & 0o044 != 0
            ? .fault("others can read \(path); chmod go-rwx makes it private")
            : .fault("others can change \(path); chmod go-w keeps it as it is")
    }

    // MARK: Certificates

    private static func certificates(_ folder: DataFolder, now: Int64) -> [Finding] {
        var findings: [Finding] = []
        func read<Value>(_ path: String, _ make: (String) throws -> Value) -> Value? {
            // A file that is missing has been named with the modes.
            guard access(path, F_OK) == 0 else { return nil }
            do {
                return try make(SmallFile.readText(path))
            } catch {
                let sentence = Walkdownd.renderer.failure(for: error).sentence
                findings.append(.fault("\(path) is of no use: \(sentence)"))
                return nil
            }
        }
        let authority = read(folder.authority) { try Certificate(pem: $0) }
        let server = read(folder.certificate) { pem in
            let certificate = try Certificate(pem: pem)
            return (certificate: certificate, pin: try certificate.pin())
        }
        let pin = read(folder.key) { try PrivateKey(pem: $0).pin() }
        let pins = read(folder.pins) { $0.split(separator: "\n").map(String.init) }
        if let pin, let pins, pins.first != pin {
            findings.append(.fault("server-key.pem is not the key in 'pins'; devices refuse it"))
        }
        if let pins, Set(pins).count < 2 {
            findings.append(
                .fault(
                    "'pins' names no backup key; devices do not enrol with a server that has none"))
        }
        if let pin, let server, server.pin != pin {
            findings.append(
                .fault("server.pem is the certificate of another key than server-key.pem"))
        }
        if let authority, let server, !server.certificate.isSigned(by: authority) {
            findings.append(.fault("server.pem is not signed by ca.pem; devices refuse it"))
        }
        let ends = [
            authority.flatMap { expiry(of: $0, "ca.pem", now: now) },
            server.flatMap { expiry(of: $0.certificate, "server.pem", now: now) },
        ]
        return findings + ends.compactMap(\.self)
    }

    private static func expiry(of certificate: Certificate, _ name: String, now: Int64) -> Finding?
    {
        let left = certificate.expires - now
        let days = left / 86_400
        if left <= 0 { return .fault("\(name) ended \(-days) days ago; no device connects") }
        if certificate.begins > now {
            return .fault("\(name) is not valid yet; is the clock right?")
        }
        guard left < expiryNotice else { return nil }
        return .note("\(name) ends in \(days) days")
    }

    private static func backup(_ folder: DataFolder) -> [Finding] {
        guard access(folder.backupKey, F_OK) == 0 else { return [] }
        return [.note("\(folder.backupKey) is still here; keep it off this machine")]
    }
}
