import Coding
import Replication
import TestSupport
import Testing

private func register(
    _ value: FieldValue, by node: NodeID, lamport: Int64, version: Int64, foreign: Int64 = 0
) -> FieldRegister {
    FieldRegister(
        value: value, stamp: Stamp(lamport: lamport, node: node), version: version,
        foreignVersion: foreign)
}

private func meet(
    _ current: FieldRegister?, _ incoming: FieldChange, by node: NodeID = "me",
    policy: MergePolicy = .ask, newVersion: Int64 = 9
) -> FieldOutcome {
    merge(
        field: "f", current: current, incoming: incoming, node: node, policy: policy,
        newVersion: newVersion)
}

struct FieldMergeTests {
    @Test("first: an equal value changes nothing, whoever wrote it and however late it comes")
    func equal() {
        let current = register(.integer(150), by: "other", lamport: 7, version: 5)
        #expect(meet(current, FieldChange(value: .double(150), lamport: 1)) == .unchanged)
        #expect(meet(nil, FieldChange(value: .null, lamport: 1)) == .unchanged)
    }

    @Test("second: what a device sent late goes to history behind its own newer value")
    func late() {
        let current = register(.integer(2), by: "me", lamport: 8, version: 5)
        let incoming = FieldChange(value: .integer(1), baseVersion: 5, lamport: 7)
        let entry = HistoryEntry(
            field: "f", value: .integer(1), stamp: Stamp(lamport: 7, node: "me"), rule: .late)
        #expect(meet(current, incoming, policy: .lww) == .lost(entry))
    }

    @Test("third: where nobody else has changed the field since its base, it is applied")
    func seen() throws {
        let current = register(.integer(1), by: "other", lamport: 3, version: 5)
        let incoming = FieldChange(value: .integer(2), baseVersion: 5, lamport: 4)
        guard case .applied(let new, .seen, let overwritten?) = meet(current, incoming) else {
            Issue.record("expected it to be applied")
            return
        }
        #expect(new == register(.integer(2), by: "me", lamport: 4, version: 9, foreign: 5))
        #expect(overwritten.value == .integer(1))
    }

    @Test("T04 rapid edits of one device on one base never conflict with themselves")
    func ownEdits() {
        var current = register(.integer(0), by: "other", lamport: 1, version: 1)
        for edit in Int64(1)...5 {
            let incoming = FieldChange(value: .integer(edit), baseVersion: 1, lamport: 1 + edit)
            guard case .applied(let next, .seen, _) = meet(current, incoming, newVersion: 1 + edit)
            else {
                Issue.record("edit \(edit) met itself")
                return
            }
            current = next
        }
        #expect(current.value == .integer(5))
        #expect(current.foreignVersion == 1)
    }

    @Test("a change by another node in between is met, also behind one's own later change")
    func foreignInBetween() {
        // me at 2, other at 3, me at 4 (having seen 3): an edit of mine based on 2 has missed 3.
        let current = register(.integer(4), by: "me", lamport: 4, version: 4, foreign: 3)
        let incoming = FieldChange(value: .integer(5), baseVersion: 2, lamport: 6)
        guard case .undecided(let conflict) = meet(current, incoming) else {
            Issue.record("expected a conflict")
            return
        }
        #expect(conflict.rule == "ask")
        #expect(conflict.theirs == .integer(4))
    }

    @Test("fourth: the policy decides, and what loses goes to history under its name")
    func policies() {
        let current = register(.string("WARNING"), by: "other", lamport: 9, version: 5)
        let critical = FieldChange(value: .string("CRITICAL"), baseVersion: 4, lamport: 2)
        let optimal = FieldChange(value: .string("OPTIMAL"), baseVersion: 4, lamport: 20)
        let rank = MergePolicy.rank(["CRITICAL", "WARNING", "OPTIMAL"])
        guard case .applied(let new, .rank, let lost?) = meet(current, critical, policy: rank)
        else {
            Issue.record("CRITICAL ranks over WARNING")
            return
        }
        #expect(new.value == .string("CRITICAL"))
        #expect(lost.value == .string("WARNING") && lost.rule == .rank)
        guard case .lost(let entry) = meet(current, optimal, policy: rank) else {
            Issue.record("OPTIMAL ranks under WARNING")
            return
        }
        #expect(entry.value == .string("OPTIMAL") && entry.rule == .rank)
        guard case .applied(_, .lww, _) = meet(current, optimal, policy: .lww) else {
            Issue.record("the later stamp wins")
            return
        }
        guard case .undecided(let conflict) = meet(current, optimal, policy: .quarantine) else {
            Issue.record("quarantine chooses nothing")
            return
        }
        #expect(conflict.rule == "quarantine" && conflict.theirsNode == "other")
    }

    @Test(
        "T62 concurrent changes end the same in every order of delivery",
        arguments: [UInt64(1), 2, 3])
    func everyOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let policies: [MergePolicy] = [.lww, .max, .min, .rank(["v3", "v1"])]
        for step in 0..<200 {
            let policy = random.pick(policies)
            let isText = policy == .rank(["v3", "v1"])
            let changes = (0..<4).map { index -> (NodeID, FieldChange) in
                let value: FieldValue =
                    isText ? .string("v\(index)") : .integer(Int64(index * 7 % 5))
                return (
                    NodeID("n\(index)"),
                    FieldChange(value: value, lamport: Int64(1 + random.below(3)))
                )
            }
            let results = permutations(changes).map { order in
                var current: FieldRegister?
                for (version, (node, change)) in order.enumerated() {
                    let outcome = meet(
                        current, change, by: node, policy: policy, newVersion: Int64(version + 1))
                    if case .applied(let next, _, _) = outcome { current = next }
                }
                return current?.value
            }
            #expect(Set(results).count == 1, "seed \(seed), step \(step), \(policy)")
        }
    }

    @Test("a union too long to store is put to the inspector instead of being cut")
    func longUnion() {
        let long = String(repeating: "a", count: 40_000)
        let other = String(repeating: "b", count: 40_000)
        let current = register(.string(long), by: "other", lamport: 1, version: 5)
        let incoming = FieldChange(value: .string(other), lamport: 2)
        guard case .undecided(let conflict) = meet(current, incoming, policy: .union) else {
            Issue.record("expected a person to decide")
            return
        }
        #expect(conflict.rule == "union")
    }
}

func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard elements.count > 1 else { return [elements] }
    return elements.indices.flatMap { index in
        var rest = elements
        let first = rest.remove(at: index)
        return permutations(rest).map { [first] + $0 }
    }
}
