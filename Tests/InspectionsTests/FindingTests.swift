import Coding
import Forms
import Inspections
import Testing

@Suite("Findings")
struct FindingTests {
    @Test("a failed answer raises one where its question asks for it, graver where it is critical")
    func raised() {
        var question = Question(path: "seal", label: "Seal", type: .verdict)
        #expect(Finding.raised(by: question, row: nil, isRepeated: false) == nil)
        question.findingOnFail = true
        let finding = Finding.raised(by: question, row: "r", isRepeated: true)
        #expect(
            finding
                == Finding(
                    question: "seal", row: "r", severity: .major, isRepeated: true,
                    isFromAnswer: true))
        question.critical = true
        #expect(
            Finding.raised(by: question, row: nil, isRepeated: false)?.severity == .critical)
    }

    @Test("of two severities the graver stands, of two statuses the further; notes ask")
    func policies() {
        #expect(BuiltInField.mergePolicy(of: "@severity") == "rank:critical,major,minor")
        #expect(BuiltInField.mergePolicy(of: "@status") == "rank:closed,corrected,pending")
        #expect(BuiltInField.mergePolicy(of: "@note") == "ask")
        #expect(BuiltInField.mergePolicy(of: "@owner") == "lww")
    }
}
