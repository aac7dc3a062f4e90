import Coding
import Replication
import Testing

/// `String` takes two spellings of one character for the same; nothing here may.
struct SpellingTests {
    private let composed = FieldValue.string("M\u{FC}nchen")
    private let decomposed = FieldValue.string("Mu\u{308}nchen")

    private func meet(_ policy: MergePolicy) -> FieldOutcome {
        let current = FieldRegister(
            value: composed, stamp: Stamp(lamport: 1, node: "A"), version: 1)
        return merge(
            field: "notes", current: current,
            incoming: FieldChange(value: decomposed, lamport: 2), node: "B", policy: policy,
            newVersion: 2)
    }

    @Test("T77 two spellings are two values: the rule decides, and none is dropped in silence")
    func twoValues() throws {
        guard case .undecided(let conflict) = meet(.ask) else {
            Issue.record("\(meet(.ask))")
            return
        }
        #expect(conflict.mine == decomposed && conflict.theirs == composed)
        guard case .applied(let latest, .lww, let overwritten) = meet(.lww) else {
            Issue.record("\(meet(.lww))")
            return
        }
        #expect(latest.value == decomposed && overwritten?.value == composed)
        guard case .applied(let both, .union, _) = meet(.union) else {
            Issue.record("\(meet(.union))")
            return
        }
        #expect(both.value == .string("M\u{FC}nchen Mu\u{308}nchen"))
    }

    @Test("T77 two spellings are two contents, two digests, and never two keys of one message")
    func twoContents() {
        func mutation(_ value: FieldValue) -> Mutation {
            var mutation = edit(.update, ["notes": 0], lamport: 1)
            mutation.changes["notes"]?.value = value
            return mutation
        }
        #expect(mutation(composed).contentHash != mutation(decomposed).contentHash)
        #expect(
            RecordDigest(id: "r", version: 1, fields: ["notes": composed])
                != RecordDigest(id: "r", version: 1, fields: ["notes": decomposed]))
        #expect(throws: CodingError.self) {
            try JSON.parse(Array("{\"M\u{FC}\":1,\"Mu\u{308}\":2}".utf8))
        }
    }

    @Test("T77 no message names a field in letters that can be spelt in two ways")
    func twoNames() throws {
        for name in ["M\u{FC}", "Mu\u{308}", "\u{3BC}"] {
            let json = edit(.update, [name: 1], lamport: 1).json
            #expect(throws: CodingError.self) { try Mutation(json: json) }
        }
        let json = edit(.update, ["Mu": 1], lamport: 1).json
        #expect(try Mutation(json: json).columns == ["Mu"])
    }
}
