import LocalStore

extension World {
    /// What holds of a device at any moment.
    func check(_ device: Handheld) throws {
        guard let store = device.store, !device.isHeld else { return }
        let faults = try store.audit().filter {
            // The mutant's own triggers are not what is to be found.
            mutant != .unequalTrigger || !$0.hasPrefix("a trigger")
        }
        guard faults.isEmpty else {
            throw Violation("the audit found something", "\(device.node): \(faults)")
        }
        // A repetition after a crash is no copy of the device.
        guard !device.wasTakenForCopy || device.mayLookCopied else {
            throw Violation("a device was taken for a copy of itself", "\(device.node)")
        }
        try device.ledger.check(
            waiting: store.waitingValues(), settled: oracle.settled, node: device.node)
        if !device.questions.isEmpty, !device.hasTwin, !server.isRestored {
            try device.questions.check(store.questions(), node: device.node)
        }
        if !device.hasTwin {
            try device.ledger.checkReads(store.ownValues(device.speaksAs), node: device.node)
        }
        try cursors[device.index, default: CursorWatch()].check(
            store.position().cursor, device.node)
    }
}
