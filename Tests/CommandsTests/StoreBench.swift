import Coding
import Commands
import Crypto
import Forms
import Foundation
import LocalStore
import Replication
import SQLite
import TestSupport
import Testing
import Vault

/// A device that has been enrolled and has pulled a form, a site, an asset and an inspection that
/// somebody assigned. No server stands behind it: what it would say is applied by hand.
struct StoreBench {
    static let asset = RecordID("a5e70000-0000-4000-8000-000000000001")
    static let assigned = RecordID("1a5b0000-0000-4000-8000-000000000001")

    let bench: CommandBench

    init() throws {
        bench = try CommandBench()
        try setUp()
    }

    private static let form = """
        {"id": "cold_chain", "version": "3", "title": "Cold chain", "sections": [
          {"name": "main", "title": "Main", "questions": [
            {"path": "pressure", "label": "Pressure", "type": "decimal", "unit": "psi",
             "required": true, "min": 0, "max": 500, "merge": "quarantine"},
            {"path": "seals", "label": "Seals", "type": "choice", "choices": [
              {"name": "GOOD", "label": "Good"}, {"name": "WORN", "label": "Worn"}]},
            {"path": "notes", "label": "Notes", "type": "text"},
            {"path": "seen", "label": "Seen", "type": "date"}]}]}
        """

    private func setUp() throws {
        try withStore { store in
            let form = try FormDefinition(json: JSON.parse(Array(Self.form.utf8)))
            try store.store(form: form)
            try apply(
                [
                    record("site", "51e00000-0000-4000-8000-000000000001", ["@title": "Pier 4"]),
                    record(
                        "asset", Self.asset.rawValue, ["@title": "Freezer", "@tag": "F-17"],
                        parent: "51e00000-0000-4000-8000-000000000001"),
                    record(
                        "inspection", Self.assigned.rawValue,
                        [
                            "@form": "cold_chain", "@formVersion": "3", "@state": "assigned",
                            "@due": "2026-03-09", "@asset": .string(Self.asset.rawValue),
                        ], parent: Self.asset.rawValue),
                ], in: store)
        }
    }

    /// As the home's only process, with the key that `setUp` made.
    func withStore<Result>(_ work: (DeviceStore) throws -> Result) throws -> Result {
        let lease = try HomeLease.acquire(bench.home)
        var pin = Array(CommandBench.pin.utf8)
        let key = try SealedVault.load(bench.home).unlock(
            SecretBytes(moving: &pin), now: bench.surroundings.bootNow)
        let sources = StoreSources(
            now: bench.clock.reading,
            newID: { UUIDText.version4(random: Crypto.random(16)) })
        let exists = FileManager.default.fileExists(atPath: bench.home.database)
        let store =
            try exists
            ? DeviceStore.open(
                home: bench.home, key: key, access: .writer(lease), sources: sources)
            : DeviceStore.create(
                home: bench.home, key: key,
                device: DeviceIdentity(deviceID: CommandBench.deviceId, node: "device-1"),
                lease: lease, sources: sources)
        let result = try work(store)
        try store.close()
        return result
    }

    /// The database as another program with the key would open it.
    func withRawDatabase(_ work: (Connection) throws -> Void) throws {
        var pin = Array(CommandBench.pin.utf8)
        let key = try SealedVault.load(bench.home).unlock(
            SecretBytes(moving: &pin), now: bench.surroundings.bootNow)
        try key.withBytes { bytes in
            let connection = try Connection.open(bench.home.database, mode: .readWrite, key: bytes)
            try work(connection)
            try connection.close()
        }
    }

    /// A record as the office made it.
    func record(
        _ table: String, _ id: String, _ fields: [String: JSON], parent: String? = nil,
        version: Int64 = 1, isDeleted: Bool = false
    ) -> JSON {
        [
            "tableName": .string(table), "recordId": .string(id), "parentId": JSON(parent),
            "version": .integer(version), "isDeleted": .bool(isDeleted),
            "fields": .object(
                fields.mapValues {
                    [
                        "value": $0, "lamport": .integer(version), "node": "portal:office",
                        "version": .integer(version),
                    ]
                }),
            "updatedAtUtc": "2026-03-02T08:00:00.000Z",
        ]
    }

    func apply(_ records: [JSON], in store: DeviceStore) throws {
        let page: JSON = [
            "deltaRecords": .array(records), "nextCursor": "c1", "hasMore": false,
            "serverLamport": 10, "serverEpoch": 1, "serverTimeUtc": "2026-03-02T08:00:00.000Z",
        ]
        _ = try store.apply(page: PullResponse(json: page))
    }

    /// Seals what waits and settles its first mutation by this verdict.
    func settle(by verdict: [String: JSON]) throws {
        try withStore { store in
            let batch = try store.sealBatch(limit: 50, skipping: [])
            let request = try #require(batch)
            let answers = request.mutations.prefix(1).map { mutation -> JSON in
                .object(verdict.merging(["mutationId": mutation.id.json]) { $1 })
            }
            let response: JSON = [
                "results": .array(Array(answers)), "serverLamport": 20, "serverEpoch": 1,
                "serverTimeUtc": "2026-03-02T08:00:00.000Z",
            ]
            _ = try store.apply(PushResponse(json: response), to: request)
        }
    }

    /// Answers a question on the assigned inspection and lets the office have answered otherwise.
    ///
    /// - Parameter theirs: what the office has there; null where it has cleared the answer.
    func makeConflict(
        theirs: JSON = "WORN", beforeSending: () throws -> Void = {}
    ) throws {
        #expect(try run("set", Self.assigned.rawValue, "seals=GOOD").status == 0)
        try beforeSending()
        try settle(by: [
            "status": "conflict", "version": 2,
            "record": record(
                "inspection", Self.assigned.rawValue,
                [
                    "@form": "cold_chain", "@formVersion": "3", "@state": "inProgress",
                    "@asset": .string(Self.asset.rawValue), "seals": theirs,
                ], parent: Self.asset.rawValue, version: 2),
            "conflicts": [
                [
                    "column": "seals", "base": nil, "mine": "GOOD", "theirs": theirs,
                    "theirsNode": "portal:office", "rule": "ask",
                ]
            ],
        ])
    }

    /// The same answer meets an inspection that the office has deleted.
    func makeDeletionConflict() throws {
        #expect(try run("set", Self.assigned.rawValue, "seals=GOOD").status == 0)
        try settle(by: [
            "status": "conflict", "version": 2,
            "record": record(
                "inspection", Self.assigned.rawValue,
                ["@form": "cold_chain", "@formVersion": "3", "@deleted": 1],
                parent: Self.asset.rawValue, version: 2, isDeleted: true),
            "conflicts": [
                [
                    "column": "seals", "base": nil, "mine": "GOOD", "theirs": nil,
                    "theirsNode": "portal:office", "rule": "tombstone",
                ]
            ],
        ])
    }

    func run(_ words: String...) throws -> Outcome { try bench.run(words) }

    /// A command that must work, as its document.
    func document(_ words: String...) throws -> JSON {
        let outcome = try bench.run(words + ["--json"])
        #expect(outcome.status == 0, "\(words): \(outcome.messages)")
        return try #require(outcome.json)
    }
}

extension JSON {
    func elements(_ key: String) throws -> [JSON] { try required(key).asArray() }

    func strings(_ key: String) throws -> [String] {
        try elements(key).map { try $0.asString() }
    }
}
