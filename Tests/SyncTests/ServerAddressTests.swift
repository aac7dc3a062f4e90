import Sync
import Testing

@Suite("Server address")
struct ServerAddressTests {
    @Test(
        "an address is read and written back with its port",
        arguments: zip(
            [
                "https://sync.example.org", "https://sync.example.org:8443/", "HTTPS://127.0.0.1:1",
                "http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:9", "https://[fe80::1]",
            ],
            [
                "https://sync.example.org:443", "https://sync.example.org:8443",
                "https://127.0.0.1:1", "http://127.0.0.1:8080", "http://127.9.9.9:80",
                "http://[::1]:9", "https://[fe80::1]:443",
            ]))
    func reads(text: String, normal: String) throws {
        #expect(try ServerAddress(parsing: text).text == normal)
    }

    @Test(
        "plain HTTP is for a literal loopback address only",
        arguments: [
            "http://localhost:80", "http://10.0.0.1", "http://127.0.0.1.example.org",
            "http://127.0.0", "http://127.0.0.256", "http://[::2]", "http://example.org",
        ])
    func plain(text: String) {
        #expect(throws: SyncError.self) { try ServerAddress(parsing: text) }
    }

    @Test(
        "anything but scheme, host and port is refused",
        arguments: [
            "", "sync.example.org", "ftp://a", "https://", "https://a/b", "https://a?b",
            "https://user@a", "https://a:0", "https://a:65536", "https://a:", "https://a:b",
            "https://[::1", "https://[::1]x", "https://a b", "https://a\r\nX: y",
        ])
    func refused(text: String) {
        #expect(throws: SyncError.self) { try ServerAddress(parsing: text) }
    }
}
