import Coding
import Inspections
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

/// Random days of one device. After each step the audit must find nothing.
@Suite("Random walks through the store")
struct WalkTests {
    @Test(
        "The queue stays the difference between what is shown and what was confirmed",
        arguments: UInt64(1)...25)
    func walk(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let device = try Device(seed: seed)
        var records: [RecordID] = []
        for step in 0..<60 {
            if records.count < 2 { records.append(try device.newInspection()) }
            let id = random.pick(records)
            let what = try Self.take(step: random.below(14), on: id, device, &random)
            let problems = try device.store.audit()
            #expect(problems == [], "seed \(seed) step \(step): \(what)")
            guard problems.isEmpty else { return }
        }
        try device.finish()
    }

    /// A step that the state of the record does not allow is refused and changes nothing.
    private static func take(
        step: Int, on id: RecordID, _ device: Device, _ random: inout SeededRandom
    ) throws -> String {
        let store = device.store
        do {
            switch step {
            case 0...5: return try edit(id, store, &random)
            case 6: try store.complete(id)
            case 7: try store.reopen(id)
            case 8: try move(id, device, from: "PENDING", to: "IN_FLIGHT")
            case 9: try move(id, device, from: "IN_FLIGHT", to: random.pick(["FAILED", "PENDING"]))
            case 10: try eachMutation(id, device) { try store.retry($0) }
            case 11: try eachMutation(id, device) { try store.discard($0) }
            case 12: try device.accept(id, version: Int64(random.below(50) + 2))
            default: try store.delete(id)
            }
        } catch let error as StoreError {
            return "step \(step) refused: \(error)"
        } catch let refusal as Completion.Refusal {
            return "step \(step) refused: \(refusal)"
        }
        return "step \(step) on \(id)"
    }

    private static func edit(
        _ id: RecordID, _ store: DeviceStore, _ random: inout SeededRandom
    ) throws -> String {
        let field = random.pick(["doors", "notes", "pressure"])
        let value: FieldValue =
            random.oneIn(4)
            ? .null
            : field == "notes" ? .string("n\(random.below(3))") : .integer(Int64(random.below(3)))
        if random.oneIn(5) { try store.hold([field], of: id) }
        try store.set([(field, value)], on: id)
        if random.oneIn(3) { try store.release(["doors", "notes", "pressure"], of: id) }
        return "set \(field) of \(id)"
    }

    private static func move(
        _ id: RecordID, _ device: Device, from: String, to: String
    ) throws {
        try device.store.settle { database in
            try database.execute(
                "UPDATE __sync_outbox SET status = ?, sealed = 1 WHERE status = ? AND record_id = ?",
                [.text(to), .text(from), .text(id.rawValue)])
        }
    }

    private static func eachMutation(
        _ id: RecordID, _ device: Device, _ body: (MutationID) throws -> Void
    ) throws {
        let waiting = try device.store.writer.read { try $0.waitingMutations(of: id) }
        if let last = waiting.last { try body(MutationID(last.id)) }
    }
}
