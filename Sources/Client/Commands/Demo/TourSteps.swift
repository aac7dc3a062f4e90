internal import Arguments
internal import Coding
internal import LocalStore
internal import Replication
internal import Sync

/// The first half of the day: what two people do to the same inspections.
extension Tour {
    /// The inspections in the order of their assets' tags, the same on each device.
    private func inspections() throws -> [InspectionSummary] {
        try world.device.opened().inspections().sorted { ($0.asset ?? "") < ($1.asset ?? "") }
    }

    func inspection(_ index: Int) throws -> RecordID {
        let all = try inspections()
        try check(index < all.count, "there are only \(all.count) inspections")
        return all[index].id
    }

    func assigned() throws {
        try syncAll()
        let mine = try inspections()
        try equal(mine.count, 12, "inspections on the device")
        let theirs = try world.colleague.opened().inspections()
        try equal(Set(theirs.map(\.id)), Set(mine.map(\.id)), "inspections at the colleague's")
        try check(mine.allSatisfy { $0.sync == .synced }, "an inspection is not synced")
        try tell("12 inspections of 3 sites on both; every badge says synced")
    }

    func differentFields() throws {
        let id = try inspection(0)
        try set([("facility", .string("Pier 4, hall B"))], id, on: world.device)
        try set([("refrigerant_type", .string("R290"))], id, on: world.colleague)
        let waiting = try world.device.opened().outboxCounts()
        try equal(waiting, OutboxCounts(pending: 1), "the device's queue while offline")
        try tell("each has one change waiting, nothing was sent")
        try syncAll()
        try everywhere("facility", of: id, is: .string("Pier 4, hall B"))
        try everywhere("refrigerant_type", of: id, is: .string("R290"))
        try nothingPending(world.device)
        try nothingPending(world.colleague)
        try tell("merged: both answers stand on both devices and on the server")
    }

    func sameField() throws {
        let id = try inspection(1)
        let other = try inspection(2)
        try set([("door_seals", .string("pass"))], id, on: world.device)
        try set([("door_seals", .string("fail"))], id, on: world.colleague)
        try set([("notes", .string("ice on the fan"))], other, on: world.colleague)
        try sync(world.device)
        let report = try sync(world.colleague)
        try equal(report.conflicts, 1, "conflicts at the colleague's")
        try check(report.isComplete, "the cycle ended as \(report.outcome.label)")
        let conflicts = try world.colleague.opened().conflicts(of: id)
        try equal(conflicts.map(\.column), ["door_seals"], "fields in conflict")
        try equal(conflicts.first?.mine, .string("fail"), "mine")
        try equal(conflicts.first?.theirs, .string("pass"), "theirs")
        try tell("the second comer sees a conflict: mine fail, theirs pass; other work went on")
        try everywhereElse(other)
        try world.colleague.opened().resolve(id, ["door_seals": .mine])
        try sync(world.colleague)
        try syncAll()
        try everywhere("door_seals", of: id, is: .string("fail"))
        try nothingPending(world.colleague)
        try tell("resolved with mine, accepted, and fail stands everywhere")
    }

    private func everywhereElse(_ id: RecordID) throws {
        let answers = try exported(id)?.answers
        try equal(answers?["notes"], .string("ice on the fan"), "the other inspection's notes")
    }

    func ranked() throws {
        let id = try inspection(3)
        try set([("compressor_health", .string("CRITICAL"))], id, on: world.device)
        try set([("compressor_health", .string("OPTIMAL"))], id, on: world.colleague)
        try syncAll()
        try everywhere("compressor_health", of: id, is: .string("CRITICAL"))
        try nothingPending(world.device)
        try nothingPending(world.colleague)
        let history = try world.colleague.opened().history(of: id)
        try check(
            history.contains {
                $0.field == "compressor_health" && $0.value == .string("OPTIMAL")
            }, "the value that lost is not in the history")
        try tell("CRITICAL over OPTIMAL without asking; the value that lost is in the history")
    }
}
