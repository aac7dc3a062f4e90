import Coding
import LocalStore
import Replication
import SQLite

/// What a person is asked in a conflict: one's own value against what others have.
struct AskedQuestion: Hashable {
    var record: RecordID
    var column: FieldName
    var mine: FieldValue
}

/// What the inspector of a device has decided. None of it is asked again before something new has come in:
/// whoever is asked twice begins to click away what he is asked.
struct Questions {
    /// The version of the other side, as it was shown.
    private var settled: [AskedQuestion: Int64] = [:]

    var isEmpty: Bool { settled.isEmpty }

    mutating func settle(_ shown: [AskedQuestion: Int64]) {
        settled.merge(shown) { max($0, $1) }
    }

    /// Where the device's past is not its own any more, or is gone, nothing is known of what was asked.
    mutating func forget() { settled = [:] }

    /// Who enters an old value of a record anew, over what was decided, is asked about it anew.
    mutating func forget(_ record: RecordID) {
        settled = settled.filter { $0.key.record != record }
    }

    func check(_ asked: [AskedQuestion: Int64], node: NodeID) throws {
        for (question, version) in asked {
            guard let shown = settled[question], version <= shown else { continue }
            throw Violation(
                "a settled question is asked again",
                "\(node): \(question.column) of \(question.record) at version \(version)")
        }
    }
}

extension DeviceStore {
    /// Of values that only one edit enters, and of records: the same answer may be given twice to others.
    func questions(of record: RecordID? = nil) throws -> [AskedQuestion: Int64] {
        var questions: [AskedQuestion: Int64] = [:]
        for conflict in try conflicts(of: record) {
            let isOfRecord = conflict.column == Mutation.deletedField
            guard isOfRecord || !conflict.mine.isNull && FieldPool.isUnique(conflict.column) else {
                continue
            }
            // Of what is out of reach nobody is told the other side, so its version here is an old one.
            guard try read({ try !$0.isOutOfReach(conflict.recordId) }) else { continue }
            let isTombstone = conflict.rule == MergeRule.tombstone.rawValue
            let version = try read { database in
                try database.first(
                    isTombstone
                        ? "SELECT version FROM record WHERE id = ?1"
                        : "SELECT version FROM __sync_shadow WHERE record_id = ?1 AND name = ?2",
                    isTombstone
                        ? [.text(conflict.recordId.rawValue)]
                        : [.text(conflict.recordId.rawValue), .text(conflict.column)]
                ) { try $0.integer(0) }
            }
            let question = AskedQuestion(
                record: conflict.recordId, column: conflict.column, mine: conflict.mine)
            questions[question] = version ?? 0
        }
        return questions
    }
}

extension Connection {
    fileprivate func isOutOfReach(_ record: RecordID) throws -> Bool {
        try first("SELECT 1 FROM __sync_left WHERE record_id = ?", [.text(record.rawValue)]) { _ in
            true
        } ?? false
    }
}
