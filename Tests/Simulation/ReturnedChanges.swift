import Coding
import LocalStore
import Replication
import SQLite

/// What came back to a restored server, as far as it touches one batch: what a device brings again of
/// its own after that is not judged twice, of two changes of one epoch the one with the higher version
/// is the later one, and whoever edits over a value that came back has seen it.
struct ReturnedChanges {
    private struct Change: Hashable {
        var record: RecordID
        var name: FieldName
        var stamp: Stamp
    }

    /// What the server keeps of one: which version it had, and on which it was made.
    private struct Past {
        var version: Int64
        var base: Int64
        var epoch: Int64
    }

    private let node: NodeID
    private var returned: [Change: Past] = [:]
    /// In which the device learnt its bases; 0 where that cannot be read.
    private let epoch: Int64
    private let hasExactBases: Bool
    /// Of the batch, those that stand, stood, or wait for a supervisor.
    private var traced: [Change: Stamp] = [:]
    private var undecided: Set<Change> = []

    init(_ request: PushRequest, _ reader: Connection) throws {
        node = request.clientNodeId
        hasExactBases = request.hasExactBases
        let position = request.pullPosition?.split(separator: ".").first
        epoch = position.flatMap { Int64($0, radix: 36) } ?? 0
        for id in Set(request.mutations.map(\.record)) {
            try reader.each(
                """
                SELECT name, lamport, node, version, base_version, epoch FROM copied
                WHERE record_id = ?
                """, [.text(id.rawValue)]
            ) { row in
                let stamp = Stamp(lamport: try row.integer(1), node: NodeID(try row.text(2)))
                let change = Change(record: id, name: try row.text(0), stamp: stamp)
                returned[change] = Past(
                    version: try row.integer(3), base: try row.integer(4),
                    epoch: try row.integer(5))
            }
        }
        for mutation in request.mutations {
            for (name, change) in mutation.changes {
                let own = own(change, name, of: mutation.record)
                for stamp in stamps(of: change, own) {
                    if try reader.hasTrace(of: change.value, stamp, name, mutation.record) {
                        traced[own] = traced[own] ?? stamp
                    }
                    // What waits under another name of it is decided about the mutation that is asked about.
                    if traced[own] == stamp, try reader.isUndecided(stamp, name, mutation.record) {
                        undecided.insert(own)
                    }
                }
            }
        }
    }

    /// Its own, and those under which others know it from before its device took another node.
    private func stamps(of change: FieldChange, _ own: Change) -> [Stamp] {
        guard change.formerVersion > 0, epoch > 0 else { return [own.stamp] }
        let others = returned.filter { other, past in
            other.record == own.record && other.name == own.name && other != own
                && past.epoch == epoch && past.version == change.formerVersion
        }
        return [own.stamp] + others.keys.map(\.stamp).sorted()
    }

    private func own(_ change: FieldChange, _ name: FieldName, of record: RecordID) -> Change {
        Change(
            record: record, name: name, stamp: Stamp(lamport: change.lamport, node: node))
    }

    /// Up to which version its author had seen the record, where that is certain.
    private func seen(_ change: FieldChange) -> Int64? {
        if change.formerVersion > 0 { return change.formerVersion - 1 }
        return hasExactBases || change.hasExactBase ? change.baseVersion : nil
    }

    /// The batch has brought this one.
    mutating func note(_ mutation: Mutation) {
        for (name, change) in mutation.changes {
            let own = own(change, name, of: mutation.record)
            let isNews = change.formerVersion > 0 && returned[own]?.version == 0
            guard returned[own] == nil || isNews else { continue }
            let base =
                name == Mutation.deletedField
                ? tellsBase(change) ? change.baseVersion : 0
                : change.formerVersion > 0 ? 0 : seen(change) ?? 0
            returned[own] = Past(
                version: change.formerVersion, base: returned[own]?.base ?? base, epoch: epoch)
        }
    }

    /// Whether something is here that had taken its place.
    private func isReplaced(
        _ change: FieldChange, _ name: FieldName, of record: RecordID
    ) -> Bool {
        guard change.formerVersion > 0, epoch > 0 else { return false }
        let own = own(change, name, of: record)
        return returned.contains { other, past in
            other.record == record && other.name == name && other.stamp != own.stamp
                && past.epoch == epoch
                && max(past.version, past.base + 1) > change.formerVersion
        }
    }

    /// Whether nothing of it is left to be judged.
    private func isSettled(_ change: FieldChange, _ name: FieldName, of record: RecordID) -> Bool {
        let own = own(change, name, of: record)
        let isKnown = returned[own] != nil || stamps(of: change, own).count > 1
        if traced[own] != nil, isKnown { return true }
        return isReplaced(change, name, of: record)
    }

    /// The mutation less what came before, and what came after what had taken its place.
    func rest(of mutation: Mutation) -> Mutation {
        var rest = mutation
        rest.changes = mutation.changes.filter { name, change in
            !isSettled(change, name, of: mutation.record)
        }
        let deletes = mutation.changes[Mutation.deletedField] != nil
        if deletes, rest.changes[Mutation.deletedField] == nil { rest.operation = .update }
        return rest
    }

    /// What goes to the history because it came after what had taken its place.
    func replaced(in mutation: Mutation) -> [HistoryEntry] {
        mutation.changes.compactMap { name, change in
            let own = own(change, name, of: mutation.record)
            guard traced[own] == nil, isReplaced(change, name, of: mutation.record) else {
                return nil
            }
            return HistoryEntry(field: name, value: change.value, stamp: own.stamp, rule: .seen)
        }
    }

    /// What the author is told of the whole, where the rest of it comes to `status`.
    func status(
        _ status: Verdict.Status, of mutation: Mutation, on current: RecordState
    ) -> Verdict.Status {
        var status = status
        for (name, change) in mutation.changes
        where isSettled(change, name, of: mutation.record) {
            let own = own(change, name, of: mutation.record)
            if undecided.contains(own) {
                if status != .conflict { status = .quarantined }
            } else if current.fields[name]?.stamp != traced[own] ?? own.stamp,
                status == .applied
            {
                status = .merged
            }
        }
        return status
    }

    /// The mutation, `believed` as far as its versions can be, with the bases that show what its author
    /// had seen.
    func known(_ believed: Mutation, as sent: Mutation, on current: RecordState) -> Mutation {
        var known = believed
        for (name, change) in believed.changes {
            guard let register = current.fields[name], let original = sent.changes[name],
                change.baseVersion < register.newestChange(notBy: node),
                let past = returned[
                    Change(record: current.id, name: name, stamp: register.stamp)],
                hasSeen(past, original, register)
            else { continue }
            known.changes[name]?.baseVersion = register.version
        }
        return known
    }

    /// What the merge is told of a mutation, of which `rest` is left.
    func past(of rest: Mutation, as sent: Mutation, on current: RecordState?) -> ReturnedPast {
        var past = ReturnedPast()
        guard epoch > 0 else { return past }
        past.wasInForce = rest.deletion.map { $0.formerVersion > 0 } ?? false
        past.seen = seen(byDeletion: rest, on: current)
        guard let current, let deletion = self.deletion(of: current) else { return past }
        let changes = rest.changes.filter { $0.key != Mutation.deletedField }
        let latest = max(deletion.past.version - 1, deletion.past.base)
        let isOld = sent.changes.values.contains {
            $0.formerVersion > 0 && $0.formerVersion <= latest
        }
        for (name, change) in changes where isOld && change.formerVersion <= latest {
            past.buried.insert(name)
            let hadSeen = change.formerVersion <= deletion.past.base
            if hadSeen || deletion.stamp.node == node { past.seen.insert(name) }
        }
        return past
    }

    /// Where the record is a tombstone, what made it one, if that came back.
    private func deletion(of record: RecordState) -> (past: Past, stamp: Stamp)? {
        guard record.isDeleted, let stamp = record.fields[Mutation.deletedField]?.stamp else {
            return nil
        }
        let change = Change(record: record.id, name: Mutation.deletedField, stamp: stamp)
        guard let past = returned[change], past.epoch == epoch else { return nil }
        return (past, stamp)
    }

    /// Whether the base is of the epoch of the batch's cursor.
    private func tellsBase(_ change: FieldChange) -> Bool {
        hasExactBases || change.hasExactBase || change.baseVersion < change.formerVersion
    }

    /// Fields of which a deletion had seen what stands.
    private func seen(byDeletion mutation: Mutation, on current: RecordState?) -> Set<FieldName> {
        guard let deletion = mutation.deletion, tellsBase(deletion) else { return [] }
        let seen = (current?.fields ?? [:]).filter { name, register in
            let past = returned[
                Change(record: mutation.record, name: name, stamp: register.stamp)]
            guard let past, past.epoch == epoch, past.version > 0 else { return false }
            return past.version <= deletion.baseVersion
        }
        return Set(seen.keys)
    }

    private func hasSeen(
        _ past: Past, _ change: FieldChange, _ register: FieldRegister
    ) -> Bool {
        let isComparable = past.epoch > 0 && past.epoch == epoch
        if isComparable, past.version > 0, let seen = seen(change) { return past.version <= seen }
        guard !register.value.isNull, change.baseValue == register.value,
            change.lamport > register.stamp.lamport
        else { return false }
        guard isComparable else { return true }
        let base = change.formerVersion > 0 ? change.formerVersion - 1 : change.baseVersion
        return past.version > 0 ? past.version <= base : past.base < base
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
