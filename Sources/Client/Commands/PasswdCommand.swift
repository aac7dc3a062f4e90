internal import Arguments
internal import Coding
internal import Crypto
internal import Vault

enum PasswdCommand {
    private static let newPINFile = Option(
        "new-pin-file", value: "FILE", help: "Read the new PIN from the first line of FILE.")

    static let entry = Entry(
        name: "passwd", summary: "Change the PIN.",
        discussion: "The database is not touched: only its key is closed under another PIN.",
        options: [newPINFile]
    ) { run in
        let unlocked = try run.unlock(for: .writing)
        guard let lease = unlocked.lease else { preconditionFailure("writing has a lease") }
        let pin = try newPIN(run)
        defer { pin.erase() }
        let isErased = try unlocked.opened.changePIN(
            to: pin, cost: run.surroundings.pinCost, lease: lease)
        try run.emit(["changed": true]) { "the PIN is changed\n" }
        if !isErased {
            run.console.say(
                "walkdown: the slot of the old PIN could not be overwritten; traces of it may be left"
                    + " on the disk")
        }
        return .done
    }

    private static func newPIN(_ run: CommandRun) throws -> SecretBytes {
        if let file = run.invocation.value(newPINFile.name) { return try run.readPIN(file: file) }
        return try run.askNewPIN()
    }
}
