internal import Arguments
internal import Crypto
internal import LocalStore
internal import Sync
internal import Vault

/// A server that was restored from a backup of before this device's enrolment refuses it (401) for
/// ever. The device enrols anew in the home that it has: what waits there stays, keeps its ids, and goes
/// under the node that it is from then on.
extension EnrollCommand {
    static func enrolAgain(_ run: CommandRun) throws -> ExitCode {
        let plan = try Plan(run)
        let (vault, lease) = try run.loadVaultToWrite()
        let pin = try run.readPIN("PIN: ")
        defer { pin.erase() }
        let key = try vault.unlock(pin, now: run.surroundings.bootNow)
        defer { key.erase() }
        let store = try DeviceStore.open(
            home: vault.home, key: key, access: .writer(lease), sources: run.storeSources)
        return try run.closing(store) { store in
            try requireUnknown(store, plan.address)
            let given = try plan.enrol()
            try keep(given, as: plan, in: store)
            do {
                try vault.rebind(key, to: given.deviceID, pin: pin, lease: lease)
            } catch {
                // It opens as before; the id in it is for people.
                run.say(Walkdown.renderer.failure(for: error))
            }
            return try tell(run.synchronise(store), given, plan, run)
        }
    }

    /// A device that its server knows would become a second one there, and a revoked one would come in
    /// by the back door.
    private static func requireUnknown(
        _ store: DeviceStore, _ address: ServerAddress
    ) throws {
        do {
            guard try store.isKnown(at: address) else { return }
        } catch let refusal as Sync.Refusal {
            throw SyncWords.failure(for: refusal)
        }
        throw Failure(
            .failed, "the server knows this device; nothing was changed",
            advice: "'walkdown sync' goes on with what waits here.")
    }

    private static func keep(
        _ given: LocalStore.Enrolment, as plan: Plan, in store: DeviceStore
    ) throws {
        do {
            try store.enrolAgain(given, as: plan.node)
        } catch {
            let failure = Walkdown.renderer.failure(for: error)
            throw Failure(
                failure.exitCode, failure.sentence,
                advice: "Nothing on this device was changed, but the code is spent: ask for a new "
                    + "one, and have \(given.deviceID) revoked.")
        }
    }
}
