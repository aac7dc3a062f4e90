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
        let words = [
            "enroll", url, code, "--name", name, "--home", home.directory, "--pin-file", pinFile,
        ]
        let silent = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { Glibc.close(silent) }
        let console = Console(output: silent)
        var status = Walkdown.run(words, console: console, in: surroundings)
        // On a machine that is busy with other work the connect timeout may pass, which spends no
        // code; once enrolled, the first pull can wait for the next cycle.
        for _ in 0..<4 where isUnreached(status) && !home.isEnrolled {
            status = Walkdown.run(words, console: console, in: surroundings)
        }
        guard status == 0 || (isUnreached(status) && home.isEnrolled) else {
            throw Failure(.failed, "enrolling \(name) ended with \(status)")
        }
    }

    private func isUnreached(_ status: Int32) -> Bool {
        status == Int32(ExitCode.syncIncomplete.rawValue)
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
                newID: { UUIDText.version4(random: Crypto.random(16)) }))
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
