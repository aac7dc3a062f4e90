import Coding
import Crypto
import Forms
import Foundation
import Inspections
import LocalStore
import Replication
import Vault

/// A device's home in a folder of its own, with an open store and the cold-chain form.
struct BenchHome {
    let folder: BenchFolder
    let home: Home
    let key: SecretBytes
    let lease: HomeLease
    let store: DeviceStore
    let form: FormDefinition

    init() throws {
        folder = try BenchFolder()
        home = Home(folder.path + "/device")
        try home.prepare()
        key = SecretBytes.random(count: 32)
        lease = try HomeLease.acquire(home)
        store = try DeviceStore.create(
            home: home, key: key,
            device: DeviceIdentity(
                deviceID: "bench", node: NodeID("00000000-0000-4000-8000-00000000000a")),
            lease: lease, sources: BenchSources.store)
        form = try BenchSources.coldChain()
        try store.store(form: form)
    }

    func inspection() throws -> RecordID {
        try store.createInspection(form: form.id, version: form.version, asset: nil)
    }
}

enum BenchSources {
    static let store = StoreSources(now: { now() }, newID: { newID() })

    static func now() -> Int64 {
        Int64(Date().timeIntervalSince1970 * 1000)
    }

    static func newID() -> String {
        UUID().uuidString.lowercased()
    }

    /// Five answers of a round.
    static func answers(_ number: Int) -> [FieldName: FieldValue] {
        [
            "facility": .string("Depot \(number)"), "equipment_tag": .string("BENCH-\(number)"),
            "refrigerant_type": .string("R134a"),
            "valve_pressure_psi": .integer(Int64(number % 900)),
            "notes": .string("nothing to report on round \(number)"),
        ]
    }

    static var checkout: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    static var coldChainPath: String {
        checkout.appendingPathComponent("Resources/forms/cold_chain_equipment.json").path
    }

    static func coldChain() throws -> FormDefinition {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: coldChainPath))
        return try FormDefinition(json: JSON.parse([UInt8](bytes)))
    }
}

/// A folder on the disk that is measured, removed with everything in it when the value goes.
final class BenchFolder {
    let path: String

    init() throws {
        let parent = FileManager.default.temporaryDirectory
        let folder = parent.appendingPathComponent("walkdown-bench-" + BenchSources.newID())
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit {
        // Measured and done: what cannot be removed is only clutter in the temporary directory.
        try? FileManager.default.removeItem(atPath: path)
    }
}
