import Foundation
import TestSupport
import Testing

/// `walkdown demo` as a newcomer meets it.
@Suite("The demo", .serialized)
struct DemoTests {
    @Test("without a terminal it says what to do instead, and makes nothing")
    func noTerminal() throws {
        let folder = try TemporaryFolder("demo")
        let words = ["demo", "--keep", folder.file("kept")]
        try World.run(try Binaries.path(of: "walkdown"), words, expecting: 2, in: folder)
        #expect(!FileManager.default.fileExists(atPath: folder.file("kept")))
    }

    @Test("it opens the application, the network goes off and on, and nothing remains")
    func onTerminal() throws {
        let folder = try TemporaryFolder("demo")
        let tmux = try Tmux(
            columns: 80, rows: 24, environment: ["LANG": "C.UTF-8", "TMPDIR": folder.path])
        try tmux.untilShows("ready>")
        try tmux.type("\(try Binaries.path(of: "walkdown")) demo")
        try tmux.keys("Enter")
        try tmux.untilShows("Enrolling")
        try tmux.untilShows("The demo's PIN is 246810")
        try tmux.type("246810")
        try tmux.keys("Enter")
        try tmux.untilShows("HC-01")
        try tmux.type("n")
        try tmux.untilShows("network is off")
        try tmux.type("n")
        try tmux.untilShows("network is on")
        try tmux.keys("F10")
        try tmux.until("the shell's screen") { $0.isSane && $0.cursorLine.hasPrefix("ready>") }
        #expect(try folder.names() == [])
    }

    @Test("killed in any way, the server ends and the folder goes", arguments: [SIGTERM, SIGKILL])
    func killed(signal: Int32) throws {
        let folder = try TemporaryFolder("demo")
        let demo = try Spawn.start(
            [
                "/usr/bin/env", "TMPDIR=\(folder.path)", try Binaries.path(of: "walkdown"),
                "demo", "--tour",
            ],
            output: folder.path + ".out", errors: folder.path + ".err")
        defer { for end in [".out", ".err"] { unlink(folder.path + end) } }
        // The server listens when the devices are enrolled: their homes have a key then.
        #expect(Self.within(seconds: 60) { Self.isEnrolled(in: folder) })
        kill(demo, signal)
        waitpid(demo, nil, 0)
        #expect(Self.within(seconds: 20) { (try? folder.names()) == [] })
    }

    private static func isEnrolled(in folder: TemporaryFolder) -> Bool {
        guard let name = (try? folder.names())?.first else { return false }
        return FileManager.default.fileExists(atPath: folder.file(name) + "/colleague/vault.json")
    }

    private static func within(seconds: Double, _ holds: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while Date() < deadline {
            if holds() { return true }
            _ = poll(nil, 0, 20)
        }
        return false
    }
}
