import Coding
import Crypto
import Forms
import Foundation
import LocalStore
import Replication
import SQLite
import ServerStore
import Vault

/// What all runs begin with, made once in a process: a server with two teams, and ten devices that
/// have enrolled and pulled. Each run gets copies.
final class Ground {
    static let mostDevices = 10
    /// Of homes, in one run.
    static let mostCopies = 2
    static let form = "cold"
    /// 2026-03-02T08:00:00.000Z; virtual time begins here.
    static let morning: Int64 = 1_772_438_400_000

    let folder: String
    let key: SecretBytes
    private(set) var deviceIDs: [String] = []

    init(mutant: Mutant?) throws {
        folder = try Self.makeFolder()
        key = Array(repeating: UInt8(7), count: 32).withUnsafeBytes { SecretBytes(copying: $0) }
        let server = try makeServer()
        for index in 0..<Self.mostDevices {
            let device = try enrol(index, on: server)
            deviceIDs.append(device.id)
            try makeHome(index, device, server)
            if mutant == .unequalTrigger { try breakTriggers(of: index) }
        }
        try server.close()
    }

    /// In memory where there is room: the files are small, and there are many.
    private static func makeFolder() throws -> String {
        let parent =
            access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        var template = Array((parent + "/walkdown-sim-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw GroundFailure("cannot make a folder") }
        return template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    func remove() {
        // What cannot be removed is clutter in the memory's file system, and no result.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Copies for one run, in a folder of its own.
    func prepare(devices: Range<Int>) throws {
        try? FileManager.default.removeItem(atPath: folder + "/run")
        try FileManager.default.createDirectory(
            atPath: folder + "/run/server", withIntermediateDirectories: true)
        try Disk.copy(folder + "/server.db", to: serverPath)
        for index in devices {
            let (home, template) = (home(index), Home(folder + "/device-\(index)"))
            try home.prepare()
            try Disk.copy(template.database, to: home.database)
            try copyFiles(of: template.journal, to: home.journal)
        }
    }

    /// All that stands in the home, as it is at this moment.
    func copyHome(of index: Int, to target: Int) throws {
        let (source, copy) = (home(index), home(target))
        try copy.prepare()
        for suffix in ["", "-wal"] where access(source.database + suffix, R_OK) == 0 {
            try Disk.copy(source.database + suffix, to: copy.database + suffix)
        }
        try copyFiles(of: source.journal, to: copy.journal)
    }

    private func copyFiles(of folder: String, to target: String) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: folder) {
            try Disk.copy(folder + "/" + name, to: target + "/" + name)
        }
    }

    var serverFolder: String { folder + "/run/server" }
    var serverPath: String { serverFolder + "/server.db" }
    func home(_ index: Int) -> Home { Home(folder + "/run/device-\(index)") }

    static func node(_ index: Int) -> NodeID { NodeID("node-\(index)") }
    static func tokenHash(_ index: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(index + 1), count: 32)
    }

    /// Two of ten are of another team.
    static func team(_ index: Int) -> String { index % 5 == 4 ? "south" : "north" }

    // MARK: The server

    private func makeServer() throws -> SQLiteStore {
        let source = DiceBox(seed: 1)
        let store = try SQLiteStore.create(
            at: folder + "/server.db",
            SQLiteStore.Environment(
                now: { Self.morning }, random: { source.bytes($0) }, readers: 1))
        for team in ["north", "south"] { _ = try store.addTeam(named: team) }
        try store.publish(Self.definition())
        _ = try store.importSites(Self.sites)
        _ = try store.importAssets(Self.assets)
        _ = try store.importAssignments([
            AssignmentRow(asset: "A1", form: Self.form, due: "2026-03-31"),
            AssignmentRow(asset: "A3", form: Self.form, due: "2026-03-31"),
        ])
        return store
    }

    static let sites = [
        SiteRow(id: "S1", name: "Dock", team: "north"),
        SiteRow(id: "S2", name: "Hold", team: "north"),
        SiteRow(id: "S3", name: "Yard", team: "south"),
    ]

    static let assets = [
        AssetRow(id: "A1", site: "S1", tag: "RT-1", name: "Chiller"),
        AssetRow(id: "A2", site: "S2", tag: "RT-2", name: "Freezer"),
        AssetRow(id: "A3", site: "S3", tag: "RT-3", name: "Cooler"),
    ]

    /// A question for each policy.
    static func definition() throws -> FormDefinition {
        func text(_ path: String, _ merge: String) -> Question {
            Question(path: path, label: path, type: .text(multiline: true), merge: merge)
        }
        func number(_ path: String, _ merge: String) -> Question {
            Question(path: path, label: path, type: .integer, merge: merge)
        }
        let health = Question(
            path: "health", label: "health", type: .choice,
            choices: FieldPool.health.map { Choice(name: $0, label: $0) },
            merge: "rank:" + FieldPool.health.reversed().joined(separator: ","))
        return try FormDefinition(
            id: form, version: "1", title: "Cold chain",
            sections: [
                Section(
                    name: "all", title: "All",
                    questions: [
                        text("notes", "ask"), number("doors", "ask"),
                        number("pressure", "quarantine"), text("place", "lww"),
                        text("tags", "union"), number("high", "max"), number("low", "min"), health,
                    ])
            ])
    }

    private func enrol(_ index: Int, on server: SQLiteStore) throws -> ServerStore.Device {
        let secret = Self.tokenHash(index)
        _ = try server.issueCode(
            team: Self.team(index), deviceName: nil, secretHash: secret, validFor: 3_600_000)
        return try server.enrol(
            ServerStore.Enrolment(
                secretHash: secret, deviceName: "device \(index)", node: Self.node(index),
                publicKey: "", tokenHash: secret))
    }

    // MARK: The devices

    private func makeHome(
        _ index: Int, _ device: ServerStore.Device, _ server: SQLiteStore
    ) throws {
        let home = Home(folder + "/device-\(index)")
        let source = DiceBox(seed: UInt64(1000 + index))
        let store = try DeviceStore.create(
            home: home, key: key,
            device: DeviceIdentity(deviceID: device.id, node: device.node),
            lease: try HomeLease.acquire(home),
            sources: StoreSources(
                now: { Self.morning }, newID: { UUIDText.version4(random: source.bytes(16)) },
                pauses: Pauses(uptime: { .zero }, after: { _, _ in })))
        try store.store(form: Self.definition())
        while true {
            let page = try server.pull(store.pullRequest(), by: device)
            try store.apply(page: page)
            if !page.hasMore { break }
        }
        try store.close()
        server.waitUntilIdle()
    }

    /// NULL is another value than any, but `<>` does not say so.
    private func breakTriggers(of index: Int) throws {
        let path = Home(folder + "/device-\(index)").database
        let connection = try key.withBytes { key in
            try Connection.open(path, mode: .readWrite, key: key)
        }
        for part in Triggers.script.split(separator: "\nEND;") {
            let statement = part.drop(while: \.isNewline) + "\nEND;"
            guard statement.contains("WHEN OLD.value IS NOT NEW.value") else { continue }
            let name = statement.split(separator: " ", maxSplits: 3)[2]
            try connection.run(script: "DROP TRIGGER \(name)")
            try connection.run(
                script: String(statement).replacing(
                    "WHEN OLD.value IS NOT NEW.value", with: "WHEN OLD.value <> NEW.value"))
        }
        try connection.close()
    }
}

/// The fields that inspectors fill, and what they may hold.
enum FieldPool {
    static let health = ["OPTIMAL", "WARNING", "CRITICAL"]
    static let names = ["notes", "doors", "pressure", "place", "tags", "high", "low", "health"]

    /// A value that no other edit of the run enters, where the field allows it.
    static func value(
        for name: FieldName, number: Int, by node: NodeID, _ dice: inout Dice
    ) -> FieldValue {
        switch name {
        case "health": .string(dice.pick(health))
        case "tags": .string(dice.pick(["red", "cold", "red cold", "loud red", "cold loud"]))
        case "doors", "pressure", "high", "low": .integer(Int64(number))
        default: .string("\(node) \(number)")
        }
    }

    /// Whether each of its values tells which edit entered it, and a later one always wins over an
    /// earlier one of the same device.
    static func isUnique(_ name: FieldName) -> Bool {
        !["health", "tags", "low", "high"].contains(name)
    }
}

/// Dice behind a reference, for the closures of a store.
///
/// Sendable because in a run one thread at a time is awake: fibers and the store's queues hand over.
final class DiceBox: @unchecked Sendable {
    private var dice: Dice

    init(seed: UInt64) { dice = Dice(seed: seed) }

    func bytes(_ count: Int) -> [UInt8] { dice.bytes(count) }
}
