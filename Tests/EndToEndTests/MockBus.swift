import Foundation
import TestSupport

/// A message bus of its own with a NetworkManager and a UPower of python-dbusmock on it. All of it
/// ends with this value.
final class MockBus {
    /// What `DBUS_SYSTEM_BUS_ADDRESS` has to be for a program to find it.
    let address: String
    private let folder: TemporaryFolder
    private var children: [pid_t] = []

    /// Debian's own, which has Debian's packages.
    private static let python = "/usr/bin/python3"

    /// Whether this machine has what Resources/scripts/setup installs for it.
    static let isPossible: Bool = {
        do {
            let folder = try TemporaryFolder("bus")
            let check =
                "command -v dbus-daemon && command -v dbus-send && \(python) -c 'import dbusmock'"
            return try Spawn.run(
                ["sh", "-c", check], output: folder.file("out"), errors: folder.file("err")) == 0
        } catch {
            return false
        }
    }()

    init() throws {
        folder = try TemporaryFolder("bus")
        address = "unix:path=" + folder.file("socket")
        try start(["dbus-daemon", "--session", "--nofork", "--address=" + address], "daemon")
        try waitUntil("the bus") { FileManager.default.fileExists(atPath: folder.file("socket")) }
        try startMock(Self.network, ["/org/freedesktop/NetworkManager", Self.network])
        try startMock(Self.power, ["--template", "upower"])
    }

    private func startMock(_ name: String, _ words: [String]) throws {
        let isTemplate = words[0] == "--template"
        try start(
            [
                "env", "DBUS_SYSTEM_BUS_ADDRESS=" + address, Self.python, "-m", "dbusmock",
                "--system",
            ] + (isTemplate ? words : [name] + words), name)
        try waitUntil(name) {
            try send("org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", name)
                .contains("boolean true")
        }
    }

    deinit {
        for child in children.reversed() {
            kill(child, SIGTERM)
            waitpid(child, nil, 0)
        }
    }

    static let network = "org.freedesktop.NetworkManager"
    static let power = "org.freedesktop.UPower"

    /// NM_METERED_YES is 1, NM_METERED_NO is 2, NM_METERED_GUESS_YES is 3.
    func setMetered(_ value: Int) throws {
        let method = hasMetered ? Self.set : "org.freedesktop.DBus.Mock.AddProperty"
        hasMetered = true
        try send(
            Self.network, "/org/freedesktop/NetworkManager", method, Self.network, "Metered",
            "variant:uint32:\(value)")
    }

    func setBattery(percent: Int) throws {
        try send(
            Self.power, "/org/freedesktop/UPower/devices/DisplayDevice", Self.set,
            Self.power + ".Device", "Percentage", "variant:double:\(percent)")
        try send(
            Self.power, "/org/freedesktop/UPower", Self.set, Self.power, "OnBattery",
            "variant:boolean:true")
    }

    private static let set = "org.freedesktop.DBus.Properties.Set"
    private var hasMetered = false

    /// Calls a method; words without a type are strings.
    @discardableResult
    private func send(
        _ name: String, _ path: String, _ method: String, _ arguments: String...
    ) throws -> String {
        let words = arguments.map { $0.contains(":") ? $0 : "string:" + $0 }
        let output = folder.file(UUID().uuidString)
        let status = try Spawn.run(
            [
                "dbus-send", "--bus=" + address, "--print-reply", "--dest=" + name, path, method,
            ] + words, output: output, errors: output + ".err")
        guard status == 0 else { throw HarnessError("dbus-send \(method) ended with \(status)") }
        return String(
            decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
    }

    private func start(_ words: [String], _ name: String) throws {
        children.append(
            try Spawn.start(
                words, output: folder.file(name + ".out"), errors: folder.file(name + ".err")))
    }

    private func waitUntil(_ what: String, _ isSo: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 30)
        while try !isSo() {
            guard Date() < deadline else { throw HarnessError("\(what) did not come") }
            _ = poll(nil, 0, 20)
        }
    }
}
