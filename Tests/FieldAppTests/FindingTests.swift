import Coding
import FieldApp
import Forms
import Inspections
import Replication
import TerminalKit
import Testing

@Suite("Findings on the screen")
struct FindingTests {
    static func form() throws -> FormDefinition {
        var seals = Question(path: "seals", label: "Seals", type: .verdict, findingOnFail: true)
        seals.comments = ChoiceList([
            Choice(name: "a", label: "Torn"), Choice(name: "b", label: "Gap over 2 mm"),
        ])
        var notes = Question(path: "notes", label: "Notes", type: .text(multiline: true))
        notes.comments = seals.comments
        return try FormDefinition(
            id: "check", version: "1", title: "Check",
            sections: [
                Section(
                    name: "main", title: "Main",
                    questions: [
                        seals,
                        Question(
                            path: "alarm", label: "Alarm", type: .verdict, critical: true,
                            findingOnFail: true),
                        Question(path: "light", label: "Light", type: .verdict), notes,
                    ])
            ])
    }

    private func opened() throws -> Story {
        var story = try Story(form: Self.form())
        story.openFreezer()
        return story
    }

    private func top(_ story: Story) -> FindingScreen? {
        if case .finding(let screen) = story.state.layers.top { screen } else { nil }
    }

    private func findings(_ story: Story) -> [Finding] {
        story.field.inspections[Story.freezer]?.findings.map(\.finding) ?? []
    }

    @Test(
        "a failing verdict opens what it raised over the inspection, and Esc goes on with the next")
    func opens() throws {
        var story = try opened()
        story.press(.character("f"))
        #expect(top(story)?.field == .note)
        #expect(story.state.place == .finding)
        story.press(.escape)
        #expect(story.state.place == .inspection && story.focus == "alarm")
        // One that asks for none does not.
        story.press(KeyEvent(.down), .character("f"))
        #expect(story.state.place == .inspection && findings(story).count == 1)
    }

    @Test("whoever is about something else by the time it is stored is not interrupted")
    func notInterrupting() throws {
        var story = try opened()
        story.holds = true
        story.press(.character("f"), .character("p"))
        story.release()
        #expect(story.state.place == .inspection)
        #expect(findings(story).map(\.question) == ["seals"])
    }

    @Test("what is typed stands as a draft within a second and is stored by Enter")
    func typing() throws {
        var story = try opened()
        story.press(.character("f"), .enter)
        #expect(story.state.place == .findingText)
        story.type("torn at fq")
        story.wait(1_000)
        let key = AnswerKey(row: "finding1", "@note")
        #expect(story.field.drafts[key] == "torn at fq")
        story.press(.enter)
        #expect(findings(story).map(\.note) == ["torn at fq"])
        #expect(story.field.drafts[key] == nil)
        #expect(top(story)?.field == .owner)
        #expect(story.field.held.isEmpty)
    }

    @Test(
        "Esc out of a text stores it; a day that is none stays as a draft and complete asks for it")
    func leaving() throws {
        var story = try opened()
        story.press(.character("f"), .enter)
        story.type("torn")
        story.press(.escape)
        #expect(findings(story).map(\.note) == ["torn"])
        story.press(KeyEvent(.down), KeyEvent(.down), .enter)
        story.type("soon")
        story.press(.enter)
        #expect(story.state.place == .findingText, "it is said why")
        story.press(.escape)
        #expect(story.field.drafts[AnswerKey(row: "finding1", "@due")] == "soon")
        #expect(story.screen?.form?.problems.map(\.problem) == [.unfinishedFinding])
        story.press(.enter)
        for _ in 0..<4 { story.press(KeyEvent(.backspace)) }
        story.type("+3d")
        story.press(.enter)
        #expect(findings(story).map(\.due) == ["2026-03-05"])
        #expect(story.screen?.form?.problems.isEmpty == true)
    }

    @Test("digits, arrows and Enter take severity and status; quick keys are all counted")
    func words() throws {
        var story = try opened()
        story.press(.character("f"), KeyEvent(.up))
        #expect(top(story)?.field == .status)
        story.press(.character("2"))
        #expect(findings(story).map(\.status) == [.corrected])
        story.holds = true
        story.press(KeyEvent(.up), KeyEvent(.right), KeyEvent(.right))
        let shown = try #require(top(story).flatMap { story.state.shownFinding($0) })
        #expect(shown.severity == .minor)
        story.release()
        #expect(findings(story).map(\.severity) == [.minor])
    }

    @Test("comments that the form has ready go behind what stands there, by digit or from the list")
    func comments() throws {
        var story = try opened()
        story.press(.character("f"), .character("2"))
        #expect(findings(story).map(\.note) == ["Gap over 2 mm"])
        story.press(.character("k"))
        story.type("tor")
        story.press(.enter)
        #expect(findings(story).map(\.note) == ["Gap over 2 mm; Torn"])
        story.press(.escape)
        story.press(KeyEvent(.end), .character("k"), .enter)
        #expect(story.stored("notes") == .string("Torn"))
    }

    @Test("by hand on any question; several of one question are listed; remove asks first")
    func byHand() throws {
        var story = try opened()
        story.press(KeyEvent(.end), .character("m"))
        #expect(top(story) != nil && findings(story).map(\.question) == ["notes"])
        story.press(.escape, .character("M"))
        #expect(story.state.place == .findings)
        story.press(.enter, .character("d"))
        #expect(story.state.place == .confirm)
        story.press(.enter)
        #expect(story.field.removedFindings.isEmpty)
        story.press(.character("d"))
        story.wait(1_000)
        story.press(.character("y"))
        #expect(story.field.removedFindings == ["finding1"])
        #expect(story.state.place == .findings, "an empty list, out of which Esc leads")
        story.press(.escape)
        #expect(story.state.place == .inspection)
    }

    @Test("a grave one without words stops complete at its question")
    func completing() throws {
        var story = try opened()
        story.press(KeyEvent(.down), .character("f"), .escape, KeyEvent(.function(5)))
        #expect(story.field.completed.isEmpty && story.focus == "alarm")
        story.press(.character("m"), .enter)
        story.type("dead")
        story.press(.enter, .escape, KeyEvent(.function(5)))
        #expect(story.field.completed == [Story.freezer])
        // Closed with the inspection: it can be read and not changed.
        story.press(.character("m"), KeyEvent(.up), .character("3"))
        #expect(findings(story).map(\.status) == [.pending])
    }

    @Test("complete opens a grave one on what is not asked: no question leads there")
    func completingWhereNotAsked() throws {
        var story = try opened()
        story.field.inspections[Story.freezer]?.findings = [
            FindingPicture(
                id: "other", finding: Finding(question: "gone", severity: .critical),
                badge: .synced, fails: false)
        ]
        story.send(.sync(.changed))
        story.press(KeyEvent(.function(5)))
        #expect(story.field.completed.isEmpty && story.state.place == .finding)
        story.press(.enter)
        story.type("dead")
        story.press(.enter, .escape, KeyEvent(.function(5)))
        #expect(story.field.completed == [Story.freezer])
    }

    @Test(
        "a write that is refused is taken back on the screen, and what was typed stays as a draft")
    func refused() throws {
        var story = try opened()
        story.press(.character("f"), .enter)
        story.field.refusal = StoreRefusal(.disk, "the disk is full")
        story.type("torn")
        story.press(.enter)
        #expect(findings(story).map(\.note) == [nil])
        #expect(story.field.drafts[AnswerKey(row: "finding1", "@note")] == "torn")
        let shown = try #require(top(story).flatMap { story.state.shownFinding($0) })
        #expect(shown.note == nil)
    }

    @Test("a finding that somebody took away elsewhere is left")
    func gone() throws {
        var story = try opened()
        story.press(.character("f"))
        story.field.inspections[Story.freezer]?.findings = []
        story.send(.sync(.changed))
        #expect(story.state.place == .inspection)
    }

    @Test("what complete has raised is on the screen when it refuses")
    func raisedByCompleting() throws {
        var story = try opened()
        let finding = Finding(question: "alarm", severity: .critical)
        story.field.inspections[Story.freezer]?.findings = [
            FindingPicture(id: "late", finding: finding, badge: .pending)
        ]
        story.send(
            .refused(.complete(Story.freezer), StoreRefusal(.constraint, "a finding says nothing")))
        #expect(story.screen?.form?.problems.map(\.problem) == [.unexplainedFinding])
        story.press(.function(8))
        #expect(story.focus == "alarm")
    }

    @Test(
        "what was being typed in one that is deleted elsewhere is kept, told, and held no more",
        arguments: [[], [.function(1)], [.function(1), .function(1)]] as [[KeyEvent]])
    func goneWhileTyping(over: [KeyEvent]) throws {
        var story = try opened()
        story.press(.character("f"), .enter)
        story.type("torn at the hinge")
        for key in over { story.press(key) }
        story.field.inspections[Story.freezer]?.findings = []
        story.send(.sync(.changed))
        let key = AnswerKey(row: "finding1", "@note")
        #expect(story.field.drafts[key] == "torn at the hinge")
        #expect(story.field.held.isEmpty)
        #expect(
            story.state.notice?.text
                == "The finding on Seals was deleted elsewhere; what was typed is kept, t shows it")
        #expect(
            story.state.layers.layers.allSatisfy {
                if case .finding = $0 { false } else { true }
            })
        for _ in over { story.press(.escape) }
        #expect(story.state.place == .inspection)
    }

    @Test("what was accepted in one that is deleted meanwhile stays as a draft")
    func acceptedTooLate() throws {
        var story = try opened()
        story.press(.character("f"), .enter)
        story.type("torn")
        story.holds = true
        story.field.refusal = StoreRefusal(.other, "there is no record 'finding1' on this device")
        story.press(.enter)
        story.field.inspections[Story.freezer]?.findings = []
        story.release()
        #expect(story.field.drafts[AnswerKey(row: "finding1", "@note")] == "torn")
        #expect(story.field.held.isEmpty && story.state.place == .inspection)
    }
}
