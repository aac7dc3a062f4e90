import Glibc
import TerminalKit
import Testing

@Suite("Event loop")
struct LoopTests {
    /// A loop whose terminal is a pipe.
    private final class Fixture {
        let mailbox: Mailbox<Int>
        let loop: EventLoop<Int>
        private let reader: Int32
        private var writer: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (reader, writer) = (ends[0], ends[1])
            let mailbox = try Mailbox<Int>()
            self.mailbox = mailbox
            loop = try EventLoop(input: ends[0], mailbox: mailbox)
        }

        func type(_ text: String) {
            let bytes = Array(text.utf8)
            #expect(write(writer, bytes, bytes.count) == bytes.count)
        }

        func hangUp() {
            close(writer)
            writer = -1
        }

        deinit {
            close(reader)
            if writer >= 0 { close(writer) }
        }
    }

    @Test("What is typed comes out as events, all of one write at once")
    func input() throws {
        let fixture = try Fixture()
        fixture.type("a\u{1B}[A")
        #expect(
            try fixture.loop.wait() == [.input(.key(.character("a"))), .input(.key(KeyEvent(.up)))])
        #expect(try fixture.loop.isDrained())
    }

    @Test("A lone ESC ends by the clock and is not idle until then")
    func escape() throws {
        let fixture = try Fixture()
        fixture.type("\u{1B}")
        #expect(try fixture.loop.wait() == [.input(.key(.escape))])
        #expect(try fixture.loop.isDrained())
    }

    @Test("A worker's messages wake the loop and come before the keys")
    func messages() throws {
        let fixture = try Fixture()
        fixture.mailbox.post(7)
        fixture.type("x")
        #expect(try !fixture.loop.isDrained())
        #expect(try fixture.loop.wait() == [.message(7), .input(.key(.character("x")))])
    }

    @Test("A timer fires once")
    func timer() throws {
        let fixture = try Fixture()
        fixture.loop.timer = BootClock.milliseconds() - 1
        #expect(try fixture.loop.wait() == [.timer])
        #expect(fixture.loop.timer == nil)
    }

    @Test("The alarm that wakes from suspend is armed with the deadline and ends the wait alone")
    func alarm() throws {
        let fixture = try Fixture()
        let start = BootClock.milliseconds()
        fixture.loop.timer = start + 40
        #expect(try fixture.loop.wait() == [.timer])
        #expect(BootClock.milliseconds() >= start + 40)
    }

    @Test("Where a secret is typed a paste comes key by key")
    func secretPaste() throws {
        let fixture = try Fixture()
        fixture.loop.takesSecret = true
        fixture.type("\u{1B}[200~2\u{E9}\u{1B}[20\r\u{1F600}\u{1B}[201~")
        let typed = "2\u{E9}[20\u{1F600}".unicodeScalars.map {
            EventLoop<Int>.Event.input(.key(.character($0)))
        }
        #expect(try fixture.loop.wait() == typed)
        #expect(try fixture.loop.isDrained())
    }

    @Test("U11 The end of the input is an event, not a reason to spin")
    func endOfInput() throws {
        let fixture = try Fixture()
        fixture.type("z")
        fixture.hangUp()
        #expect(try fixture.loop.wait() == [.input(.key(.character("z")))])
        #expect(try fixture.loop.wait() == [.inputEnded])
    }

    @Test("The idle signal names the frame, and a variable that names no descriptor gives none")
    func idle() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let signal = try #require(IdleSignal("\(ends[1])"))
        signal.send(frame: 12)
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(ends[0], &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "idle 12\n")
        #expect(IdleSignal("1") == nil)
        #expect(IdleSignal("nine") == nil)
        #expect(IdleSignal(nil) == nil)
    }
}
