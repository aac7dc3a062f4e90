import Coding
import Replication
import Testing

/// What who deletes or restores could know, and what becomes of the rest.
struct UnseenChangeTests {
    /// A record that A made and B changed since; A's deletions are based on what it made.
    private func changed(policy: MergePolicy = .ask) -> RecordServer {
        var server = RecordServer(policy: policy)
        _ = server.take(edit(.insert, ["a": 1], lamport: 1), by: "A")
        _ = server.take(edit(.update, ["a": 2], base: 1, lamport: 2), by: "B")
        return server
    }

    @Test("T64 a deletion without a base of its own is taken to have seen nothing")
    func withoutBase() {
        var server = changed()
        let outcome = server.take(edit(.delete, lamport: 3), by: "A")
        #expect(outcome.status == .merged && outcome.record?.isDeleted == true)
        #expect(outcome.reviews.map(\.kind) == [.deletion])
    }

    @Test("T64 who has settled the conflict in the same mutation knew what he deletes")
    func settledConflict() {
        var server = changed()
        #expect(
            server.take(edit(.update, ["a": 3], base: 1, lamport: 3), by: "A").status == .conflict)
        var decided = deletion(base: 1, lamport: 4)
        decided.changes["a"] = FieldChange(value: .integer(3), baseVersion: 2, lamport: 5)
        let outcome = server.take(decided, by: "A")
        #expect(outcome.status == .applied && outcome.reviews == [])
        #expect(outcome.record?.isDeleted == true)
    }

    @Test("T64 a deletion opens nothing against a value that the deleter himself put in")
    func ownValue() {
        var server = changed(policy: .lww)
        let won = server.take(edit(.update, ["a": 3], base: 1, lamport: 3), by: "A")
        #expect(won.status == .merged && won.history.map(\.value) == [.integer(2)])
        let outcome = server.take(deletion(base: 1, lamport: 4), by: "A")
        #expect(outcome.status == .applied && outcome.reviews == [])
    }

    @Test("T64 a united value holds what others put in, whoever united it")
    func unitedValue() throws {
        var server = RecordServer(policy: .union)
        func words(_ text: String, base: String, _ lamport: Int64, by node: NodeID) throws {
            var mutation = edit(.update, lamport: lamport)
            mutation.changes["a"] = FieldChange(
                value: try FieldValue(text: text), baseValue: try FieldValue(text: base),
                baseVersion: 1, lamport: lamport)
            _ = server.take(mutation, by: node)
        }
        _ = server.take(edit(.insert, ["b": 1], lamport: 1), by: "A")
        try words("red", base: "", 2, by: "B")
        try words("cold", base: "", 3, by: "A")
        #expect(server.value("a") == .string("red cold"))
        #expect(server.take(deletion(base: 1, lamport: 4), by: "A").reviews.count == 1)
    }

    @Test(
        "T70 a deletion that had not seen what another put below is looked at",
        arguments: [
            (NodeID("B"), [NodeID](), true), (NodeID("A"), [], false),
            (NodeID("B"), [NodeID("A")], false),
        ])
    func below(author: NodeID, later: [NodeID], isUnseen: Bool) {
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1], lamport: 1), by: "A")
        var below = RecordState(table: "finding", id: "f", parent: "r", version: 1)
        below.fields["text"] = FieldRegister(
            value: .string("leak"), stamp: Stamp(lamport: 5, node: author), version: 1)
        for node in later {
            below.version += 1
            below.fields["note"] = FieldRegister(
                value: .string("seen"), stamp: Stamp(lamport: 6, node: node),
                version: below.version)
        }
        let outcome = mergeRecord(
            current: server.record, mutation: deletion(base: 1, lamport: 7), node: "A",
            parentIsKnown: true, changedBelow: [below]
        ) { _ in .ask }
        #expect(outcome.record?.isDeleted == true)
        #expect(outcome.status == (isUnseen ? .merged : .applied))
        #expect(outcome.reviews.map(\.record) == (isUnseen ? ["f"] : []))
        #expect(outcome.reviews.first?.conflict.theirsNode == (isUnseen ? author : nil))
    }

    @Test(
        "T86 what a deletion from before a restore had taken along comes to stand below it, silently",
        arguments: [true, false])
    func buried(isSeen: Bool) {
        var past = ReturnedPast()
        past.wasInForce = true
        let tombstone = mergeRecord(
            current: nil, mutation: deletion(base: 2, lamport: 3), node: "A",
            parentIsKnown: true, past: past
        ) { _ in .ask }
        #expect(tombstone.status == .applied && tombstone.record?.isDeleted == true)
        past = ReturnedPast()
        past.buried = ["a"]
        if isSeen { past.seen = ["a"] }
        let insert = edit(.insert, ["a": 1, "b": 2], lamport: 1)
        let outcome = mergeRecord(
            current: tombstone.record, mutation: insert, node: "B", parentIsKnown: true, past: past
        ) { _ in .ask }
        #expect(outcome.record?.isDeleted == true && outcome.record?.version == 2)
        #expect(outcome.record?.fields["a"]?.value == .integer(1))
        #expect(outcome.conflicts.map(\.column) == ["b"], "nothing is known of that one")
        #expect(outcome.reviews.map(\.conflict.theirsNode) == (isSeen ? [] : ["B"]))
    }

    @Test("T86 of what stood under something that is nowhere nothing is left to be deleted")
    func buriedOrphan() {
        var past = ReturnedPast()
        past.wasInForce = true
        let outcome = mergeRecord(
            current: nil, mutation: deletion(base: 2, lamport: 3), node: "A",
            parentIsKnown: false, past: past
        ) { _ in .ask }
        #expect(outcome.status == .applied && outcome.record == nil && !outcome.isChanged)
    }

    @Test("a restoration of an earlier deletion is offered again, not lost without a word")
    func staleRestoration() throws {
        var server = changed()
        _ = server.take(deletion(base: 2, lamport: 3), by: "A")
        _ = server.take(edit(.update, [Mutation.deletedField: 0], base: 3, lamport: 4), by: "B")
        _ = server.take(deletion(base: 4, lamport: 5), by: "A")
        let stale = edit(.update, [Mutation.deletedField: 0], base: 3, lamport: 6)
        let outcome = server.take(stale, by: "C")
        #expect(outcome.status == .conflict && outcome.record?.isDeleted == true)
        let conflict = try #require(outcome.conflicts.first)
        #expect(conflict.column == Mutation.deletedField && conflict.rule == "tombstone")
        #expect(conflict.mine == .integer(0) && conflict.theirs == .integer(1))
        #expect(conflict.theirsNode == "A")
        let informed = edit(.update, [Mutation.deletedField: 0], base: 5, lamport: 7)
        #expect(server.take(informed, by: "C").status == .applied)
        #expect(server.record?.isDeleted == false)
    }

    @Test("a device that deletes and restores offline meets no conflict with itself")
    func ownRestoration() {
        var server = changed()
        _ = server.take(deletion(base: 2, lamport: 3), by: "A")
        let restoration = edit(.update, [Mutation.deletedField: 0], base: 2, lamport: 4)
        #expect(server.take(restoration, by: "A").status == .applied)
        #expect(server.record?.isDeleted == false)
        #expect(server.value("a") == .integer(2))
        let repeated = server.take(restoration, by: "A")
        #expect(repeated.status == .applied && !repeated.isChanged)
    }

    @Test("a change that names another parent is refused, whatever it does")
    func otherParent() {
        for operation in [Mutation.Operation.insert, .update, .delete] {
            var server = RecordServer(policy: .lww)
            _ = server.take(edit(.insert, ["a": 1], lamport: 5, parent: "p"), by: "A")
            let moved = edit(operation, ["a": 2], lamport: 2, parent: "q")
            #expect(server.take(moved, by: "B").error == .parentChanged, "\(operation)")
            #expect(server.value("a") == .integer(1))
        }
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1], lamport: 1, parent: "p"), by: "A")
        #expect(server.take(edit(.update, ["a": 2], base: 1, lamport: 2), by: "A").error == nil)
    }
}
