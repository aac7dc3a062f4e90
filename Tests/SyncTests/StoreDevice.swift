import Coding
import Crypto
import Forms
import Foundation
import LocalStore
import Replication
import Sync
import TestSupport
import Testing
import Vault

/// A device with its real, encrypted store.
final class StoreDevice {
    private let folder: TemporaryFolder
    private let home: Home
    private let lease: HomeLease
    private let key: SecretBytes
    private let sources: StoreSources
    private(set) var store: DeviceStore
    let clock = FixedClock()

    convenience init() throws {
        try self.init(copying: nil)
    }

    /// - Parameter other: a device whose home this one's is a copy of; its store is closed.
    private init(copying other: StoreDevice?) throws {
        folder = try TemporaryFolder("sync")
        home = Home(folder.path + "/home")
        key = other?.key ?? SecretBytes.random(count: 32)
        lease = try HomeLease.acquire(home)
        sources = StoreSources(
            now: clock.reading,
            newID: { UUIDText.version4(random: Crypto.random(16)) })
        if let other {
            try FileManager.default.copyItem(atPath: other.home.database, toPath: home.database)
            store = try DeviceStore.open(
                home: home, key: key, access: .writer(lease), sources: sources)
            return
        }
        store = try DeviceStore.create(
            home: home, key: key, device: DeviceIdentity(deviceID: "device-1", node: "node"),
            lease: lease, sources: sources)
        try store.store(form: try FormDefinition(json: Self.form))
    }

    /// The home as it is now, on another machine.
    func copy() throws -> StoreDevice {
        try store.close()
        let other = try StoreDevice(copying: self)
        store = try DeviceStore.open(
            home: home, key: key, access: .writer(lease), sources: sources)
        return other
    }

    /// One cycle, and the note of it for the status line.
    func sync(_ server: FakeServer) -> CycleReport {
        let report = Cycle(replica: store, transport: server.connect()).run().report
        do {
            try store.note(report, at: clock.now)
        } catch {
            Issue.record("the cycle was not noted: \(error)")
        }
        return report
    }

    static let form: JSON = [
        "format": 1, "id": "round", "version": "1", "title": "Round",
        "sections": [
            [
                "name": "readings", "title": "Readings",
                "questions": [
                    ["path": "notes", "type": "text", "label": "Notes"],
                    ["path": "doors", "type": "integer", "label": "Doors"],
                ],
            ]
        ],
    ]

    func newInspection() throws -> RecordID {
        try store.createInspection(form: "round", version: "1", asset: nil)
    }

    /// The process is gone without a word, and another one starts.
    func restart() throws {
        try store.close()
        store = try DeviceStore.open(
            home: home, key: key, access: .writer(lease), sources: sources)
    }

    /// How every story ends.
    func expectSettled(_ note: String = "") throws {
        let waiting = try store.outbox().map { "\($0.status) \($0.lastError ?? "")" }
        #expect(waiting == [], "\(note)")
        #expect(try store.audit() == [], "\(note)")
        try store.close()
    }
}
