internal import Arguments
internal import Crypto
internal import LocalStore
internal import Replication
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
        let opened = try vault.open(
            pin, beside: KeyWitness(of: vault.home), now: run.surroundings.bootNow)
        defer { opened.key.erase() }
        let store = try DeviceStore.open(
            home: vault.home, key: opened.key, access: .writer(lease), sources: run.storeSources)
        return try run.closing(store) { store in
            try requireUnknown(store, plan.address)
            let given = try enrol(plan, store)
            try keep(given, as: plan, in: store)
            do {
                try opened.rebind(to: given.deviceID, pin: pin, lease: lease)
            } catch {
                // It opens as before; the id in it is for people.
                run.say(Walkdown.renderer.failure(for: error))
            }
            return try tell(run.synchronise(store), given, run)
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

    /// A code of another team is refused: what waits here would be, and the rest would leave with the sites
    /// of the team that this device was of. The server compares before it spends the code, because a
    /// restored one may have another name for the team; one that does not compare tells no id of it.
    private static func enrol(
        _ plan: Plan, _ store: DeviceStore
    ) throws -> Given {
        let held = try store.enrolment()
        let former = held.flatMap { held in
            held.team.isEmpty ? nil : FormerTeam(id: held.teamID, name: held.team)
        }
        let given: Given
        do {
            given = try plan.enrol(of: former)
        } catch let error as SyncError where error.code == .otherTeam {
            throw Failure(
                .failed, error.message + "; nothing was changed",
                advice: "The code is not spent. Ask for one of the team that this device was of.")
        }
        guard let former, given.enrolment.teamID == nil, given.enrolment.team != former.name else {
            return given
        }
        throw Failure(
            .failed,
            "the code is of team '\(given.enrolment.team)', and this device of team '\(former.name)'; nothing on"
                + " this device was changed",
            advice:
                "The code is spent: ask for one of that team, and have \(given.deviceID) revoked.")
    }

    private static func keep(
        _ given: Given, as plan: Plan, in store: DeviceStore
    ) throws {
        do {
            try store.enrolAgain(given.enrolment, as: plan.node)
        } catch {
            let failure = Walkdown.renderer.failure(for: error)
            throw Failure(
                failure.exitCode, failure.sentence,
                advice: "Nothing on this device was changed, but the code is spent: ask for a new "
                    + "one, and have \(given.deviceID) revoked.")
        }
    }
}
