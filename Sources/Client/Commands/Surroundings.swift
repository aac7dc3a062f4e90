package import Crypto
internal import FieldApp
package import Forms
internal import Foundation
internal import Glibc
package import Vault

/// What a command needs of the world around it, so that tests run commands in their own process
/// with their own world.
package struct Surroundings: Sendable {
    package var environment: [String: String]
    /// Where questions are asked; only a terminal is asked on.
    package var terminal: Int32
    /// The price of guessing a PIN that is set now.
    package var pinCost: Argon2id.Cost
    /// Milliseconds since 1970, for people to read; nothing is ordered by it.
    package var now: @Sendable () -> Int64
    /// What `t` and `+3d` are counted from: the day where the device is, as on the screen. Nil where
    /// it is not known.
    package var today: @Sendable () -> CivilDate?
    /// Where the device is.
    package var zone: ExpressionZone
    /// What is typed where a command asks line by line.
    package var input: Int32
    /// What waiting after wrong PINs is counted on, and the time after which nobody is there.
    package var bootNow: @Sendable () throws(VaultError) -> BootInstant
    /// What ends the wait for a line, while a command asks line by line.
    package var watch: @Sendable () throws -> any TypingWatch

    package init(
        environment: [String: String], terminal: Int32 = STDIN_FILENO,
        pinCost: Argon2id.Cost = .withoutTPM,
        now: @escaping @Sendable () -> Int64 = Surroundings.timeOfDay,
        today: @escaping @Sendable () -> CivilDate? = Surroundings.localDay,
        zone: ExpressionZone = Surroundings.localZone, input: Int32 = 0,
        bootNow: @escaping @Sendable () throws(VaultError) -> BootInstant = BootInstant.current,
        watch: @escaping @Sendable () throws -> any TypingWatch = { try TerminalWatch() }
    ) {
        self.environment = environment
        self.terminal = terminal
        self.pinCost = pinCost
        self.now = now
        self.today = today
        self.zone = zone
        self.input = input
        self.bootNow = bootNow
        self.watch = watch
    }

    package static var ofThisProcess: Surroundings {
        Surroundings(environment: ProcessInfo.processInfo.environment)
    }

    package static let timeOfDay: @Sendable () -> Int64 = {
        var time = timespec()
        // Cannot fail: the clock exists and the address is ours.
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    package static let localZone = DeviceClock.zone

    package static let localDay: @Sendable () -> CivilDate? = { DeviceClock.moment().today }

    var terminalPrompt: TerminalPrompt { TerminalPrompt(terminal: terminal) }
}
