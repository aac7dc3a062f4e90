import LocalStore
import Replication

/// What happens once or twice in the life of a device or a server, by dice of its own: a run without
/// any of it is the run that it was before there was any.
final class Incidents {
    private unowned let world: World
    private lazy var backups = ServerBackups(world)
    private lazy var damage = HomeDamage(world)
    private lazy var upgrades = Upgrades(world)

    init(_ world: World) { self.world = world }

    private func strikes(_ fault: Fault) -> Bool {
        world.faults.strikes(fault, &world.incidentDice)
    }

    /// Before whatever else happens in an event.
    func happen() throws {
        if strikes(.serverRestore) { try backups.happen() }
        if strikes(.clonedHome) { try copyHome() }
        for fault in [Fault.journalDamage, .databaseDamage] where strikes(fault) {
            try damage.happen(fault)
        }
        if strikes(.migration) { try upgrades.happen() }
    }

    /// Before a device starts.
    func repair(_ device: Handheld) throws { try damage.repair(device) }

    /// A device has started.
    func settle(_ device: Handheld) throws {
        try backups.settle(device)
        try damage.settle(device)
        try upgrades.check(device)
    }

    /// Nothing goes wrong any more.
    func makePeace() throws { try backups.repeatAssignments() }

    // MARK: A copied home

    /// The whole home of a running device, as a disk image or a backup takes it, goes on as another
    /// machine; both have the same past, the same token, and the same node.
    private func copyHome() throws {
        let running = world.devices.filter { $0.isUp && !$0.disk.hasStopped }
        guard !running.isEmpty, world.hasRoomForCopy else { return }
        let original = world.incidentDice.pick(running)
        let copy = try world.addCopy(of: original)
        world.tell("a copy of the home of \(original.node) goes on as \(copy.node)")
        copy.live(on: original)
        world.oracle.noteCopy(copy.node, of: original.node)
        world.startLater(copy)
    }
}
