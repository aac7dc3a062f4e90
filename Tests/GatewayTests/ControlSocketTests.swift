import Arguments
import Coding
import TestSupport
import Testing

@testable import Gateway

#if canImport(Glibc)
    import Glibc
#endif

@Suite("The control socket", .timeLimit(.minutes(1)))
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
                try ControlSocket.send(bytes, to: client)
                #expect(try ControlSocket.receive(from: client, limit: 1000).isEmpty)
            }
            #expect(office.call("status").output.hasPrefix("serving\n"))
        }
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
