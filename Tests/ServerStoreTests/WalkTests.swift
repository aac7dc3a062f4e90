import Coding
import Inspections
import Replication
import SQLite
import ServerStore
import TestSupport
import Testing

/// Several devices edit, push, lose answers, delete, and pull, by seed. What the store then holds
/// is what the pure merge makes of the same mutations in the order in which they were judged.
@Suite("Seeded walks against the pure merge")
struct WalkTests {
    @Test(
        "whatever happens, all replicas agree with the model", arguments: Backend.allCases, 0..<12)
    func walk(backend: Backend, number: Int) throws {
        let seed = UInt64(0x5EED_0000 + number)
        var walk = try Walk(backend, seed: seed)
        for _ in 0..<120 { try walk.step() }
        try walk.finish()
    }
}

private struct Walk {
    private let yard: Yard
    private var random: SeededRandom
    private let devices: [Handheld]
    private let records: [RecordID]
    private var model: [RecordID: RecordState] = [:]
    /// What each record lost, and by whose arrival, in the order of the rows.
    private var history: [[String]] = []
    private var judged: Set<MutationID> = []
    /// Mutations whose answer was lost, by device.
    private var unanswered: [NodeID: [Mutation]] = [:]
    private let policies: [FieldName: MergePolicy] = [
        "notes": .ask, "pressure": .quarantine, "place": .lww, "tags": .union, "high": .max,
        "low": .min, "health": .rank(["CRITICAL", "WARNING", "OPTIMAL"]),
    ]

    init(_ backend: Backend, seed: UInt64) throws {
        yard = try Yard(backend)
        random = SeededRandom(seed: seed)
        records = try (10...13).map { [yard] in try yard.assign(due: "2026-03-\($0)") }
        devices = try ["a", "b", "c"].map { [yard] in try yard.enrol($0) }
        for device in devices { try device.pull() }
        for id in records {
            guard let record = devices[0].confirmed[id] else { continue }
            var state = RecordState(
                table: record.table, id: id, parent: record.parent, version: record.version)
            state.fields = record.fields.mapValues {
                FieldRegister(value: $0.value, stamp: $0.stamp, version: $0.version)
            }
            model[id] = state
        }
    }

    mutating func step() throws {
        let device = random.pick(devices)
        switch random.below(10) {
        case 0...1: try device.pull(limit: Int64(1 + random.below(5)))
        case 2: try deliver(unanswered.removeValue(forKey: device.node) ?? [], by: device)
        default:
            guard unanswered[device.node] == nil else { return }
            let count = 1 + random.below(4)
            try deliver((0..<count).map { _ in mutation(by: device) }, by: device)
        }
    }

    private mutating func mutation(by device: Handheld) -> Mutation {
        let record = random.pick(records)
        if random.oneIn(40) { return device.delete(record) }
        if device.confirmed[record]?.isDeleted == true, random.oneIn(3) {
            return device.change(record, [Mutation.deletedField: .integer(0)])
        }
        var values: [FieldName: FieldValue] = [:]
        for _ in 0...random.below(3) {
            let field = random.pick(policies.keys.sorted())
            values[field] = value(for: field)
        }
        return device.change(record, values)
    }

    private mutating func value(for field: FieldName) -> FieldValue {
        if random.oneIn(10) { return .null }
        switch field {
        case "pressure", "high", "low": return .integer(Int64(random.below(6)))
        case "health": return .string(random.pick(["CRITICAL", "WARNING", "OPTIMAL"]))
        case "tags":
            return .string(random.pick(["red", "cold", "red cold", "loud red", "cold loud"]))
        default: return .string("v\(random.below(6))")
        }
    }

    private mutating func deliver(_ mutations: [Mutation], by device: Handheld) throws {
        guard !mutations.isEmpty else { return }
        let request = device.request(mutations)
        let response = try yard.store.push(
            request, from: device.device, idempotencyKey: request.idempotencyKey)
        judge(mutations, response.results, by: device)
        if random.oneIn(4) {
            unanswered[device.node] = mutations
        } else {
            try device.push(mutations)
        }
    }

    /// The model judges what it has not judged before, and must come to the same verdicts.
    private mutating func judge(_ mutations: [Mutation], _ verdicts: [Verdict], by device: Handheld)
    {
        var holds = BatchHolds()
        for (mutation, verdict) in zip(mutations, verdicts) {
            defer { holds.note(mutation, verdict.status, conflicts: verdict.conflicts) }
            guard !judged.contains(mutation.id) else { continue }
            if let holder = holds.holder(of: mutation) {
                #expect(verdict.status == .held && verdict.heldBy == holder, "\(context)")
                continue
            }
            let outcome = mergeRecord(
                current: model[mutation.record], mutation: mutation, node: device.node,
                parentIsKnown: true
            ) { [policies] in policies[$0] ?? .lww }
            #expect(verdict.status == outcome.status, "\(context) \(mutation)")
            #expect(verdict.conflicts == outcome.conflicts, "\(context)")
            #expect(verdict.version == outcome.record?.version, "\(context)")
            model[mutation.record] = outcome.record
            history += outcome.history.map { Self.row($0, of: mutation) }
            if outcome.status.isStored { judged.insert(mutation.id) }
        }
    }

    private static func row(_ entry: HistoryEntry, of mutation: Mutation) -> [String] {
        [
            mutation.record.rawValue, entry.field, entry.value.json.text(),
            String(entry.stamp.lamport), entry.stamp.node.rawValue, entry.rule.rawValue,
            mutation.id.rawValue,
        ]
    }

    /// The table as it stands, read beside the server.
    private func storedHistory() throws -> [[String]] {
        let connection = try Connection.open(yard.folder.file("server.db"), mode: .readOnly)
        defer { #expect(throws: Never.self) { try connection.close() } }
        return try connection.query(
            """
            SELECT record_id, name, value, lamport, node, rule, mutation_id FROM history
            ORDER BY id
            """
        ) { row in
            let value = try row.value(2).json.text()
            return [
                try row.text(0), try row.text(1), value, String(try row.integer(3)),
                try row.text(4), try row.text(5), try row.text(6),
            ]
        }
    }

    private var context: String { "seed \(random.seed)" }

    mutating func finish() throws {
        for device in devices { try device.pull() }
        let fresh = try yard.everything()
        for device in devices {
            #expect(device.confirmed == fresh, "\(context) \(device.node)")
        }
        #expect(!history.isEmpty, "\(context)")
        #expect(try storedHistory() == history, "what lost is kept \(context)")
        for (id, state) in model {
            let record = try #require(fresh[id])
            #expect(record == state.wire(updatedAtUtc: record.updatedAtUtc), "\(context) \(id)")
        }
        let report = try #require(devices[0].lastPage?.digest)
        #expect(
            report.sites.filter { $0.value != SiteDigest() } == devices[0].digests, "\(context)")
    }
}

extension DatabaseValue {
    /// As the field value that it stands for.
    fileprivate var json: JSON {
        get throws {
            switch self {
            case .integer(let number): .integer(number)
            case .real(let number): try FieldValue(number: number).json
            case .text(let text): .string(text)
            case .null, .blob: .null
            }
        }
    }
}
