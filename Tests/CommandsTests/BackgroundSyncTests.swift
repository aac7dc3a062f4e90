import Coding
import LocalStore
import Testing

/// `walkdown sync --background`.
@Suite("F15 Background sync as a setting")
struct BackgroundSyncTests {
    private let bench: StoreBench

    init() throws {
        bench = try StoreBench()
        try bench.withStore { store in
            // Nobody listens there.
            try store.store(
                .init(
                    serverURL: "http://127.0.0.1:1", deviceID: CommandBench.deviceId,
                    token: String(repeating: "ab", count: 32), team: "field", caPem: "", pins: [],
                    deviceKey: ""))
        }
    }

    @Test("it is on until it is switched off, and stays as it was set from run to run")
    func setting() throws {
        #expect(try bench.document("status").bool("backgroundSync"))
        let off = try bench.run("sync", "--background", "off")
        #expect(off.status == 0)
        #expect(off.output.contains("background sync is off: only 'walkdown sync'"))
        #expect(try bench.document("status").bool("backgroundSync") == false)
        let words = try bench.run("status").output
        #expect(words.contains("background sync  off\n") && words.contains("note "))
        let on = try bench.run("sync", "--background", "on", "--json")
        #expect(try on.json?.bool("backgroundSync") == true)
        #expect(try bench.document("status").bool("backgroundSync"))
        #expect(try bench.document("status").required("notices") == .array([]))
    }

    @Test("what a person asks for goes all the same, and says that it does")
    func explicit() throws {
        #expect(try bench.run("sync", "--background", "off").status == 0)
        let asked = try bench.run("sync", "--json")
        #expect(asked.status == 4, "it was tried, and nobody listens")
        #expect(asked.messages.contains("this one goes because it was asked for"))
        #expect(try asked.json?.bool("backgroundSync") == false)
        #expect(try bench.run("sync", "--background", "on").status == 0)
        #expect(try !bench.run("sync").messages.contains("asked for"))
    }

    @Test("other words, and both ways at once, are no command line")
    func usage() throws {
        #expect(try bench.run("sync", "--background", "maybe").status == 2)
        #expect(try bench.run("sync", "--background", "off", "--watch").status == 2)
        #expect(try bench.document("status").bool("backgroundSync"))
    }
}
