import Coding
import FieldApp
import Forms
import Inspections
import TerminalKit
import Testing

@Suite("Moving to a newer version of the form")
struct MoveTests {
    /// No notes any more, and a remark in their place.
    private static func second() throws -> FormDefinition {
        var parts = try Story.form().parts
        parts.version = "2"
        let text = QuestionType.text(multiline: true)
        parts.sections[1].items =
            parts.sections[1].items.filter { $0.questions.first?.path != "notes" }
            + [.question(Question(path: "remark", label: "Remark", type: text))]
        return try FormDefinition(parts)
    }

    private static func story() throws -> Story {
        var story = try Story()
        story.field.newer[Story.freezer] = try second()
        story.field.inspections[Story.freezer]?.newerVersion = "2"
        story.field.inspections[Story.freezer]?.answers["notes"] = AnswerPicture(
            value: .string("hums"), standing: .accepted)
        story.openFreezer()
        return story
    }

    @Test("F37 a line says that a newer version is here; m shows what a move does, y moves")
    func moves() throws {
        var story = try Self.story()
        #expect(story.screen?.items.first?.label.hasPrefix("Version 2 of this form") == true)
        story.press(.character("V"))
        guard case .move(let screen) = story.state.layers.top else {
            Issue.record("nothing is shown")
            return
        }
        #expect(screen.lines.map(\.text).contains("notes = hums: not asked any more, kept"))
        #expect(story.field.moved.isEmpty)
        story.press(.character("y"))
        #expect(story.field.moved == [Story.freezer])
        #expect(story.screen?.picture?.form.version == "2")
        #expect(story.screen?.orphans == ["notes"])
        #expect(story.state.whyDisabled(.move) == "no newer version of this form is here")
    }

    @Test("Enter, Esc and the key that asked move nothing")
    func stays() throws {
        var story = try Self.story()
        story.press(.character("V"), .enter, .character("V"), .escape)
        #expect(story.field.moved.isEmpty)
        #expect(story.screen?.picture?.form.version == "1")
    }

    @Test("an orphan is gone to and read, never answered, and no answer leads to it")
    func orphans() throws {
        var story = try Self.story()
        story.press(.character("V"), .character("y"), KeyEvent(.end))
        #expect(story.focus == "notes")
        story.press(.enter)
        #expect(story.screen?.editor == nil)
        #expect(story.value("notes") == .string("hums"))
        story.press(.up)
        #expect(story.focus == "remark")
        story.press(.enter)
        story.type("x")
        story.press(.enter)
        #expect(story.stored("remark") == .string("x"))
        #expect(story.focus != "notes")
    }

    @Test("what is being typed when others move the inspection stays as a draft of its question")
    func movedByOthers() throws {
        var story = try Self.story()
        story.press(KeyEvent(.end), .up, .enter)
        #expect(story.focus == "notes")
        story.type(" and drips")
        story.field.inspections[Story.freezer]?.form = try Self.second()
        story.send(.inspection(try #require(story.field.inspections[Story.freezer])))
        #expect(story.screen?.editor == nil)
        #expect(story.field.drafts["notes"] == "hums and drips")
    }
}
