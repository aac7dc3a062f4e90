import Coding
import Replication

@testable import LocalStore

/// Backups, epochs and pruning of the server in the stories.
extension StoryServer {
    /// 410: the device pulls from the beginning.
    struct CursorExpired: Error {}

    /// Cursors of the first epoch are bare positions.
    func cursor(_ position: Int) -> String {
        epoch == 1 ? String(position) : "\(epoch):\(position)"
    }

    /// The position in the feed; nil where the cursor is of another epoch or no longer kept.
    func since(_ cursor: String?) -> Int? {
        guard let cursor else { return 0 }
        guard let place = Self.place(cursor), place.epoch == epoch,
            place.position >= contents.prunedBelow
        else { return nil }
        return place.position
    }

    private static func place(_ cursor: String) -> (epoch: Int64, position: Int)? {
        let parts = cursor.split(separator: ":").compactMap { Int64($0) }
        guard let last = parts.last else { return nil }
        return (parts.count == 2 ? parts[0] : 1, Int(last))
    }

    /// A base from an older epoch counts as at most what the record was when a later one began. On
    /// an id that was pruned every change has a base: a person has to look at it.
    func inThisEpoch(_ mutation: Mutation, _ pullPosition: String?) -> Mutation {
        if contents.pruned.contains(mutation.record) {
            return withBases(of: mutation) { max($0, 1) }
        }
        // What was learnt under a cursor that is none was never seen.
        let learnt = pullPosition.map { Self.place($0)?.epoch ?? 0 } ?? epoch
        guard learnt > 0 else { return withBases(of: mutation) { _ in 0 } }
        var mutation = mutation
        for (began, versions) in ceilings where began > learnt {
            let ceiling = versions[mutation.record] ?? 0
            mutation = withBases(of: mutation) { min($0, ceiling) }
        }
        return mutation
    }

    private func withBases(of mutation: Mutation, _ base: (Int64) -> Int64) -> Mutation {
        var mutation = mutation
        mutation.changes = mutation.changes.mapValues { change in
            var change = change
            change.baseVersion = base(change.baseVersion)
            return change
        }
        return mutation
    }

    func restore(_ backup: Contents) {
        contents = backup
        epoch += 1
        ceilings[epoch] = backup.records.mapValues(\.version)
    }

    /// Takes copies as the store of the server does, without scope and forms.
    func takeCopies(_ request: CopyRequest) throws -> CopyResponse {
        let request = try CopyRequest(json: .parse(request.json.serialized()))
        let results = request.records.map { take($0, request.pullPosition) }
        let response = CopyResponse(results: results, server: state)
        return try CopyResponse(json: .parse(response.json.serialized()))
    }

    /// Less what is refused: whole tables, or fields by name.
    private func take(_ copy: WireRecord, _ pullPosition: String) -> CopyVerdict {
        var verdict = CopyVerdict(recordId: copy.id, status: .taken)
        if let parent = copy.parent, records[parent] == nil {
            verdict.status = .held
            return verdict
        }
        verdict.columns = copy.fields.keys.filter { refusedCopies[$0] != nil }.sorted()
        verdict.error =
            refused[copy.table] ?? verdict.columns.first.flatMap { refusedCopies[$0] }
        if verdict.error != nil { verdict.status = .refused }
        guard refused[copy.table] == nil else {
            verdict.columns = []
            return verdict
        }
        for (name, field) in copy.fields.filter({ refusedCopies[$0.key] == nil }).sorted(by: {
            $0.value.stamp < $1.value.stamp
        }) {
            let mutation = Mutation(
                id: MutationID("copy-\(copy.id)-\(name)-\(field.stamp.lamport)"), sequence: 0,
                table: copy.table, record: copy.id, parent: copy.parent,
                operation: records[copy.id] == nil ? .insert : .update,
                lamport: field.stamp.lamport,
                changes: [
                    name: FieldChange(
                        value: field.value, baseVersion: max(field.version - 1, 0),
                        lamport: field.stamp.lamport)
                ], createdAtUtc: "")
            _ = merge(inThisEpoch(mutation, pullPosition), by: field.stamp.node)
        }
        return verdict
    }

    /// Forgets tombstones, and the cursors that might still need them.
    func prune() {
        for record in records.values where record.isDeleted {
            contents.records[record.id] = nil
            contents.feed[record.id] = nil
            contents.pruned.insert(record.id)
        }
        contents.prunedBelow = contents.position
    }
}
