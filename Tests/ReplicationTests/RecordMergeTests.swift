import Coding
import Replication
import TestSupport
import Testing

/// A server of one record, without a store: what it keeps, and everything that ever lost.
struct RecordServer {
    var record: RecordState?
    var history: [HistoryEntry] = []
    var policy: MergePolicy = .ask

    mutating func take(_ mutation: Mutation, by node: NodeID, parentIsKnown: Bool = true)
        -> RecordOutcome
    {
        let policy = policy
        let outcome = mergeRecord(
            current: record, mutation: mutation, node: node, parentIsKnown: parentIsKnown
        ) { _ in policy }
        record = outcome.record ?? record
        history += outcome.history
        return outcome
    }

    func value(_ field: FieldName) -> FieldValue { record?.fields[field]?.value ?? .null }
}

func edit(
    _ operation: Mutation.Operation = .update, _ values: [FieldName: Int64] = [:],
    base: Int64 = 0, lamport: Int64, parent: RecordID? = nil
) -> Mutation {
    Mutation(
        id: MutationID("m\(operation.rawValue)-\(lamport)-\(values.count)"), sequence: lamport,
        table: "inspection", record: "r", parent: parent, operation: operation, lamport: lamport,
        changes: values.mapValues {
            FieldChange(value: .integer($0), baseVersion: base, lamport: lamport)
        },
        createdAtUtc: "2026-03-02T08:00:00.000Z")
}

func deletion(base: Int64, lamport: Int64) -> Mutation {
    edit(.delete, [Mutation.deletedField: 1], base: base, lamport: lamport)
}

struct RecordMergeTests {
    @Test("different fields of one record merge by themselves")
    func differentFields() {
        var server = RecordServer()
        #expect(
            server.take(edit(.insert, ["a": 1, "b": 1], lamport: 1), by: "A").status == .applied)
        #expect(
            server.take(edit(.update, ["a": 2], base: 1, lamport: 2), by: "A").status == .applied)
        #expect(
            server.take(edit(.update, ["b": 3], base: 1, lamport: 2), by: "B").status == .applied)
        #expect(server.value("a") == .integer(2))
        #expect(server.value("b") == .integer(3))
        #expect(server.record?.version == 3)
    }

    @Test("the other fields of a mutation are applied whatever happens to the one in conflict")
    func partialConflict() {
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1, "b": 1], lamport: 1), by: "A")
        _ = server.take(edit(.update, ["a": 2], base: 1, lamport: 2), by: "B")
        let outcome = server.take(edit(.update, ["a": 3, "b": 3], base: 1, lamport: 2), by: "A")
        #expect(outcome.status == .conflict)
        #expect(outcome.conflicts.map(\.column) == ["a"])
        #expect(server.value("a") == .integer(2))
        #expect(server.value("b") == .integer(3))
    }

    @Test("quarantine opens a review item, ask does not")
    func quarantine() {
        for (policy, status, reviews) in [
            (MergePolicy.quarantine, Verdict.Status.quarantined, 1), (.ask, .conflict, 0),
        ] {
            var server = RecordServer(policy: policy)
            _ = server.take(edit(.insert, ["a": 1], lamport: 1), by: "A")
            let outcome = server.take(edit(.update, ["a": 2], lamport: 2), by: "B")
            #expect(outcome.status == status)
            #expect(outcome.reviews.count == reviews)
            #expect(!outcome.isChanged)
        }
    }

    @Test("T56 two devices that make the same record leave one, and nothing to settle")
    func sameInsert() {
        var server = RecordServer()
        #expect(server.take(edit(.insert, ["a": 1], lamport: 1), by: "A").isChanged)
        let second = server.take(edit(.insert, ["a": 1], lamport: 1), by: "B")
        #expect(second.status == .applied)
        #expect(!second.isChanged)
        #expect(server.record?.version == 1)
    }

    @Test("T59 create and two updates end the same in all six orders, nothing is lost")
    func creationOrders() {
        let create = edit(.insert, ["a": 1, "b": 1], lamport: 1)
        let first = edit(.update, ["a": 2], lamport: 2)
        let second = edit(.update, ["a": 3], lamport: 3)
        for order in permutations([create, first, second]) {
            var server = RecordServer()
            var waiting = order
            // What is held is sent again, in the order of the queue, until all is taken.
            for _ in 0..<3 {
                waiting = waiting.filter { server.take($0, by: "A").status == .held }
            }
            #expect(waiting.isEmpty)
            #expect(server.value("a") == .integer(3))
            #expect(server.value("b") == .integer(1))
        }
    }

    @Test("a child of a parent that the server does not have is held")
    func unknownParent() {
        var server = RecordServer()
        let child = edit(.insert, ["a": 1], lamport: 1, parent: "p")
        #expect(server.take(child, by: "A", parentIsKnown: false).status == .held)
        #expect(server.record == nil)
        #expect(server.take(child, by: "A").status == .applied)
    }

    @Test("an edit of a record that was pruned goes to review, its values to history")
    func unknownRecord() {
        var server = RecordServer()
        let outcome = server.take(edit(.update, ["a": 1], base: 4, lamport: 9), by: "A")
        #expect(outcome.status == .quarantined)
        #expect(outcome.reviews.map(\.kind) == [.unknownRecord])
        #expect(outcome.history.map(\.value) == [.integer(1)])
    }

    @Test("what was pruned never comes back by itself, and stays deleted")
    func pruned() {
        func take(_ mutation: Mutation) -> RecordOutcome {
            mergeRecord(
                current: nil, mutation: mutation, node: "A", parentIsKnown: true, isPruned: true
            ) { _ in .ask }
        }
        for operation in [Mutation.Operation.insert, .update] {
            let outcome = take(edit(operation, ["a": 1], lamport: 1))
            #expect(outcome.status == .quarantined && outcome.record == nil)
            #expect(outcome.reviews.map(\.kind) == [.unknownRecord])
            #expect(outcome.history.map(\.value) == [.integer(1)])
        }
        let again = take(deletion(base: 3, lamport: 2))
        #expect(again.status == .applied && again.reviews.isEmpty && again.record == nil)
    }

    @Test("a record changes neither its parent nor its table")
    func immutable() {
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1], lamport: 1, parent: "p"), by: "A")
        let moved = server.take(edit(.insert, ["a": 2], lamport: 2, parent: "q"), by: "A")
        #expect(moved.status == .rejected && moved.error == .parentChanged)
        var other = edit(.update, ["a": 2], lamport: 2)
        other.table = "asset"
        #expect(server.take(other, by: "A").error == .tableChanged)
        #expect(server.value("a") == .integer(1))
    }
}

struct DeletionTests {
    @Test("T64 a delete that had not seen another's change is applied and looked at")
    func deleteAfterEdit() {
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1], lamport: 1), by: "A")
        _ = server.take(edit(.update, ["a": 2], base: 1, lamport: 2), by: "B")
        let outcome = server.take(deletion(base: 1, lamport: 2), by: "A")
        #expect(outcome.record?.isDeleted == true)
        #expect(outcome.reviews.map(\.kind) == [.deletion])
        #expect(outcome.reviews.first?.conflict.theirsNode == "B")
    }

    @Test("T64 an edit that meets a tombstone is kept and offered back")
    func editAfterDelete() {
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1, "b": 7], lamport: 1), by: "A")
        #expect(server.take(deletion(base: 1, lamport: 2), by: "A").reviews.isEmpty)
        let outcome = server.take(edit(.update, ["a": 2, "b": 7], base: 1, lamport: 2), by: "B")
        #expect(outcome.status == .conflict)
        #expect(outcome.conflicts.map(\.rule) == ["tombstone"])
        #expect(outcome.history.map(\.value) == [.integer(2)])
        #expect(server.record?.isDeleted == true)
        // Restored: the device has seen the tombstone, says so, and its value is in force.
        var revival = edit(.update, ["a": 2, Mutation.deletedField: 0], base: 2, lamport: 5)
        revival.changes["a"]?.baseVersion = 2
        #expect(server.take(revival, by: "B").status == .applied)
        #expect(server.record?.isDeleted == false)
        #expect(server.value("a") == .integer(2))
        #expect(server.value("b") == .integer(7))
    }

    @Test("a device's own edit that arrives behind its delete is history, no conflict")
    func ownLateEdit() {
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1], lamport: 1), by: "A")
        _ = server.take(deletion(base: 1, lamport: 3), by: "A")
        let outcome = server.take(edit(.update, ["a": 2], base: 1, lamport: 2), by: "A")
        #expect(outcome.status == .merged)
        #expect(outcome.history.map(\.rule) == [.late])
    }

    @Test("T65 create, delete, create, delete: versions rise, the last word stands")
    func repeated() {
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1], lamport: 1), by: "A")
        _ = server.take(deletion(base: 1, lamport: 2), by: "A")
        let again = edit(.insert, ["a": 5, Mutation.deletedField: 0], base: 2, lamport: 3)
        #expect(server.take(again, by: "A").status == .applied)
        #expect(server.record?.isDeleted == false)
        #expect(server.value("a") == .integer(5))
        _ = server.take(deletion(base: 3, lamport: 4), by: "A")
        #expect(server.record?.isDeleted == true)
        #expect(server.record?.version == 4)
    }

    @Test("T68 a tombstone is never taken for the content that it ends, nor sent as the same")
    func tombstoneIsNoContent() {
        var server = RecordServer()
        let insert = edit(.insert, ["a": 1], lamport: 1)
        _ = server.take(insert, by: "A")
        let before = server.record
        #expect(server.take(deletion(base: 1, lamport: 2), by: "B").isChanged)
        #expect(server.record?.version == 2 && before?.version == 1)
        #expect(server.record?.digest != before?.digest)
        let contents = [
            insert, edit(.update, ["a": 1], lamport: 1), edit(.delete, ["a": 1], lamport: 1),
            edit(.delete, [Mutation.deletedField: 1], lamport: 1),
            edit(.update, [Mutation.deletedField: 0], lamport: 1),
        ]
        #expect(Set(contents.map(\.contentHash)).count == contents.count)
    }

    @Test("T67 two devices delete the same record: one tombstone, one version")
    func twice() {
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1], lamport: 1), by: "A")
        _ = server.take(deletion(base: 1, lamport: 2), by: "A")
        let second = server.take(deletion(base: 1, lamport: 2), by: "B")
        #expect(second.status == .applied && !second.isChanged)
        #expect(server.record?.version == 2)
    }
}
