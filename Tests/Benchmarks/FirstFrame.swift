import Crypto
import Vault

/// `first_frame`: from the PIN's Enter to the worklist at rest, less what the key derivation alone
/// takes in the same run; and the whole start with the PIN from a file.
enum FirstFrame {
    static func measure(runs: Int = 5) throws -> Figure {
        let device = try BenchDevice(questions: 300)
        var shown: [Double] = []
        var whole: [Double] = []
        var derivation: [Double] = []
        for _ in 0..<runs {
            derivation.append(try keyDerivation().milliseconds)
            shown.append(try unlocking(device).milliseconds)
            whole.append(try coldStart(device).milliseconds)
        }
        let afterUnlock = median(shown) - median(derivation)
        return Figure(
            name: "first_frame",
            readings: [
                .init(label: "after unlock", value: afterUnlock, unit: "ms"),
                .init(label: "Enter to worklist", value: median(shown), unit: "ms"),
                .init(label: "key derivation", value: median(derivation), unit: "ms"),
                .init(label: "cold start", value: median(whole), unit: "ms"),
            ],
            goals: [.init(text: "within 150 ms after unlock", holds: afterUnlock <= 150)])
    }

    private static func keyDerivation() throws -> Duration {
        let pin = SecretBytes.random(count: 12)
        let salt = Crypto.random(16)
        return try elapsed { _ = try Argon2id.derive(from: pin, salt: salt, cost: .withoutTPM) }
    }

    private static func unlocking(_ device: BenchDevice) throws -> Duration {
        let application = try device.startLocked()
        defer { application.end() }
        guard application.waitUntilIdle(seconds: 30) else {
            throw BenchFailure.program("the PIN was not asked")
        }
        application.type(BenchDevice.pin)
        guard application.waitUntilIdle(seconds: 30) else {
            throw BenchFailure.program("the PIN was not taken")
        }
        return try elapsed {
            application.type("\r")
            guard application.waitUntilPainted("BENCH-1", seconds: 30) else {
                throw BenchFailure.program("the worklist did not appear")
            }
        }
    }

    private static func coldStart(_ device: BenchDevice) throws -> Duration {
        var application: TerminalProcess?
        defer { application?.end() }
        return try elapsed {
            let started = try device.startApplication()
            application = started
            guard started.waitUntilPainted("BENCH-1", seconds: 30) else {
                throw BenchFailure.program("the worklist did not appear")
            }
        }
    }
}
