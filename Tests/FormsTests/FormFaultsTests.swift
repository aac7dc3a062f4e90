import Coding
import Forms
import Testing

@Suite("A faulty form is refused, and the error names the place")
struct FormFaultsTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let what: String
        let code: FormError.Code
        let place: String
        let json: String

        var testDescription: String { what }
    }

    /// A form with one section whose questions are these.
    static func form(_ questions: String) -> String {
        """
        {"id":"f","version":"1","sections":[{"name":"s","questions":[\(questions)]}]}
        """
    }

    static let structure: [Fault] = [
        Fault(what: "not an object", code: .malformed, place: "", json: "[]"),
        Fault(what: "no id", code: .malformed, place: "id", json: #"{"version":"1"}"#),
        Fault(
            what: "a later format", code: .unknownFormat, place: "format",
            json: #"{"format":3,"id":"f","version":"1","sections":[]}"#),
        Fault(
            what: "no question at all", code: .malformed, place: "sections",
            json: #"{"id":"f","version":"1","sections":[]}"#),
        Fault(
            what: "an id with a space", code: .badName, place: "id",
            json: #"{"id":"f g","version":"1","sections":[]}"#),
        Fault(
            what: "two sections of one name", code: .duplicateName, place: "sections[1].name",
            json: """
                {"id":"f","version":"1","sections":[{"name":"s","questions":[]},
                {"name":"s","questions":[]}]}
                """),
        Fault(
            what: "a number where a text belongs", code: .malformed,
            place: "sections[0].questions[0].label",
            json: form(#"{"path":"a","type":"text","label":7}"#)),
        Fault(
            what: "a record name that is no question", code: .unknownQuestion,
            place: "recordName",
            json: """
                {"id":"f","version":"1","recordName":"b","sections":[{"name":"s","questions":
                [{"path":"a","type":"text"}]}]}
                """),
    ]

    static let questions: [Fault] = [
        Fault(
            what: "an unknown type", code: .unknownType, place: "sections[0].questions[0].type",
            json: form(#"{"path":"a","type":"hologram"}"#)),
        Fault(
            what: "a path that looks built in", code: .badName,
            place: "sections[0].questions[0].path",
            json: form(#"{"path":"@state","type":"text"}"#)),
        Fault(
            what: "an empty part in a path", code: .badName,
            place: "sections[0].questions[0].path", json: form(#"{"path":"a//b","type":"text"}"#)),
        Fault(
            what: "the same question twice", code: .duplicateName,
            place: "sections[0].questions[1].path",
            json: form(#"{"path":"a","type":"text"},{"path":"a","type":"date"}"#)),
        Fault(
            what: "the same choice twice", code: .duplicateName,
            place: "sections[0].questions[0].choices[1].name",
            json: form(
                #"{"path":"a","type":"choice","choices":[{"name":"x"},{"name":"x"}]}"#)),
        Fault(
            what: "nothing to choose", code: .badChoices,
            place: "sections[0].questions[0].choices",
            json: form(#"{"path":"a","type":"choice"}"#)),
        Fault(
            what: "choices of a text", code: .badChoices,
            place: "sections[0].questions[0].choices",
            json: form(#"{"path":"a","type":"text","choices":[{"name":"x"}]}"#)),
        Fault(
            what: "a verdict that says none", code: .badChoices,
            place: "sections[0].questions[0].choices[0].verdict",
            json: form(#"{"path":"a","type":"verdict","choices":[{"name":"x"}]}"#)),
        Fault(
            what: "limits upside down", code: .badLimits, place: "sections[0].questions[0]",
            json: form(#"{"path":"a","type":"integer","min":5,"max":4}"#)),
        Fault(
            what: "a soft limit outside the hard one", code: .badLimits,
            place: "sections[0].questions[0]",
            json: form(#"{"path":"a","type":"decimal","softMax":9,"max":4}"#)),
        Fault(
            what: "limits of a text", code: .badLimits, place: "sections[0].questions[0]",
            json: form(#"{"path":"a","type":"text","min":5}"#)),
        Fault(
            what: "a rank that forgets a choice", code: .badMergePolicy,
            place: "sections[0].questions[0].merge",
            json: form(
                """
                {"path":"a","type":"choice","merge":"rank:x","choices":[{"name":"x"},{"name":"y"}]}
                """)),
        Fault(
            what: "an unknown policy", code: .badMergePolicy,
            place: "sections[0].questions[0].merge",
            json: form(#"{"path":"a","type":"text","merge":"newest"}"#)),
        Fault(
            what: "a required note", code: .malformed,
            place: "sections[0].questions[0].required",
            json: form(#"{"path":"a","type":"note","required":true}"#)),
    ]

    static let conditions: [Fault] = [
        Fault(
            what: "a condition on a question that is not there", code: .unknownQuestion,
            place: "sections[0].questions[0].relevant",
            json: form(#"{"path":"a","type":"text","relevant":{"question":"b","is":"answered"}}"#)),
        Fault(
            what: "an operator that is not there", code: .badCondition,
            place: "sections[0].questions[0].relevant.is",
            json: form(#"{"path":"a","type":"text","relevant":{"question":"a","is":"like"}}"#)),
        Fault(
            what: "a question that depends on itself", code: .cycle,
            place: "sections[0].questions[0].relevant",
            json: form(#"{"path":"a","type":"text","relevant":{"question":"a","is":"answered"}}"#)),
        Fault(
            what: "two that depend on each other", code: .cycle,
            place: "sections[0].questions[0].relevant",
            json: form(
                """
                {"path":"a","type":"text","relevant":{"question":"b","is":"answered"}},
                {"path":"b","type":"text","relevant":{"question":"a","is":"answered"}}
                """)),
        Fault(
            what: "a section that depends on its own question", code: .cycle,
            place: "sections[0].questions[0].relevant",
            json: """
                {"id":"f","version":"1","sections":[{"name":"s",
                "relevant":{"question":"a","is":"answered"},
                "questions":[{"path":"a","type":"text"}]}]}
                """),
    ]

    @Test("each fault", arguments: structure + questions + conditions)
    func fault(_ fault: Fault) throws {
        let json = try JSON.parse(Array(fault.json.utf8))
        do throws(FormError) {
            _ = try FormDefinition(json: json)
            Issue.record("accepted: \(fault.what)")
        } catch {
            #expect(error.code == fault.code, "\(error)")
            #expect(error.place == fault.place, "\(error)")
        }
    }

    @Test("a circle is told by the names on it")
    func circleNames() throws {
        let json = Self.form(
            """
            {"path":"a","type":"text","relevant":{"question":"c","is":"answered"}},
            {"path":"b","type":"text","relevant":{"question":"a","is":"answered"}},
            {"path":"c","type":"text","relevant":{"question":"b","is":"answered"}}
            """)
        do {
            _ = try FormDefinition(json: JSON.parse(Array(json.utf8)))
            Issue.record("accepted a circle")
        } catch let error as FormError {
            #expect(error.message.contains("a → c → b → a"), "\(error)")
        }
    }

    @Test("conditions nested too deep are refused, not followed")
    func depth() {
        var condition: JSON = ["question": "a", "is": "answered"]
        for _ in 0..<2_000 { condition = ["not": condition] }
        let form: JSON = [
            "id": "f", "version": "1",
            "sections": [
                [
                    "name": "s",
                    "questions": [
                        ["path": "a", "type": "text"],
                        ["path": "b", "type": "text", "relevant": condition],
                    ],
                ]
            ],
        ]
        #expect(throws: FormError.self) { try FormDefinition(json: form) }
    }

    @Test("more questions than a form may hold are refused")
    func size() {
        let questions = (0...FormLimits.questions).map { number in
            JSON.object(["path": .string("q\(number)"), "type": "text"])
        }
        let form: JSON = [
            "id": "f", "version": "1", "sections": [["name": "s", "questions": .array(questions)]],
        ]
        #expect(throws: FormError.self) { try FormDefinition(json: form) }
    }

    @Test("a chain of all the questions a form may hold is put in order, in little stack")
    func longChain() throws {
        let count = FormLimits.questions
        let questions = try (0..<count).map { number in
            try Question(
                path: "q\(number)", label: "", type: .text(multiline: false),
                relevant: number + 1 < count
                    ? FormExpression("/data/q\(number + 1) != ''") : nil)
        }
        let form = try FormDefinition(
            id: "f", version: "1", title: "",
            sections: [Section(name: "s", title: "", questions: questions)])
        #expect(form.evaluate(answers: [:]).relevant == ["q\(count - 1)"])
    }
}
