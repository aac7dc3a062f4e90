import Crypto
import Vault

extension Device {
    /// The PIN opens the home as before, for the least price that there is: a second of Argon2id with
    /// each command is not what these tests are about.
    func makeUnlockingCheap() throws {
        let home = Home(home)
        var bytes = Array(World.pin.utf8)
        let pin = SecretBytes(moving: &bytes)
        let lease = try HomeLease.acquire(home)
        let opened = try SealedVault.load(home).open(pin, beside: KeyWitness(fit: { _ in .opens }))
        defer { opened.key.erase() }
        try opened.changePIN(
            to: pin, cost: Argon2id.Cost(passes: 1, memory: 8 << 10), lease: lease)
    }
}
