import Coding
import Forms
import Inspections
import Testing

@Suite("Findings as values")
struct FindingValueTests {
    private let question = Question(
        path: "seals", label: "Seals", type: .verdict, critical: true, findingOnFail: true)

    @Test("What is written of a finding is read again as it was")
    func roundTrip() throws {
        let findings = [
            Finding(question: "a", severity: .minor),
            Finding(
                question: "door/seal", row: "r", severity: .critical, status: .corrected,
                owner: "Ben", due: "2026-12-24", note: "torn", isRepeated: true, isFromAnswer: true),
            Finding(question: "a", severity: .major, isFromAnswer: true),
            Finding(question: "a", severity: .major, isRepeated: true),
        ]
        for finding in findings {
            let fields = Dictionary(
                uniqueKeysWithValues: finding.fields.map { ($0.name, $0.value) })
            #expect(Finding(fields: fields) == finding)
        }
    }

    @Test(
        "Who raised it and whether it is repeated are two things; an older record is read by what it says",
        arguments: [
            (nil, nil, false), (nil, 0, true), (nil, 1, false), ("answer", 1, true),
            ("hand", 1, false), ("hand", 0, false), ("answer", nil, true), ("weather", 0, false),
        ] as [(String?, Int64?, Bool)])
    func raiser(word: String?, repeated: Int64?, isFromAnswer: Bool) throws {
        var fields: [String: FieldValue] = ["@question": .string("a")]
        fields["@raisedBy"] = word.map { .string($0) }
        fields["@repeated"] = repeated.map { .integer($0) }
        let finding = try #require(Finding(fields: fields))
        #expect(finding.isFromAnswer == isFromAnswer)
        #expect(finding.isRepeated == (repeated == 1))
    }

    @Test("Words of a newer version count as grave and as not mended")
    func newerWords() {
        let finding = Finding(fields: [
            "@question": .string("a"), "@severity": .string("fatal"), "@status": .string("sold"),
        ])
        #expect(finding?.severity == .critical && finding?.status == .pending)
        #expect(Finding(fields: ["@note": .string("of nothing")]) == nil)
    }

    @Test("Nobody has worked on it as long as it is what the answer raised")
    func asRaised() throws {
        let raised = try #require(Finding.raised(by: question, row: nil, isRepeated: true))
        #expect(raised.isAsRaised(by: question) && raised.severity == .critical)
        var touched = raised
        touched.severity = .major
        #expect(!touched.isAsRaised(by: question))
        touched = raised
        touched.isFromAnswer = false
        #expect(!touched.isAsRaised(by: question))
    }

    @Test("A grave one has to say what is wrong, until it is mended")
    func unexplained() {
        var finding = Finding(question: "a", severity: .critical)
        #expect(finding.isUnexplained)
        finding.note = "  "
        #expect(finding.isUnexplained)
        finding.status = .corrected
        #expect(!finding.isUnexplained)
        finding = Finding(question: "a", severity: .critical, note: "torn")
        #expect(!finding.isUnexplained)
        #expect(!Finding(question: "a", severity: .major).isUnexplained)
    }

    @Test("The tally says how many, how many again, and what became of them")
    func tally() {
        #expect(FindingTally([]).words == nil)
        #expect(FindingTally([Finding(question: "a", severity: .minor)]).words == "1 finding")
        let several = [
            Finding(question: "a", severity: .minor, status: .corrected),
            Finding(question: "b", severity: .minor, status: .closed, isRepeated: true),
            Finding(question: "c", severity: .minor),
        ]
        #expect(
            FindingTally(several).words
                == "3 findings, 1 repeated, 1 corrected on site, 1 closed")
    }
}
