import Coding
import Forms
import Foundation
import Inspections
import Replication
import SQLite
import ServerStore
import TestSupport
import Testing

/// A server with two teams, a few sites, assets and one form: what most tests begin with.
final class Yard {
    let folder: TemporaryFolder
    let clock = FixedClock()
    let backend: Backend
    var store: any Store
    private var secrets: UInt8 = 0

    init(_ backend: Backend, queueLimit: Int = 256, model: RecordModel = .current) throws {
        self.backend = backend
        folder = try TemporaryFolder("yard")
        store = try backend.make(in: folder, clock: clock, queueLimit: queueLimit, model: model)
        _ = try store.addTeam(named: "north")
        _ = try store.addTeam(named: "south")
        try store.publish(try Yard.form())
        _ = try store.importSites([
            SiteRow(id: "S1", name: "Dock", team: "north"),
            SiteRow(id: "S2", name: "Hold", team: "south"),
        ])
        _ = try store.importAssets([
            AssetRow(id: "A1", site: "S1", tag: "RT-1", name: "Chiller"),
            AssetRow(id: "A2", site: "S2", tag: "RT-2", name: "Freezer"),
        ])
    }

    /// A server whose database another version of this program may have written.
    init(_ backend: Backend, copying database: String) throws {
        self.backend = backend
        // Its own devices have used the first secrets.
        secrets = 100
        folder = try TemporaryFolder("yard")
        try FileManager.default.copyItem(atPath: database, toPath: folder.file("server.db"))
        store = try backend.reopen(in: folder, clock: clock)
    }

    /// One question for each policy that the tests need.
    static func form(version: String = "1") throws -> FormDefinition {
        func text(_ path: String, merge: String = "ask") -> Question {
            Question(path: path, label: path, type: .text(multiline: true), merge: merge)
        }
        let pressure = Question(
            path: "pressure", label: "Pressure", type: .decimal,
            limits: NumberLimits(hardMinimum: 0, hardMaximum: 2000), merge: "quarantine")
        let health = Question(
            path: "health", label: "Health", type: .choice,
            choices: ["OPTIMAL", "WARNING", "CRITICAL"].map { Choice(name: $0, label: $0) },
            merge: "rank:CRITICAL,WARNING,OPTIMAL")
        let questions = [
            text("notes"), pressure, health, text("place", merge: "lww"),
            text("tags", merge: "union"),
            Question(path: "high", label: "High", type: .integer, merge: "max"),
            Question(path: "low", label: "Low", type: .integer, merge: "min"),
        ]
        return try FormDefinition(
            id: "cold", version: version, title: "Cold",
            sections: [
                Section(name: "all", title: "All", questions: questions),
                Section(name: "rows", text: FormText("Rows"), items: [.repetition(rows())]),
            ])
    }

    /// Repeats within each other, as deep as any test needs, with the same questions.
    private static func rows() -> Repetition {
        var inner: [FormItem] = []
        for path in ["part/piece/chip", "part/piece", "part"] {
            let questions = [
                Question(path: path + "/text", label: "Text", type: .text(multiline: true)),
                Question(
                    path: path + "/x", label: "X", type: .integer,
                    limits: NumberLimits(hardMaximum: 1000), merge: "quarantine"),
                Question(
                    path: path + "/health", label: "Health", type: .choice,
                    choices: ["FINE", "WORN"].map { Choice(name: $0, label: $0) },
                    merge: "rank:WORN,FINE"),
            ]
            inner = [
                .repetition(
                    Repetition(path: path, items: questions.map { .question($0) } + inner))
            ]
        }
        guard case .repetition(let outer)? = inner.first else { preconditionFailure() }
        return outer
    }

    /// A server, an inspection, and two devices that have pulled it.
    static func pair(_ backend: Backend) throws -> (Yard, RecordID, Handheld, Handheld) {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        for device in [first, second] { try device.pull() }
        return (yard, id, first, second)
    }

    /// A device of each of two teams, the first of which has the inspection.
    static func twoTeams(_ backend: Backend) throws -> (Yard, RecordID, Handheld, Handheld) {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (north, south) = (try yard.enrol("n"), try yard.enrol("s", team: "south"))
        try north.pull()
        return (yard, id, north, south)
    }

    /// Gives the site, with all that stands on it, to another team.
    func move(to team: String) throws {
        _ = try store.importSites([SiteRow(id: "S1", name: "Dock", team: team)])
    }

    /// The open review of a field.
    func review(of column: FieldName) throws -> ReviewItem {
        try #require(try store.openReviews().first { $0.column == column })
    }

    func enrol(_ name: String, team: String = "north") throws -> Handheld {
        secrets += 1
        let secret = [UInt8](repeating: secrets, count: 32)
        _ = try store.issueCode(
            team: team, deviceName: nil, secretHash: secret, validFor: 3_600_000)
        let device = try store.enrol(
            Enrolment(
                secretHash: secret, deviceName: name, node: NodeID("node-" + name),
                publicKey: "", tokenHash: [UInt8](repeating: secrets, count: 31)))
        return Handheld(device, of: self)
    }

    /// Assigns the inspection of asset A1 (team north) and returns its id.
    @discardableResult
    func assign(asset: String = "A1", due: String = "2026-03-31") throws -> RecordID {
        _ = try store.importAssignments([AssignmentRow(asset: asset, form: "cold", due: due)])
        return ImportedID.inspection(asset: asset, form: "cold", due: due)
    }

    /// Everything that stands in the store, as a device of the team that begins anew sees it.
    func everything(team: String = "north") throws -> [RecordID: WireRecord] {
        let witness = try enrol("witness\(secrets)", team: team)
        try witness.pull()
        return witness.confirmed
    }

    /// Perhaps as another version of the program.
    func restart(model: RecordModel = .current) throws {
        try store.close()
        store = try backend.reopen(in: folder, clock: clock, model: model)
    }

    // MARK: Backups

    /// - Returns: the file, beside the server's own.
    func backUp(as name: String = "backup.db") throws -> String {
        _ = try SQLiteStore.backUp(folder.file("server.db"), to: folder.file(name))
        return folder.file(name)
    }

    /// What devices have told with their pulls counts.
    func prune() throws -> PruneReport {
        (store as? SQLiteStore)?.waitUntilIdle()
        return try store.prune()
    }

    /// As `walkdownd restore` does it, an hour after whatever was last.
    @discardableResult
    func restore(
        _ backup: String, keeping doors: ClosedDoors = ClosedDoors(),
        adopting later: LaterDevices = LaterDevices()
    ) throws -> RestoreReport {
        clock.advance(seconds: 3600)
        try replaceDatabase(by: backup)
        let report = try SQLiteStore.prepareRestored(
            folder.file("server.db"), named: "backup", replacing: nil, keeping: doors,
            adopting: later, SQLiteStore.Environment(now: clock.reading))
        store = try backend.reopen(in: folder, clock: clock)
        return report
    }

    /// As the snapshot of a disk comes back: nobody tells the server.
    func setBack(to backup: String) throws {
        clock.advance(seconds: 3600)
        try replaceDatabase(by: backup)
        store = try backend.reopen(in: folder, clock: clock)
    }

    /// Changes rows behind the server's back, to what an earlier version could have left.
    func alter(_ body: (Connection) throws -> Void) throws {
        try store.close()
        let connection = try Connection.open(folder.file("server.db"), mode: .readWrite)
        try connection.transaction { try body(connection) }
        try connection.close()
        store = try backend.reopen(in: folder, clock: clock)
    }

    /// As an earlier version let a device do it, deleted since the instant of the clock.
    func deleteBehindTheBack(_ record: RecordID) throws {
        try alter { connection in
            let id = DatabaseValue.text(record.rawValue)
            try connection.execute(
                """
                UPDATE record SET is_deleted = 1, deleted_at = ?, version = version + 1
                WHERE id = ?
                """, [.integer(clock.now), id])
            try connection.execute(
                """
                INSERT OR REPLACE INTO field
                    (record_id, name, value, lamport, node, version, foreign_version)
                SELECT id, '@deleted', 1, 1, 'node-gone', version, 0 FROM record WHERE id = ?
                """, [id])
        }
    }

    private func replaceDatabase(by backup: String) throws {
        try store.close()
        try FileManager.default.removeItem(atPath: folder.file("server.db"))
        try FileManager.default.copyItem(atPath: backup, toPath: folder.file("server.db"))
    }
}
