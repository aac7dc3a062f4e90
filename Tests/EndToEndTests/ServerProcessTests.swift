import Foundation
import TestSupport
import Testing

@Suite("walkdownd as a process", .timeLimit(.minutes(2)))
struct ServerProcessTests {
    private func health(_ server: ServerProcess) throws -> Int? {
        let connection = try RawConnection(port: server.port)
        try connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        return connection.readAnswer()?.status
    }

    @Test("says where it listens, answers, and ends well on SIGTERM and SIGINT")
    func life() throws {
        let server = try ServerProcess()
        for signal in [SIGTERM, SIGINT] {
            try server.serve("--insecure-loopback")
            #expect(server.url.hasPrefix("http://127.0.0.1:"))
            #expect(try health(server) == 200)
            #expect(server.kill(signal) == 0)
        }
        try server.serve()
        #expect(server.url.hasPrefix("https://127.0.0.1:"))
        #expect(server.kill(SIGTERM) == 0)
    }

    @Test("commands reach it while it serves, and work without it")
    func beside() throws {
        let server = try ServerProcess()
        try server.serve("--insecure-loopback")
        #expect(try server.command("team", "add", "North").status == 0)
        #expect(try server.command("status").output.hasPrefix("serving\n"))
        server.kill(SIGTERM)
        #expect(try server.command("team", "list").output == "North\n")
        #expect(try server.command("status").output.hasPrefix("not serving\n"))
    }

    @Test("a second server on the same folder is refused and names the first")
    func second() throws {
        let server = try ServerProcess()
        try server.serve("--insecure-loopback")
        let refused = try server.command("serve", "--listen", "127.0.0.1:0")
        #expect(refused.status == 6)
        #expect(refused.messages.contains("\(server.process?.processIdentifier ?? 0)"))
    }

    @Test("a killed server starts again on the same folder with all that it had said")
    func killed() throws {
        let server = try ServerProcess()
        for number in 0..<10 {
            try server.serve("--insecure-loopback")
            #expect(try server.command("team", "add", "team \(number)").status == 0)
            server.kill(SIGKILL)
        }
        let teams = try server.command("team", "list").output.split(separator: "\n")
        #expect(teams.count == 10)
    }
}
