import Arguments
import Coding
import Dispatch
import TestSupport
import Testing

@testable import Gateway

#if canImport(Glibc)
    import Glibc
#endif

@Suite("The control socket", .timeLimit(.minutes(10)))
struct ControlSocketTests {
    @Test("a path too long for a socket is named in the folder instead")
    func longPath() throws {
        let runtime = try TemporaryFolder("run")
        let parent = try TemporaryFolder("long")
        let folder = DataFolder(parent.file(String(repeating: "d", count: 90)))
        #expect(mkdir(folder.path, 0o700) == 0)
        let place = try ControlSocket.place(folder, runtime: runtime.path)
        #expect(place.hasPrefix(runtime.path))
        #expect(ControlSocket.find(folder) == place)
        let socket = try ControlSocket.listen(place)
        defer { close(socket) }
        let client = try #require(ControlSocket.connect(place))
        close(client)
        #expect(throws: Failure.self) { try ControlSocket.place(folder, runtime: nil) }
    }

    @Test("what is no request is dropped, and the next one is served")
    func nonsense() throws {
        let office = try Office()
        try office.serve { _ in
            let path = try #require(ControlSocket.find(office.folder))
            for bytes in [[], Array("hello".utf8), Array("{\"words\":5}".utf8), [0xFF, 0]] {
                let client = try #require(ControlSocket.connect(path))
                defer { close(client) }
                let end = ContinuousClock.now + .seconds(10)
                try ControlSocket.send(bytes, to: client, until: end)
                #expect(
                    try ControlSocket.receive(from: client, limit: 1000, until: end).isEmpty)
            }
            #expect(office.call("status").output.hasPrefix("serving\n"))
        }
    }

    @Test("a client that says nothing, or a byte now and then, holds nobody up for long")
    func silent() throws {
        var settings = ControlServer.Settings()
        settings.patience = .milliseconds(200)
        let office = try Office()
        try office.serve(settings) { _ in
            let path = try #require(ControlSocket.find(office.folder))
            let silent = try #require(ControlSocket.connect(path))
            defer { close(silent) }
            #expect(office.call("status").output.hasPrefix("serving\n"))
            let dripping = try #require(ControlSocket.connect(path))
            let drip = DispatchGroup()
            DispatchQueue(label: "drip").async(group: drip) {
                // The end of the connection is what it waits for.
                while Glibc.send(dripping, " ", 1, Int32(MSG_NOSIGNAL)) == 1 { usleep(20_000) }
            }
            #expect(office.call("status").output.hasPrefix("serving\n"))
            #expect(drip.wait(timeout: .now() + 10) == .success)
            close(dripping)
        }
    }

    @Test("stopping does not wait for a client that says nothing")
    func stopping() throws {
        var settings = ControlServer.Settings()
        settings.patience = .seconds(3600)
        let office = try Office()
        let socket = Descriptor()
        defer { if socket.number >= 0 { close(socket.number) } }
        try office.serve(settings) { _ in
            let path = try #require(ControlSocket.find(office.folder))
            socket.number = try #require(ControlSocket.connect(path))
        }
        do throws(ControlSocket.Interruption) {
            let rest = try ControlSocket.receive(
                from: socket.number, limit: 10, until: .now + .seconds(10))
            #expect(rest.isEmpty)
        } catch {
            // Where it was not accepted yet, the end of the socket resets it.
            #expect(error == .closed)
        }
    }

    private final class Descriptor {
        var number: Int32 = -1
    }

    @Test("where accepting fails for good, the log says so and commands are told at once")
    func lost() throws {
        var settings = ControlServer.Settings()
        settings.accept = { _ in
            errno = EINVAL
            return -1
        }
        let office = try Office()
        let lost = DispatchSemaphore(value: 0)
        let log = Log(now: { 0 }) { line in
            if line.contains("control_lost") { lost.signal() }
        }
        try office.serve(settings, log: log) { _ in
            #expect(lost.wait(timeout: .now() + 10) == .success)
            #expect(access(office.folder.socket, F_OK) != 0)
            #expect(ControlSocket.connect(office.folder.socket) == nil)
        }
    }

    @Test("an answer that is too large is said so, not cut")
    func largeAnswer() throws {
        var settings = ControlServer.Settings()
        settings.longestReply = 100
        let office = try Office()
        let reply = try office.serve(settings) { _ in office.call("export", "--help") }
        #expect(reply.status == 0, "help comes from where it is asked")
        let status = try office.serve(settings) { _ in office.call("status") }
        #expect(status.status == 1)
        #expect(status.messages.contains("larger than"))
        #expect(status.output.isEmpty)
    }

    @Test("a socket that a dead server left is no server")
    func stale() throws {
        let office = try Office()
        let socket = try ControlSocket.listen(ControlSocket.place(office.folder, runtime: nil))
        close(socket)
        #expect(office.call("status").output.hasPrefix("not serving\n"))
    }

    @Test("messages survive the way")
    func messages() throws {
        let request = ControlRequest(words: ["a", "", "é\n"], files: ["x": "\u{1}y"])
        #expect(
            try ControlRequest(
                json: JSON.parse(request.json.serialized(), limits: ControlRequest.limits))
                == request)
        let reply = ControlReply(status: 3, output: "a\n", messages: "")
        #expect(try ControlReply(json: JSON.parse(reply.json.serialized())) == reply)
    }
}
