import Crypto
import Foundation
import Replication
import TestSupport
import Testing
import Vault

@Suite("Enrolling, as far as this device goes")
struct EnrolCommandTests {
    private let bench: CommandBench
    private let code = EnrollmentCode(secret: Array(1...16), caCertificate: [1, 2, 3]).text

    init() throws {
        bench = try CommandBench(enrolled: false)
    }

    /// Takes connections and never says a word.
    private final class SilentServer {
        let listener: Int32
        let port: UInt16

        init() throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = listener
            let isBound = withUnsafeMutableBytes(of: &address) { bytes in
                let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
                return bind(descriptor, pointer, length) == 0 && listen(descriptor, 4) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
            try #require(isBound)
            port = UInt16(bigEndian: address.sin_port)
        }

        deinit { close(listener) }

        /// Whether anybody has come: the kernel keeps who was not let in.
        var wasCalled: Bool {
            var state = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, 0) > 0
        }
    }

    @Test("the code is not spent where this device cannot keep what it would get")
    func noRoom() throws {
        // The database's working file cannot be made, as on a full or broken disk.
        let inTheWay = bench.home.database + ".new/x"
        try FileManager.default.createDirectory(
            atPath: inTheWay, withIntermediateDirectories: true)
        let server = try SilentServer()
        let outcome = try bench.run("enroll", "http://127.0.0.1:\(server.port)", code)
        #expect(outcome.status == 6, "\(outcome.messages)")
        #expect(!server.wasCalled)
        #expect(!bench.home.isEnrolled)
    }

    @Test("a server that cannot be reached is for later, and leaves a home that can be enrolled")
    func unreachable() throws {
        var server: SilentServer? = try SilentServer()
        let port = try #require(server).port
        server = nil
        let outcome = try bench.run("enroll", "http://127.0.0.1:\(port)", code)
        #expect(outcome.status == 4, "\(outcome.messages)")
        for path in [bench.home.vault, bench.home.vault + ".new", bench.home.database] {
            #expect(!FileManager.default.fileExists(atPath: path), "\(path)")
        }
        #expect(throws: VaultError.notEnrolled) { try SealedVault.load(bench.home) }
    }

    @Test(
        "a certificate file that is none, or another server's, is this device's affair",
        arguments: [
            ("root:x:0:0", "is not one certificate"),
            (
                "-----BEGIN CERTIFICATE-----\nCQkJ\n-----END CERTIFICATE-----\n",
                "not the one that the code names"
            ),
        ])
    func wrongAuthority(text: String, reason: String) throws {
        let server = try SilentServer()
        let file = try bench.folder.write(text, to: "ca.pem")
        let outcome = try bench.run(
            "enroll", "https://127.0.0.1:\(server.port)", code, "--ca", file)
        #expect(outcome.status == 1)
        #expect(outcome.messages.contains(reason), "\(outcome.messages)")
        #expect(!server.wasCalled)
    }
}
