import Coding
import Inspections
import Replication
import ServerStore

/// A device as the store sees one: it makes mutations on what it has pulled, and nothing else.
final class Handheld {
    private(set) var device: Device
    private let yard: Yard
    private(set) var clock = LamportClock()
    private var sequence: Int64 = 0
    private var made = 0
    var cursor: String?
    var baton: String?
    /// Of its program; an upgrade raises it.
    var schemaVersion = RecordTable.schemaVersion
    /// An older program does not say so.
    var hasExactBases = true
    private(set) var confirmed: [RecordID: WireRecord] = [:]
    private(set) var results: [Verdict] = []
    private(set) var lastPage: PullResponse?

    /// - Parameter sequence: of the last mutation that it made in an earlier life.
    init(_ device: Device, of yard: Yard, startingAt sequence: Int64 = 0) {
        self.device = device
        self.yard = yard
        self.sequence = sequence
        made = Int(sequence)
        clock = LamportClock(counter: sequence)
    }

    var node: NodeID { device.node }

    // MARK: Copies

    /// Another handheld with all that this one has: a cloned disk, or a backup of today.
    func copy() -> Handheld {
        let copy = Handheld(device, of: yard, startingAt: sequence)
        copy.clock = clock
        copy.made = made
        copy.cursor = cursor
        copy.baton = baton
        copy.confirmed = confirmed
        copy.schemaVersion = schemaVersion
        return copy
    }

    /// One that names a node as its own.
    func copy(speakingAs node: NodeID) -> Handheld {
        let copy = copy()
        copy.takeNewNode(node)
        return copy
    }

    /// What a device does that is answered `forked`.
    func takeNewNode(_ node: NodeID) {
        device = device.speaking(as: node)
        baton = nil
    }

    // MARK: Mutations

    /// A change of fields that rests on what was pulled last.
    func change(
        _ record: RecordID, _ values: [FieldName: FieldValue],
        _ operation: Mutation.Operation = .update, id: MutationID? = nil
    ) -> Mutation {
        let known = confirmed[record]
        return mutation(
            record, table: known?.table ?? RecordTable.inspection, parent: known?.parent,
            operation, values, id: id)
    }

    /// A new inspection, under an asset or without one.
    func begin(_ record: RecordID, asset: RecordID?, _ values: [FieldName: FieldValue] = [:])
        -> Mutation
    {
        let start: [FieldName: FieldValue] = [
            BuiltInField.form: .string("cold"), BuiltInField.formVersion: .string("1"),
            BuiltInField.state: .string("inProgress"),
        ]
        return mutation(
            record, table: RecordTable.inspection, parent: asset, .insert,
            start.merging(values) { $1 })
    }

    /// A new row of a repeat of form `cold`, under its inspection or the row that it stands in.
    /// - Parameter values: by the question's bare name.
    func row(
        _ record: RecordID, of repetition: String = "part", under parent: RecordID,
        order: Int64? = nil, _ values: [String: FieldValue] = [:]
    ) -> Mutation {
        var fields: [FieldName: FieldValue] = [
            BuiltInField.repetition: .string(repetition), BuiltInField.form: .string("cold"),
            BuiltInField.formVersion: .string("1"),
        ]
        if let order { fields[BuiltInField.order] = .integer(order) }
        for (name, value) in values { fields[repetition + "/" + name] = value }
        return mutation(
            record, table: RecordTable.repetition, parent: parent, .insert, fields)
    }

    func mutation(
        _ record: RecordID, table: String, parent: RecordID?, _ operation: Mutation.Operation,
        _ values: [FieldName: FieldValue], id: MutationID? = nil
    ) -> Mutation {
        sequence += 1
        made += 1
        let known = confirmed[record]
        var changes: [FieldName: FieldChange] = [:]
        for (name, value) in values {
            let base = known?.fields[name]
            changes[name] = FieldChange(
                value: value, baseValue: base?.value ?? .null,
                baseVersion: base?.version ?? known?.version ?? 0, lamport: clock.tick())
        }
        return Mutation(
            id: id ?? MutationID("\(node)-\(made)"), sequence: sequence, table: table,
            record: record, parent: parent, operation: operation, lamport: clock.tick(),
            changes: changes, createdAtUtc: "2026-03-02T08:00:00.000Z",
            schemaVersion: schemaVersion)
    }

    func delete(_ record: RecordID) -> Mutation {
        change(record, [Mutation.deletedField: .integer(1)], .delete)
    }

    // MARK: Talking to the store

    func request(_ mutations: [Mutation]) -> PushRequest {
        var request = PushRequest(
            clientNodeId: node, clientEpoch: 1, baton: baton, schemaVersion: schemaVersion,
            pullPosition: cursor, mutations: mutations)
        request.hasExactBases = hasExactBases
        return request
    }

    /// What was acknowledged, as it is offered again to a restored server: with the versions of what of
    /// it had been confirmed here.
    func again(_ mutation: Mutation) -> Mutation {
        var mutation = mutation
        for (name, change) in mutation.changes {
            guard let field = confirmed[mutation.record]?.fields[name],
                field.stamp == Stamp(lamport: change.lamport, node: node)
            else { continue }
            mutation.changes[name]?.formerVersion = field.version
        }
        return mutation
    }

    @discardableResult
    func push(_ mutations: Mutation...) throws -> [Verdict] {
        try push(mutations)
    }

    @discardableResult
    func push(_ mutations: [Mutation]) throws -> [Verdict] {
        let request = request(mutations)
        let response = try yard.store.push(
            request, from: device, idempotencyKey: request.idempotencyKey)
        baton = response.baton
        clock.adopt(serverLamport: response.server.lamport)
        for verdict in response.results { take(verdict.record) }
        return response.results
    }

    /// Pulls until there is no more.
    func pull(limit: Int64 = 500) throws {
        repeat {
            try pullPage(limit: limit)
        } while lastPage?.hasMore == true
    }

    /// As a device does whose mutations keep the cursor under which they were made.
    func pullKeepingCursor() throws {
        let before = cursor
        cursor = nil
        try pull()
        cursor = before
    }

    func pullPage(limit: Int64 = 500) throws {
        let page = try yard.store.pull(
            PullRequest(cursor: cursor, limit: limit), by: device)
        for record in page.deltaRecords { take(record) }
        for id in page.removed { confirmed[id] = nil }
        results += page.results
        cursor = page.nextCursor
        clock.adopt(serverLamport: page.server.lamport)
        lastPage = page
    }

    private func take(_ record: WireRecord?) {
        guard let record, record.version > confirmed[record.id]?.version ?? 0 else { return }
        confirmed[record.id] = record
    }

    func value(_ record: RecordID, _ field: FieldName) -> FieldValue {
        confirmed[record]?.fields[field]?.value ?? .null
    }

    /// The digests of what is confirmed here, summed as a device sums them.
    var digests: [String: SiteDigest] {
        var sums: [String: SiteDigest] = [:]
        for record in confirmed.values {
            let site = self.site(of: record)
            guard !record.isDeleted else { continue }
            sums[site, default: SiteDigest()].add(
                RecordDigest(
                    id: record.id, version: record.version,
                    fields: record.fields.mapValues(\.value)))
        }
        return sums.filter { $0.value != SiteDigest() }
    }

    private func site(of record: WireRecord) -> String {
        var top = record
        while let parent = top.parent, let next = confirmed[parent] { top = next }
        return top.table == RecordTable.site ? top.id.rawValue : ""
    }
}
