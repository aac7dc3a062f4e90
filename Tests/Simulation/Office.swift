import Coding
import Replication
import SQLite
import ServerStore

/// What happens on the server by hand.
struct Office {
    let server: SimServer
    let store: SQLiteStore
    let world: World
    private let anna = Supervisor(name: "anna")

    init(_ server: SimServer, _ store: SQLiteStore, world: World) {
        self.server = server
        self.store = store
        self.world = world
    }

    func act() throws {
        let what: String
        do {
            what = try world.strikes(.scopeChange) ? moveSite() : work()
        } catch let error as ServerStoreError {
            what = "is refused: \(error.code)"
        } catch is SQLiteError where server.disk.hasStopped || world.isServerFull {
            what = "fails"
        }
        world.tell("the office \(what)")
        guard !server.disk.hasStopped, let reader = server.reader else {
            return world.oracle.noteUncertain()
        }
        try world.oracle.rememberAll(reader)
    }

    private func work() throws -> String {
        guard world.faults.isPlanned(.officeDecision) else { return "is quiet" }
        switch world.dice.below(6) {
        case 0: return try assign()
        case 1: return try judgeInspection()
        default: return try decide()
        }
    }

    private func assign() throws -> String {
        let day = world.dice.within(10...28)
        let asset = world.dice.pick(["A1", "A2", "A3"])
        let row = AssignmentRow(asset: asset, form: Ground.form, due: "2026-04-\(day)")
        world.assignments.append(row)
        _ = try store.importAssignments([row])
        return "assigns an inspection of \(asset)"
    }

    private func judgeInspection() throws -> String {
        let complete = try store.export(form: nil).filter { $0.state == "complete" }
        guard !complete.isEmpty else { return "has nothing to approve" }
        let id = world.dice.pick(complete).id
        if world.dice.oneIn(2) {
            try store.approve(inspection: id, by: anna)
            return "approves \(id)"
        }
        try store.returnInspection(id: id, comment: "once more", by: anna)
        return "returns \(id)"
    }

    private func decide() throws -> String {
        let items = try store.openReviews()
        guard !items.isEmpty else { return "has nothing to review" }
        return try decide(world.dice.pick(items))
    }

    private func decide(_ item: ReviewItem) throws -> String {
        let decision: ReviewDecision = world.dice.oneIn(2) ? .mine : .theirs
        do {
            try store.resolve(review: item.id, decision, comment: nil, by: anna)
        } catch let error as ServerStoreError where error.code == .stateRefused {
            try store.resolve(review: item.id, .theirs, comment: nil, by: anna)
        }
        try world.noteDecisions()
        return "decides \(decision) on \(item.column) of \(item.record)"
    }

    /// The queue is emptied.
    func decideAll() throws {
        for item in try store.openReviews() {
            do {
                let what = try decide(item)
                world.tell("the office " + what)
            } catch let error as ServerStoreError where error.code == .alreadyDecided {
                continue
            }
        }
        if let reader = server.reader { try world.oracle.rememberAll(reader) }
    }

    private func moveSite() throws -> String {
        let row = world.dice.pick(Ground.sites)
        let team = world.dice.pick(["north", "south"])
        _ = try store.importSites([SiteRow(id: row.id, name: row.name, team: team)])
        return "gives \(row.id) to \(team)"
    }
}
