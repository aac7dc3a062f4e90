import Coding
import Replication
import Testing

struct BatchHoldsTests {
    private let conflict = FieldConflict(
        column: "a", base: .null, mine: .integer(1), theirs: .integer(2), theirsNode: "B",
        rule: "ask")

    @Test("after a conflict, later mutations of the batch that name the same field are held")
    func sameField() {
        var holds = BatchHolds()
        let first = edit(.update, ["a": 1, "b": 1], lamport: 1)
        holds.note(first, .conflict, conflicts: [conflict])
        #expect(holds.holder(of: edit(.update, ["a": 2, "c": 1], lamport: 2)) == first.id)
        #expect(holds.holder(of: edit(.update, ["b": 2], lamport: 2)) == nil)
    }

    @Test("after a refused INSERT, the record's updates and its children are held")
    func refusedInsert() {
        var holds = BatchHolds()
        let insert = edit(.insert, ["a": 1], lamport: 1)
        holds.note(insert, .rejected, conflicts: [])
        #expect(holds.holder(of: edit(.update, ["z": 2], lamport: 2)) == insert.id)
        var child = edit(.insert, ["a": 1], lamport: 3, parent: "r")
        child.record = "child"
        #expect(holds.holder(of: child) == insert.id)
    }

    @Test("what was applied holds nothing back")
    func applied() {
        var holds = BatchHolds()
        holds.note(edit(.update, ["a": 1], lamport: 1), .merged, conflicts: [])
        #expect(holds.holder(of: edit(.update, ["a": 2], lamport: 2)) == nil)
    }

    @Test("held and rejected are judged afresh; what was in force is called a duplicate")
    func repeats() {
        #expect(
            Verdict.Status.allCases.filter(\.isStored) == [
                .applied, .merged, .conflict, .quarantined,
            ])
    }
}
