import Coding
import Foundation
import TestSupport
import Testing

/// `walkdown sync --watch`, as a unit of the system or in a terminal.
@Suite("sync --watch", .serialized)
struct WatchTests {
    private let world: World
    private let device: Device

    init() throws {
        world = try World()
        device = try world.enrol("device")
    }

    /// One run of it, ended with this value.
    private final class Watch {
        let pid: pid_t
        private let device: Device
        private let output: String
        private var isOver = false

        init(_ device: Device, inside prefix: [String] = [], _ words: String...) throws {
            self.device = device
            output = device.folder.file("watch-\(UUID().uuidString)")
            pid = try Spawn.start(
                prefix + [
                    device.walkdown, "sync", "--watch", "--home", device.home, "--pin-file",
                    device.pinFile,
                ] + words, output: output, errors: output + ".err")
        }

        /// Gently first: it may have children to end.
        deinit {
            guard !isOver else { return }
            kill(pid, SIGTERM)
            for _ in 1...100 where waitpid(pid, nil, WNOHANG) == 0 { _ = poll(nil, 0, 100) }
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }

        var text: String {
            String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        }

        func wait(for words: String) throws {
            let deadline = Date(timeIntervalSinceNow: 60)
            while Date() < deadline {
                if text.contains(words) { return }
                _ = poll(nil, 0, 20)
            }
            throw HarnessError("no line says \"\(words)\": \(text)")
        }

        /// - Returns: what a shell would see.
        func end(by signal: Int32) -> Int32 {
            kill(pid, signal)
            return status()
        }

        func status() -> Int32 {
            isOver = true
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        }
    }

    @Test(
        "a signal ends it with 128 and its number, and nothing stays in flight",
        arguments: [SIGINT, SIGTERM])
    func signals(signal: Int32) throws {
        let id = try device.inspection(of: "FRZ-1")
        try device.run("set", id, "notes=watched")
        let watch = try Watch(device)
        try watch.wait(for: "pushed 1")
        #expect(watch.end(by: signal) == 128 + signal)
        let status = try device.status()
        #expect(status["inFlight"] == 0)
        #expect(status["state"] == "synced")
    }

    @Test(
        "T05 what was entered with no server in reach goes out when there is one, without a restart"
    )
    func serverReturns() throws {
        let id = try device.inspection(of: "FRZ-1")
        world.killServer()
        try device.run("set", id, "notes=offline")
        let watch = try Watch(device)
        try watch.wait(for: "pushed 0")
        try world.startServerAgain()
        try watch.wait(for: "pushed 1")
        #expect(watch.end(by: SIGTERM) == 143)
        #expect(try device.status()["pending"] == 0)
    }

    @Test(
        "a signal in the middle of a call that hangs ends it as quickly, with the work still waiting"
    )
    func hangingServer() throws {
        let id = try device.inspection(of: "FRZ-1")
        try device.run("set", id, "notes=kept")
        world.pauseServer()
        let watch = try Watch(device)
        _ = poll(nil, 0, 1500)
        let began = Date()
        #expect(watch.end(by: SIGTERM) == 143)
        #expect(Date().timeIntervalSince(began) < 10)
        world.resumeServer()
        let status = try device.status()
        #expect(status["pending"] == 1)
        #expect(status["inFlight"] == 0)
        try device.run("sync")
    }

    @Test("with --json it writes one document at the end, with the sums of its cycles")
    func document() throws {
        let id = try device.inspection(of: "FRZ-1")
        try device.run("set", id, "notes=sum")
        let watch = try Watch(device, "--json")
        try waitUntil { try device.status()["state"] == "synced" }
        #expect(watch.end(by: SIGINT) == 130)
        guard case .object(let document) = try JSON.parse(Array(watch.text.utf8)) else {
            throw HarnessError("no object: \(watch.text)")
        }
        #expect(document["pushed"] == 1)
        #expect(document["complete"] == true)
    }

    @Test("it holds the home: others read, a command that writes exits 6, 'lock' ends it")
    func lease() throws {
        let id = try device.inspection(of: "FRZ-1")
        let watch = try Watch(device)
        try watch.wait(for: "synced")
        try device.run("list")
        try device.run("set", id, "notes=no", expecting: 6)
        try device.run("lock")
        #expect(watch.status() == 6)
        try device.run("set", id, "notes=yes")
    }

    private static let canUnshare: Bool = {
        do {
            let folder = try TemporaryFolder("unshare")
            return try Spawn.run(
                ["unshare", "-rn", "ip", "link", "show"], output: folder.file("out"),
                errors: folder.file("err")) == 0
        } catch {
            return false
        }
    }()

    @Test(
        "T05 begun where no route leads out, it notices the one that appears",
        .enabled(
            if: canUnshare, "this machine lets nobody make a network namespace, or has no ip(8)"))
    func routeAppears() throws {
        let script = """
            ip link set lo up
            "$@" &
            watch=$!
            trap 'kill $watch; wait $watch; exit $?' TERM
            while [ ! -e '\(device.folder.file("go"))' ]; do sleep 0.1; done
            ip route add default dev lo
            wait $watch
            """
        let watch = try Watch(device, inside: ["unshare", "-rn", "sh", "-c", script, "sh"])
        try watch.wait(for: "pushed 0")
        _ = try device.folder.write("", to: "go")
        try watch.wait(for: "the network is there")
        #expect(watch.end(by: SIGTERM) == 143)
    }

    @Test(
        "M17 on a metered connection what waits goes when there is another one",
        .enabled(if: MockBus.isPossible, "this machine lacks dbus-daemon or python3-dbusmock"))
    func metered() throws {
        let bus = try MockBus()
        try bus.setMetered(1)
        world.killServer()
        let id = try device.inspection(of: "FRZ-1")
        try device.run("set", id, "notes=expensive")
        let watch = try Watch(
            device, inside: ["env", "DBUS_SYSTEM_BUS_ADDRESS=" + bus.address])
        try watch.wait(for: "the connection is metered")
        try watch.wait(for: "pushed 0")
        try world.startServerAgain()
        try bus.setMetered(2)
        try watch.wait(for: "the connection is not metered")
        try watch.wait(for: "pushed 1")
        #expect(watch.end(by: SIGTERM) == 143)
    }

    @Test(
        "M17 a guess that a connection is metered holds nothing back; a low battery is noticed",
        .enabled(if: MockBus.isPossible, "this machine lacks dbus-daemon or python3-dbusmock"))
    func battery() throws {
        let bus = try MockBus()
        try bus.setMetered(3)
        let watch = try Watch(
            device, inside: ["env", "DBUS_SYSTEM_BUS_ADDRESS=" + bus.address])
        try watch.wait(for: "synced")
        try bus.setBattery(percent: 15)
        try watch.wait(for: "the battery is low")
        #expect(!watch.text.contains("is metered"))
        #expect(watch.end(by: SIGTERM) == 143)
    }

    private func waitUntil(_ isSo: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while try !isSo() {
            guard Date() < deadline else { throw HarnessError("it did not come about") }
            _ = poll(nil, 0, 50)
        }
    }
}
