internal import Arguments
internal import Coding
internal import Crypto
internal import Glibc
internal import LocalStore
internal import Replication
internal import Sync
internal import Vault

/// A device of the demo: its home, its PIN, and its store while it is open.
final class DemoDevice {
    let home: Home
    let pinFile: String
    private let surroundings: Surroundings
    private(set) var store: DeviceStore?

    init(_ home: Home, pinFile: String, in surroundings: Surroundings) {
        self.home = home
        self.pinFile = pinFile
        self.surroundings = surroundings
    }

    /// By the command that a person would type.
    func enrol(at url: String, code: String, name: String) throws {
        let enroll = ["enroll", url, code, "--name", name]
        let place = ["--home", home.directory, "--pin-file", pinFile]
        let silent = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { Glibc.close(silent) }
        let console = Console(output: silent)
        var status = Walkdown.run(enroll + place, console: console, in: surroundings)
        // On a machine that is busy with other work the connect timeout may pass. That spends no
        // code; and once enrolled, what is missing is the first pull.
        for _ in 0..<4 where status == ExitCode.syncIncomplete.rawValue {
            let words = home.isEnrolled ? ["sync"] : enroll
            status = Walkdown.run(words + place, console: console, in: surroundings)
        }
        guard status == 0 else { throw Failure(.failed, "enrolling \(name) ended with \(status)") }
    }

    func unlock() throws {
        let lease = try HomeLease.acquire(home)
        let pin = try PINReader.read(file: pinFile).pin
        defer { pin.erase() }
        let key = try SealedVault.load(home).unlock(pin, now: surroundings.bootNow)
        defer { key.erase() }
        store = try DeviceStore.open(
            home: home, key: key, access: .writer(lease),
            sources: StoreSources(
                now: surroundings.now,
                newID: { UUIDText.version4(random: Crypto.random(16)) },
                zone: surroundings.zone))
    }

    /// The key leaves memory, and another process may have the home.
    func lock() throws {
        let store = store
        self.store = nil
        try store?.close()
    }

    func opened() throws -> DeviceStore {
        guard let store else { throw Failure(.failed, "\(home.directory) is locked") }
        return store
    }
}
