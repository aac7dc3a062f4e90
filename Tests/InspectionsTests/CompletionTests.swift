import Coding
import Forms
import Inspections
import Testing

@Suite("Finishing an inspection")
struct CompletionTests {
    static func form() throws -> FormDefinition {
        try FormDefinition(
            id: "round", version: "1", title: "Monthly round", recordName: "tag",
            sections: [
                Section(
                    name: "s", title: "S",
                    questions: [
                        Question(path: "tag", label: "Tag", type: .text(multiline: false)),
                        Question(
                            path: "ok", label: "In order", type: .verdict, required: true,
                            merge: "quarantine"),
                        Question(
                            path: "why", label: "Why", type: .text(multiline: true), required: true,
                            relevant: FormExpression("/data/ok = 'fail'")),
                    ])
            ])
    }

    func refusal(
        _ answers: [String: FieldValue], drafts: Set<String> = [],
        state: InspectionState = .inProgress
    ) throws -> Completion.Refusal? {
        let form = try Self.form()
        do throws(Completion.Refusal) {
            let filling = FormFilling(
                form, answers: FormAnswers(answers), drafts: Set(drafts.map { AnswerKey($0) }),
                in: .looking(at: 0))
            try Completion.check(filling, state: state)
            return nil
        } catch {
            return error
        }
    }

    @Test("lists what is missing in the order of the form")
    func missing() throws {
        #expect(
            try refusal([:]) == .problems([FormProblem(path: "ok", problem: .required)]))
        #expect(
            try refusal(["ok": .string("fail")])
                == .problems([FormProblem(path: "why", problem: .required)]))
        #expect(try refusal(["ok": .string("pass")]) == nil)
    }

    @Test("an answer that was typed and not accepted is in the way")
    func draft() throws {
        #expect(
            try refusal(["ok": .string("pass")], drafts: ["tag"])
                == .problems([FormProblem(path: "tag", problem: .unfinishedDraft)]))
    }

    @Test("only one in progress, or assigned with everything answered, can be finished")
    func states() throws {
        let answers: [String: FieldValue] = ["ok": .string("pass")]
        #expect(try refusal(answers, state: .assigned) == nil)
        for state in [InspectionState.complete, .returned, .approved] {
            guard case .state = try refusal(answers, state: state) else {
                Issue.record("\(state) was finished")
                continue
            }
        }
    }

    @Test("hidden and empty answers do not count")
    func counting() throws {
        let answers: [String: FieldValue] = [
            "ok": .string("pass"), "why": .string("rust"), "tag": .null,
        ]
        let filling = FormFilling(
            try Self.form(), answers: FormAnswers(answers), in: .looking(at: 0))
        let counting = answers.filter { filling.isRelevant(AnswerKey($0.key)) && !$0.value.isNull }
        #expect(counting == ["ok": .string("pass")])
    }

    @Test("every field has a merge policy, an unknown one asks")
    func policies() throws {
        let form = try Self.form()
        #expect(form.mergePolicy(ofField: "ok") == "quarantine")
        #expect(form.mergePolicy(ofField: "tag") == "ask")
        #expect(form.mergePolicy(ofField: "from_a_later_form") == "ask")
        #expect(form.mergePolicy(ofField: "@state").hasPrefix("rank:approved"))
    }
}

@Suite("Names of records")
struct InspectionNameTests {
    @Test("fall back until there is one, and are never blank (F54)")
    func fallBack() throws {
        let form = try CompletionTests.form()
        let asset = Asset(id: "a-1", tag: " ", title: "Freezer 3")
        func name(
            title: String? = nil, tag: FieldValue = .null, asset: Asset? = nil,
            due: String? = nil, startedAt: String? = nil
        ) -> String {
            InspectionName.text(
                title: title, form: form, formID: "round", answers: ["tag": tag], asset: asset,
                due: due, startedAt: startedAt, id: "0123456789ab")
        }
        #expect(name(title: "Mine", tag: .string("T-1"), asset: asset) == "Mine")
        #expect(name(tag: .string("T-1"), asset: asset) == "T-1")
        #expect(name(title: "  ", asset: asset) == "Freezer 3")
        #expect(name(due: "2026-03-02") == "Monthly round 2026-03-02")
        #expect(name(startedAt: "2026-03-02 08:00") == "Monthly round 2026-03-02 08:00")
        #expect(name() == "Monthly round 01234567")
        #expect(
            InspectionName.text(form: nil, formID: "round", id: "0123456789ab") == "round 01234567")
    }

    @Test("an answer that names a record cannot write on the screen")
    func escapes() throws {
        let name = InspectionName.text(
            form: try CompletionTests.form(), formID: "round",
            answers: ["tag": .string("\u{1B}[2JT-1")], id: "0")
        #expect(name == "T-1")
    }

    @Test("sites and assets without a name show the beginning of their id")
    func places() {
        #expect(Site(id: "abcdefghij", title: nil).name == "Site abcdefgh")
        #expect(Asset(id: "abcdefghij").name == "Asset abcdefgh")
        #expect(Asset(id: "a", serial: "SN 9").name == "SN 9")
    }
}
