import Coding
import LocalStore
import Replication
import SQLite

/// What came back to a restored server as copies, as far as it touches one batch: what a device brings
/// again of its own after that is not judged twice, and whoever edits over a copied value has seen it.
struct CopiedChanges {
    private struct Change: Hashable {
        var record: RecordID
        var name: FieldName
        var stamp: Stamp
    }

    private let node: NodeID
    /// With the version that each had, and the epoch in which it had it.
    private var copied: [Change: (version: Int64, epoch: Int64)] = [:]
    /// In which the device learnt its bases.
    private let epoch: Int64?
    /// Of the batch, those that stand, stood, or wait for a supervisor.
    private var traced: Set<Change> = []
    private var undecided: Set<Change> = []

    init(_ request: PushRequest, _ reader: Connection) throws {
        node = request.clientNodeId
        epoch = request.pullPosition?.split(separator: ".").first.flatMap { Int64($0, radix: 36) }
        for id in Set(request.mutations.map(\.record)) {
            try reader.each(
                "SELECT name, lamport, node, version, epoch FROM copied WHERE record_id = ?",
                [.text(id.rawValue)]
            ) { row in
                let stamp = Stamp(lamport: try row.integer(1), node: NodeID(try row.text(2)))
                let change = Change(record: id, name: try row.text(0), stamp: stamp)
                copied[change] = (try row.integer(3), try row.integer(4))
            }
        }
        guard !copied.isEmpty else { return }
        for mutation in request.mutations {
            for (name, change) in mutation.changes {
                let own = own(change, name, of: mutation.record)
                if try reader.hasTrace(of: change.value, own.stamp, name, mutation.record) {
                    traced.insert(own)
                }
                if try reader.isUndecided(own.stamp, name, mutation.record) {
                    undecided.insert(own)
                }
            }
        }
    }

    private func own(_ change: FieldChange, _ name: FieldName, of record: RecordID) -> Change {
        Change(
            record: record, name: name, stamp: Stamp(lamport: change.lamport, node: node))
    }

    /// The mutation less what came before.
    func rest(of mutation: Mutation) -> Mutation {
        var rest = mutation
        rest.changes = mutation.changes.filter { name, change in
            let own = own(change, name, of: mutation.record)
            return copied[own] == nil || !traced.contains(own)
        }
        return rest
    }

    /// What the author is told of the whole, where the rest of it comes to `status`.
    func status(
        _ status: Verdict.Status, of mutation: Mutation, on current: RecordState
    ) -> Verdict.Status {
        var status = status
        for (name, change) in mutation.changes {
            let own = own(change, name, of: mutation.record)
            guard copied[own] != nil, traced.contains(own) else { continue }
            if undecided.contains(own) {
                if status != .conflict { status = .quarantined }
            } else if current.fields[name]?.stamp != own.stamp, status == .applied {
                status = .merged
            }
        }
        return status
    }

    /// The mutation, `believed` as far as its versions can be, with the bases that its values show.
    func known(_ believed: Mutation, as sent: Mutation, on current: RecordState) -> Mutation {
        var known = believed
        for (name, change) in believed.changes {
            guard let register = current.fields[name],
                change.baseVersion < register.newestChange(notBy: node),
                !register.value.isNull, change.baseValue == register.value,
                change.lamport > register.stamp.lamport,
                let copy = copied[
                    Change(record: current.id, name: name, stamp: register.stamp)]
            else { continue }
            let isOfEpoch = copy.epoch > 0 && copy.epoch == epoch
            let base = sent.changes[name]?.baseVersion ?? 0
            guard !isOfEpoch || copy.version <= base else { continue }
            known.changes[name]?.baseVersion = register.version
        }
        return known
    }
}

extension Connection {
    fileprivate func hasTrace(
        of value: FieldValue, _ stamp: Stamp, _ name: FieldName, _ record: RecordID
    ) throws -> Bool {
        try first(
            """
            SELECT 1 WHERE EXISTS (
                    SELECT 1 FROM field WHERE record_id = ?1 AND name = ?2
                        AND lamport = ?3 AND node = ?4 AND value IS ?5)
                OR EXISTS (
                    SELECT 1 FROM history WHERE record_id = ?1 AND name = ?2
                        AND lamport = ?3 AND node = ?4 AND value IS ?5)
                OR EXISTS (
                    SELECT 1 FROM review WHERE record_id = ?1 AND name = ?2
                        AND mine_lamport = ?3 AND mine_node = ?4 AND mine IS ?5)
            """,
            [
                .text(record.rawValue), .text(name), .integer(stamp.lamport),
                .text(stamp.node.rawValue), DatabaseValue(value),
            ]
        ) { _ in true } ?? false
    }

    fileprivate func isUndecided(
        _ stamp: Stamp, _ name: FieldName, _ record: RecordID
    ) throws -> Bool {
        try first(
            """
            SELECT 1 FROM review WHERE record_id = ? AND name = ? AND mine_lamport = ?
                AND mine_node = ? AND kind = 'field' AND decision IS NULL
            """,
            [
                .text(record.rawValue), .text(name), .integer(stamp.lamport),
                .text(stamp.node.rawValue),
            ]
        ) { _ in true } ?? false
    }
}
