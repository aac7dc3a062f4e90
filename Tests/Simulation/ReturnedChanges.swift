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
                    if try reader.isUndecided(stamp, name, mutation.record) {
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
        for (name, change) in mutation.changes where name != Mutation.deletedField {
            let own = own(change, name, of: mutation.record)
            let isNews = change.formerVersion > 0 && returned[own]?.version == 0
            guard returned[own] == nil || isNews else { continue }
            let base = change.formerVersion > 0 ? 0 : seen(change) ?? 0
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

    /// Fields of which a deletion had seen what stands.
    func seen(byDeletion mutation: Mutation, on current: RecordState?) -> Set<FieldName> {
        guard let deletion = mutation.deletion, epoch > 0,
            hasExactBases || deletion.hasExactBase
                || deletion.baseVersion < deletion.formerVersion
        else { return [] }
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
