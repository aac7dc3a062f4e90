import Foundation
import TestSupport
import Testing

/// A bare `walkdownd` on an empty folder, which the test starts and ends as it likes.
private final class BareServer {
    let folder: TemporaryFolder
    private(set) var process: Process?
    /// As the first line said: `http://127.0.0.1:PORT`.
    private(set) var url = ""

    init() throws {
        folder = try TemporaryFolder("bare")
        #expect(try command("init").status == 0)
    }

    deinit { end(SIGKILL) }

    var port: UInt16 { UInt16(url.split(separator: ":").last ?? "") ?? 0 }

    func command(_ words: String...) throws -> ProgramRun {
        try ProgramRun.run(
            "walkdownd", words + ["--data", folder.file("server")], folder: folder)
    }

    func serve(_ options: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Binaries.path(of: "walkdownd"))
        process.arguments =
            ["serve", "--data", folder.file("server"), "--listen", "127.0.0.1:0"] + options
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process = process
        // Ends with the line, or with the process: no deadline is needed.
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += more
        }
        let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        try #require(words.count == 2 && words[0] == "listening", "serve said \(words)")
        url = String(words[1])
    }

    /// - Returns: the exit status, or the number of the signal that ended it.
    @discardableResult
    func end(_ signal: Int32) -> Int32? {
        guard let process else { return nil }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        self.process = nil
        return process.terminationStatus
    }

    func health() throws -> Int? {
        let connection = try RawConnection(port: port)
        try connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        return connection.readAnswer()?.status
    }
}

@Suite("walkdownd as a process", .timeLimit(.minutes(10)))
struct ServerProcessTests {
    @Test("says where it listens, answers, and ends well on SIGTERM, SIGINT and SIGHUP")
    func life() throws {
        let server = try BareServer()
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            try server.serve("--insecure-loopback")
            #expect(server.url.hasPrefix("http://127.0.0.1:"))
            #expect(try server.health() == 200)
            #expect(server.end(signal) == 0)
        }
        try server.serve()
        #expect(server.url.hasPrefix("https://127.0.0.1:"))
        #expect(server.end(SIGTERM) == 0)
    }

    @Test("commands reach it while it serves, and work without it")
    func beside() throws {
        let server = try BareServer()
        try server.serve("--insecure-loopback")
        #expect(try server.command("team", "add", "North").status == 0)
        #expect(try server.command("status").output.hasPrefix("serving\n"))
        server.end(SIGTERM)
        #expect(try server.command("team", "list").output == "North\n")
        #expect(try server.command("status").output.hasPrefix("not serving\n"))
    }

    @Test("a second server on the same folder is refused and names the first")
    func second() throws {
        let server = try BareServer()
        try server.serve("--insecure-loopback")
        let refused = try server.command("serve", "--listen", "127.0.0.1:0")
        #expect(refused.status == 6)
        let holder = try #require(server.process?.processIdentifier)
        #expect(refused.messages.contains("pid \(holder)"))
    }

    @Test("a killed server starts again on the same folder with all that it had said")
    func killed() throws {
        let server = try BareServer()
        for number in 0..<10 {
            try server.serve("--insecure-loopback")
            #expect(try server.command("team", "add", "team \(number)").status == 0)
            server.end(SIGKILL)
        }
        let teams = try server.command("team", "list").output.split(separator: "\n")
        #expect(teams.count == 10)
    }
}
