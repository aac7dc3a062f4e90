import Crypto
import Foundation
import TestSupport

/// The `openssl` program, as the other side of TLS: certificates, and a server whose protocol and
/// key a test chooses.
enum OpenSSL {
    static let path = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static let mustBeHere = ProcessInfo.processInfo.environment["CI"] ?? "" != ""

    struct Failure: Error {
        let arguments: [String]
        let output: String
    }

    static func process(_ arguments: [String], in folder: String) throws -> Process {
        guard let path else { throw Failure(arguments: arguments, output: "openssl is missing") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        return process
    }

    static func run(_ line: String, in folder: String) throws {
        let process = try process(line.split(separator: " ").map(String.init), in: folder)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(arguments: [line], output: String(decoding: output, as: UTF8.self))
        }
    }
}

/// An authority and the certificates it signed, made once for the suite (P-256: quick to make).
struct TestAuthority: Sendable {
    let folder: TemporaryFolder
    let pem: [UInt8]

    init() throws {
        folder = try TemporaryFolder("authority")
        try Self.makeAuthority("ca", in: folder)
        pem = try folder.bytes(of: "ca.pem")
    }

    static func makeAuthority(_ name: String, in folder: TemporaryFolder) throws {
        try OpenSSL.run(
            """
            req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
            -subj /CN=\(name) -keyout \(name).key -out \(name).pem
            """, in: folder.path)
    }

    /// Makes `name.key` and `name.pem`, valid between these times (YYYYMMDDHHMMSSZ).
    ///
    /// `openssl ca` and not `openssl x509`: that one counts days from now, and in 3.5 refuses an end
    /// that lies before now.
    func sign(
        _ name: String, for subject: String = "IP:127.0.0.1",
        from start: String = "20200101000000Z", to end: String = "20990101000000Z"
    ) throws {
        _ = try folder.write(Self.configuration(name, subject), to: "\(name).cnf")
        _ = try folder.write("", to: "\(name).index")
        try OpenSSL.run(
            """
            req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(name) \
            -keyout \(name).key -out \(name).csr
            """, in: folder.path)
        try OpenSSL.run(
            """
            ca -batch -notext -config \(name).cnf -in \(name).csr -out \(name).pem \
            -startdate \(start) -enddate \(end)
            """, in: folder.path)
    }

    private static func configuration(_ name: String, _ subject: String) -> String {
        """
        [ca]
        default_ca = authority
        [authority]
        certificate = ca.pem
        private_key = ca.key
        database = \(name).index
        new_certs_dir = .
        rand_serial = yes
        default_md = sha256
        policy = anything
        unique_subject = no
        x509_extensions = leaf
        [anything]
        commonName = supplied
        [leaf]
        subjectAltName = \(subject)

        """
    }

    /// `sha256//…` over the public key's SubjectPublicKeyInfo, as curl compares it.
    func pin(_ name: String) throws -> String {
        try OpenSSL.run(
            "pkey -in \(name).key -pubout -outform DER -out \(name).spki", in: folder.path)
        return "sha256//" + Base64.encode(SHA256.hash(try folder.bytes(of: "\(name).spki")))
    }
}

/// `openssl s_server -www`: answers each GET with a page of its own.
final class OpenSSLServer {
    let port: Int
    private let process: Process

    init(_ authority: TestAuthority, certificate name: String, protocol version: String = "-tls1_3")
        throws
    {
        let arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", "\(name).pem", "-key", "\(name).key",
            version, "-www",
        ]
        process = try OpenSSL.process(arguments, in: authority.folder.path)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        // With port 0 the program says what it got: `ACCEPT 127.0.0.1:40123`.
        var said = ""
        while !said.contains("\n") || Self.port(in: said) == nil {
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { throw OpenSSL.Failure(arguments: arguments, output: said) }
            said += String(decoding: more, as: UTF8.self)
        }
        port = Self.port(in: said) ?? 0
    }

    deinit {
        // Not `terminate`: a child of a Dispatch thread inherits its mask, with SIGTERM blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static func port(in text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
            .flatMap { $0.split(separator: ":").last }
            .flatMap { Int($0) }
    }
}
