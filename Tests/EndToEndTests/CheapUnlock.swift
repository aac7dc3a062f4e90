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
        let vault = try SealedVault.load(home)
        let key = try vault.unlock(pin)
        defer { key.erase() }
        try vault.changePIN(
            of: key, to: pin, cost: Argon2id.Cost(passes: 1, memory: 8 << 10), lease: lease)
    }
}
