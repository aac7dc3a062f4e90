import Coding
import Replication
import TestSupport
import Testing

private let chooses: [MergePolicy] = [.lww, .max, .min, .rank(["CRITICAL", "WARNING", "OPTIMAL"])]

private func arbitraryContender(_ random: inout SeededRandom) -> Contender {
    let values: [FieldValue] = [
        .null, .integer(1), .integer(2), .double(1.5), .string("CRITICAL"), .string("WARNING"),
        .string("OPTIMAL"), .string("other"), .string("é"), .string("e\u{301}"), .integer(-3),
    ]
    let stamp = Stamp(
        lamport: Int64(random.below(3)), node: random.pick(["a", "b", "c"] as [NodeID]))
    return Contender(value: random.pick(values), stamp: stamp)
}

struct MergePolicyTests {
    @Test(
        "the policies that choose are commutative, associative and idempotent", arguments: chooses)
    func laws(policy: MergePolicy) throws {
        for seed in UInt64(1)...4 {
            var random = SeededRandom(seed: seed)
            for step in 0..<1_000 {
                let a = arbitraryContender(&random)
                let b = arbitraryContender(&random)
                let c = arbitraryContender(&random)
                let ab = try #require(policy.winner(a, b))
                let bc = try #require(policy.winner(b, c))
                #expect(ab == policy.winner(b, a), "seed \(seed), step \(step): commutative")
                #expect(
                    policy.winner(ab, c) == policy.winner(a, bc),
                    "seed \(seed), step \(step): associative")
                #expect(policy.winner(a, a) == a, "seed \(seed), step \(step): idempotent")
            }
        }
    }

    @Test("ask, quarantine and union choose neither value")
    func abstaining() {
        let a = Contender(value: .integer(1), stamp: Stamp(lamport: 1, node: "a"))
        let b = Contender(value: .integer(2), stamp: Stamp(lamport: 2, node: "b"))
        for policy in [MergePolicy.ask, .quarantine, .union] {
            #expect(policy.winner(a, b) == nil)
        }
    }

    @Test("an empty answer is neither the largest nor the smallest")
    func emptyAnswers() {
        let empty = Contender(value: .null, stamp: Stamp(lamport: 9, node: "z"))
        let reading = Contender(value: .integer(-5), stamp: Stamp(lamport: 1, node: "a"))
        #expect(MergePolicy.max.winner(empty, reading) == reading)
        #expect(MergePolicy.min.winner(empty, reading) == reading)
    }

    @Test(
        "a policy reads back from its own text",
        arguments: ["ask", "quarantine", "lww", "max", "min", "union", "rank:A,B C,D"])
    func text(policy: String) throws {
        #expect(try MergePolicy(parsing: policy).description == policy)
    }

    @Test(
        "an unknown policy is refused",
        arguments: ["", "LWW", "rank", "rank:", "rank:A,,B", "rank:A,A"])
    func unknown(policy: String) {
        #expect(throws: ReplicationError.self) { try MergePolicy(parsing: policy) }
    }

    @Test("a union adds what either side added and drops what either side removed")
    func unions() throws {
        let cases: [(base: String, mine: String, current: String, merged: FieldValue)] = [
            ("a b", "a b c", "a b d", .string("a b d c")),
            ("a b", "b", "a b d", .string("b d")),
            ("a", "", "a", .null),
            ("", "x y", "y z", .string("y z x")),
            ("a b", "a b", "b", .string("b")),
        ]
        for item in cases {
            let merged = try MergePolicy.union(
                current: .string(item.current), mine: .string(item.mine), base: .string(item.base))
            #expect(merged == item.merged)
        }
    }
}
